import { languages } from "../i18n/index.ts";
import { messagePage } from "./message-page.tsx";
import { languageOf } from "./page.ts";

const RETRY_AFTER_SECONDS = 1;

/** The page shown when another program locked the database and the request failed. */
export function createBusy(basePath: string) {
  return (path: string): Promise<Response> => {
    const language = languageOf(path);
    const { busy } = languages[language];
    return messagePage({
      language,
      basePath,
      title: busy.title,
      lead: busy.text,
      status: 503,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  };
}
