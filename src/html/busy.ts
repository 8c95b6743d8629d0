import { languages } from "../i18n/index.ts";
import { messagePage } from "./message-page.tsx";
import { languageOf } from "./page.ts";

/** Seconds until the next try: a lock is soon gone, and a person has to make room on a disk. */
const RETRY_AFTER_SECONDS = { busy: 1, unstored: 60 } as const;

/**
 * The page shown when a request failed because another program locked the database (`busy`), or
 * because its disk takes no writes (`unstored`).
 */
export function busyPage(
  path: string,
  basePath: string,
  why: keyof typeof RETRY_AFTER_SECONDS,
): Promise<Response> {
  const language = languageOf(path);
  const { title, text } = languages[language][why];
  return messagePage({
    language,
    basePath,
    title,
    lead: text,
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS[why],
  });
}
