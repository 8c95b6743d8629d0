import { languages } from "../i18n/index.ts";
import { createKeptPages } from "./kept-pages.ts";
import { messagePage } from "./message-page.tsx";
import { languageOf } from "./page.ts";

const keep = createKeptPages();

/** The page for unknown addresses, in the language that the path starts with. */
export function notFoundPage(path: string, basePath: string): Promise<Response> {
  const language = languageOf(path);
  const { title, text: lead } = languages[language].notFound;
  const inPlaceOfOverlay = path.split("/")[2] === "widget";
  const page = { language, basePath, title, lead, status: 404, inPlaceOfOverlay };
  return keep([basePath, language, inPlaceOfOverlay].join(" "), () => messagePage(page));
}
