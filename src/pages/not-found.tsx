import { Html } from "../jsx.ts";
import { isLanguage, type Language, languages } from "../i18n/index.ts";
import { Document, htmlResponse } from "./html.tsx";

/** The page behind every address that leads nowhere, in the language that the path starts with. */
export function createNotFound(basePath: string) {
  return (path: string): Promise<Response> => {
    const language = languageOf(path, basePath);
    return htmlResponse(<NotFoundPage language={language} basePath={basePath} />, 404);
  };
}

function NotFoundPage({
  language,
  basePath,
}: {
  language: Language;
  basePath: string;
}): JSX.Element {
  const { notFound } = languages[language];
  return (
    <Document language={language} title={notFound.title} path="" basePath={basePath}>
      <>
        <h1 safe>{notFound.title}</h1>
        <p class="lead" safe>
          {notFound.text}
        </p>
      </>
    </Document>
  );
}

function languageOf(path: string, basePath: string): Language {
  const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  const first = below.split("/")[1] ?? "";
  return isLanguage(first) ? first : "en";
}
