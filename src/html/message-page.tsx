import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import { copyScript } from "./assets.ts";
import { Document, htmlResponse } from "./html.tsx";
import { Copyable, Lead } from "./parts.tsx";

export interface MessagePageProps {
  readonly language: Language;
  readonly basePath: string;
  readonly title: string;
  readonly lead: string;
  readonly status: number;
  readonly retryAfterSeconds?: number;
  /** Streaming software shows it where an overlay belongs. */
  readonly inPlaceOfOverlay?: boolean;
  readonly note?: string;
  /** A command that helps. */
  readonly command?: string;
  /** What to do about it. */
  readonly again?: { readonly path: string; readonly label: string };
}

/** A page with one message, and what to do about it. */
export function messagePage(props: MessagePageProps): Promise<Response> {
  const { language, basePath, title, lead, note, command, again, status, retryAfterSeconds } =
    props;
  const inPlaceOfOverlay = props.inPlaceOfOverlay === true;
  const page = (
    <Document
      {...{ language, title, basePath, inPlaceOfOverlay }}
      path=""
      scripts={command === undefined ? [] : [copyScript.path]}
    >
      <h1 safe>{title}</h1>
      <Lead text={lead} />
      {note !== undefined && <p safe>{note}</p>}
      {command !== undefined && <Copyable language={language} text={command} />}
      {again !== undefined && (
        <p class="again">
          <a class={command === undefined ? "button" : "button quiet"} href={again.path} safe>
            {again.label}
          </a>
        </p>
      )}
    </Document>
  );
  return htmlResponse(page, {
    status,
    ...(inPlaceOfOverlay && { frameAncestors: "*" as const }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
