import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { ServerPlace } from "../addresses.ts";
import type { Hosts } from "../http/hosts.ts";
import { messagePage } from "./message-page.tsx";

/** The page for a form from an address that is not the base URL's; `undefined` for all others. */
export function elsewherePage(
  request: Request,
  language: Language,
  { baseUrl, basePath, openedElsewhere }: ServerPlace & Pick<Hosts, "openedElsewhere">,
): Promise<Response> | undefined {
  const origin = openedElsewhere(request);
  if (origin === undefined) return undefined;
  const { title, text, open } = languages[language].elsewhere;
  const { pathname, search } = new URL(request.url);
  return messagePage({
    language,
    basePath,
    title,
    lead: fill(text, { base: baseUrl, other: origin + basePath }),
    status: 403,
    again: { path: baseUrl + pathname + search, label: open },
  });
}
