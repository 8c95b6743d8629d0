import { docsAddress } from "../addresses.ts";
import { languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import type { Language } from "../languages.ts";
import { GROUPS, type PageName, REFERENCE } from "./documents.ts";
import { titleOf } from "./layout.tsx";
import { Lead } from "../html/parts.tsx";

/** What people come for, and the page where each begins. */
const GOALS = [
  { name: "stream", page: "quick-start" },
  { name: "chat", page: "chat" },
  { name: "card", page: "cards" },
  { name: "friends", page: "users" },
  { name: "program", page: "api" },
] as const;

interface HomeProps {
  readonly language: Language;
  readonly basePath: string;
}

/** The documentation's home: by goal, then every page by group. */
export function DocsHome({ language, basePath }: HomeProps): JSX.Element {
  const { docs, reference } = languages[language];
  const summaryOf = (page: PageName) =>
    page === REFERENCE ? reference.lead : docs.summaries[page];
  return (
    <>
      <h1 safe>{docs.title}</h1>
      <Lead text={docs.lead} />
      <ul class="cards">
        {GOALS.map(({ name, page }) => (
          <li>
            <a href={docsAddress(basePath, language, page)}>
              <strong safe>{docs.goals[name].title}</strong>
              <span safe>{docs.goals[name].text}</span>
            </a>
          </li>
        ))}
      </ul>
      {GROUPS.map((group) => (
        <>
          <h2 safe>{docs.groups[group.name]}</h2>
          <dl class="pages">
            {group.pages.map((page) => (
              <div>
                <dt>
                  <a href={docsAddress(basePath, language, page)} safe>
                    {titleOf(language, page)}
                  </a>
                </dt>
                <dd safe>{summaryOf(page)}</dd>
              </div>
            ))}
          </dl>
        </>
      ))}
    </>
  );
}
