import { connectAddress, pageAddress } from "../addresses.ts";
import { messagePage } from "../html/message-page.tsx";
import { pathTo } from "../html/section-paths.ts";
import { fill, formatDay, languages } from "../i18n/index.ts";
import { type Language, negotiateLanguage } from "../languages.ts";
import { MOST_CONNECTIONS } from "../music/connections.ts";
import type { LinkFailure, Source } from "../sources/source.ts";
import type { PendingAuthorization } from "./pending-authorizations.ts";

/** The address where the user can try again. */
const beginningOf = (
  basePath: string,
  { intent, source, language }: PendingAuthorization,
): string => {
  switch (intent.kind) {
    case "connect":
      return connectAddress(basePath, language, source, intent.secret);
    case "dashboard":
      return pathTo({ basePath, language }, "music");
    case "signIn":
      return pageAddress(basePath, language, "sign-in");
  }
};

/** The page for an account that could not be linked. */
export const failedPage = (
  basePath: string,
  link: PendingAuthorization,
  source: Source,
  failure: LinkFailure,
) => {
  const { connect } = languages[link.language];
  const busy = failure.reason === "unreachable" || failure.reason === "limited";
  return messagePage({
    language: link.language,
    basePath,
    title: fill(connect.failedTitle, { source: source.name }),
    lead: fill(connect.failures[failure.reason], {
      source: source.name,
      most: String(MOST_CONNECTIONS),
    }),
    status: busy ? 503 : 400,
    again: { path: beginningOf(basePath, link), label: connect.tryAgain },
  });
};

/** The page for a browser whose authorization is not known here. */
export const lostPage = (basePath: string, request: Request, source: Source) => {
  const language = negotiateLanguage(request.headers.get("accept-language"));
  const { connect } = languages[language];
  return messagePage({
    language,
    basePath,
    title: fill(connect.failedTitle, { source: source.name }),
    lead: connect.failures.lost,
    status: 400,
  });
};

/** The page for an account that is linked. */
export const linkedPage = (
  basePath: string,
  language: Language,
  source: Source,
  settings: unknown,
) => {
  const { connect: words } = languages[language];
  const { displayName, linkedUntil } = source.open(settings).account;
  return messagePage({
    language,
    basePath,
    title: fill(words.doneTitle, { source: source.name }),
    lead: fill(words.doneLead, { account: displayName ?? source.name }),
    status: 200,
    ...(linkedUntil !== undefined && {
      note: fill(words.doneUntil, {
        source: source.name,
        day: formatDay(language, linkedUntil),
      }),
    }),
  });
};

/** The page for who would sign in with an account that no user here has linked. */
export const unknownPage = (basePath: string, language: Language, source: Source) => {
  const { signIn } = languages[language];
  return messagePage({
    language,
    basePath,
    title: signIn.unknownTitle,
    lead: fill(signIn.unknownText, { source: source.name }),
    status: 403,
  });
};

/** The page for a magic link that no longer works. @param again where another one can be had */
export function endedPage(
  language: Language,
  basePath: string,
  again?: { readonly path: string; readonly label: string },
): Promise<Response> {
  const { endedTitle: title, endedText: lead } = languages[language].connect;
  return messagePage({ language, basePath, title, lead, status: 404, ...(again && { again }) });
}
