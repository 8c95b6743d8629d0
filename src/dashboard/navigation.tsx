import { pageAddress } from "../addresses.ts";
import {
  ENTRIES,
  ENTRY_NAMES,
  type EntryName,
  pathTo,
  type SectionName,
} from "../html/section-paths.ts";
import { Html } from "../jsx.ts";
import { mayOpen } from "./owner-only.ts";
import type { DashboardRequest } from "./request.ts";

/** Drawn on 24 by 24 pixels, as one line. */
const ICONS: Readonly<Record<EntryName, string>> = {
  overlay: "M3 5.5h18v13H3zM6.5 15.5v-4h7v4zM16.5 15.5h1",
  music:
    "M9 17.5V5.5l11-2v12M9 17.5a3 2.5 0 1 1-6 0a3 2.5 0 1 1 6 0M20 15.5a3 2.5 0 1 1-6 0a3 2.5 0 1 1 6 0",
  chat: "M4 4.5h16v12H11.5l-4.5 4v-4H4zM8 8.75h8M8 12.25h5",
  history: "M3.5 12a8.5 8.5 0 1 0 2.75-6.25L3.5 8.25M3.5 3.75v4.5H8M12 7.5V12l3 2",
  settings:
    "M3.5 7.5h9M18.5 7.5h2M3.5 16.5h2M11.5 16.5h9M18.5 7.5a3 3 0 1 1-6 0a3 3 0 1 1 6 0M11.5 16.5a3 3 0 1 1-6 0a3 3 0 1 1 6 0",
};

const Icon = ({ name }: { name: EntryName }): JSX.Element => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** The entries beside a page, or below it on a phone. */
export function Navigation({ request }: { request: DashboardRequest }): JSX.Element {
  const { words, section } = request;
  return (
    <nav class="sections" aria-label={words.dashboard.navigation}>
      {ENTRY_NAMES.map((name) => {
        const sections: readonly SectionName[] = ENTRIES[name];
        const [first] = ENTRIES[name];
        const isHere = sections.includes(section);
        const current = isHere && { "aria-current": first === section ? "page" : "true" };
        return (
          <a href={pathTo(request, first)} {...current}>
            <Icon name={name} />
            <span safe>
              {name === "settings" ? words.dashboard.settings : words.dashboard.sections[name]}
            </span>
          </a>
        );
      })}
    </nav>
  );
}

/** The pages of the settings, on each of them. */
export function SettingsTabs({ request }: { request: DashboardRequest }): JSX.Element {
  const { words, user, section } = request;
  const pages: readonly SectionName[] = ENTRIES.settings;
  if (!pages.includes(section)) return "";
  return (
    <nav class="tabs" aria-label={words.dashboard.settings}>
      {pages
        .filter((name) => mayOpen(user, name))
        .map((name) => (
          <a href={pathTo(request, name)} aria-current={name === section && "page"} safe>
            {words.dashboard.sections[name]}
          </a>
        ))}
    </nav>
  );
}

export const DocumentationLink = ({ request }: { request: DashboardRequest }): JSX.Element => (
  <a class="docs" href={pageAddress(request.basePath, request.language, "docs")} safe>
    {request.words.site.docs}
  </a>
);
