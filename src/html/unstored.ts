import { languages } from "../i18n/index.ts";
import { messagePage } from "./message-page.tsx";
import { languageOf } from "./page.ts";

/** Seconds until the next try: a person has to make room on a disk. */
const RETRY_AFTER_SECONDS = 60;

/** The page shown when a request failed because the database takes no writes. */
export function unstoredPage(path: string, basePath: string): Promise<Response> {
  const language = languageOf(path);
  const { title, text } = languages[language].unstored;
  return messagePage({
    language,
    basePath,
    title,
    lead: text,
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
