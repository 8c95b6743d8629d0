import type { Accounts } from "../../accounts/accounts.ts";
import type { User } from "../../accounts/users.ts";
import { dashboardAddress } from "../../addresses.ts";
import type { Hub } from "../../channels/hub.ts";
import type { Clock } from "../../clock.ts";
import type { ResolvedConfig } from "../../config.ts";
import type { SessionCookie } from "../../http/session-cookie.ts";
import type { Language } from "../../languages.ts";
import type { Inbox } from "../../ingest/inbox.ts";
import type { Sources } from "../../sources/index.ts";
import type { Live } from "../overlay/live.ts";
import type { Section, SectionName } from "./request.ts";
import type { Presenter } from "./state.ts";

/** The dependencies of all sections; each section uses those it needs. */
export interface SectionParts {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly sources: Sources;
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  readonly live: Live;
  readonly presenter: Presenter;
  readonly sessionCookie: SessionCookie;
  readonly clock: Clock;
  /** The current settings and where each came from. */
  readonly settings: ResolvedConfig;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
}

interface SectionEntry {
  /** Its path below the dashboard's. */
  readonly path: string;
  /** Only the owner of the server sees it. */
  readonly ownerOnly?: true;
  /** Loads its code on first use, so that a server with an unused dashboard saves the memory. */
  load(): Promise<{ createSection(parts: SectionParts): Section }>;
}

/** The pages of the dashboard, in the order of its navigation. Their names are in the words. */
const SECTIONS: Readonly<Record<SectionName, SectionEntry>> = {
  nowPlaying: { path: "", load: () => import("./now-playing.tsx") },
  music: { path: "/music", load: () => import("./music.tsx") },
  widget: { path: "/widget", load: () => import("./widget.tsx") },
  history: { path: "/history", load: () => import("./history.tsx") },
  keys: { path: "/keys", load: () => import("./keys.tsx") },
  privacy: { path: "/privacy", load: () => import("./privacy.tsx") },
  account: { path: "/account", load: () => import("./account.tsx") },
  server: { path: "/server", ownerOnly: true, load: () => import("./server.tsx") },
};

export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[];

export async function createSections(
  parts: SectionParts,
): Promise<Readonly<Record<SectionName, Section>>> {
  const created = SECTION_NAMES.map(async (name) => {
    const { createSection } = await SECTIONS[name].load();
    return [name, createSection(parts)] as const;
  });
  return Object.fromEntries(await Promise.all(created)) as Record<SectionName, Section>;
}

export const mayOpen = ({ role }: Pick<User, "role">, section: SectionName): boolean =>
  !SECTIONS[section].ownerOnly || role === "owner";

/** The path of a section below the language. */
export const sectionPath = (section: SectionName): string => `dashboard${SECTIONS[section].path}`;

/** The path of a section in the request's language. */
export const pathTo = (
  { basePath, language }: { readonly basePath: string; readonly language: Language },
  section: SectionName,
): string => dashboardAddress(basePath, language, SECTIONS[section].path);
