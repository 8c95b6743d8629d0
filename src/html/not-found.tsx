import { Html } from "../jsx.ts";
import { languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Document, htmlResponse } from "./html.tsx";
import { languageOf } from "./page.ts";

/** The page for unknown addresses, in the language that the path starts with. */
export function notFoundPage(path: string, basePath: string): Promise<Response> {
  const language = languageOf(path);
  const inPlaceOfOverlay = path.split("/")[2] === "widget";
  const props = { language, basePath, inPlaceOfOverlay };
  return htmlResponse(<NotFound {...props} />, {
    status: 404,
    frameAncestors: inPlaceOfOverlay ? "*" : "'none'",
  });
}

interface NotFoundProps {
  readonly language: Language;
  readonly basePath: string;
  readonly inPlaceOfOverlay: boolean;
}

function NotFound(props: NotFoundProps): JSX.Element {
  const { notFound } = languages[props.language];
  return (
    <Document {...props} title={notFound.title} path="">
      <>
        <h1 safe>{notFound.title}</h1>
        <p class="lead" safe>
          {notFound.text}
        </p>
      </>
    </Document>
  );
}
