import { decodeHTML } from "entities/decode";
import { docsAddress } from "../addresses.ts";
import type { Language } from "../languages.ts";
import type { SearchEntry } from "./browser/search.ts";
import { type DocumentName, documentTitle } from "./documents.ts";
import type { RenderedMarkdown } from "./render-markdown.ts";

/** The parts of a page, as entries of the search index. */
export function searchEntriesOf(
  language: Language,
  basePath: string,
  name: DocumentName,
  { html, keywords }: RenderedMarkdown,
): SearchEntry[] {
  const page = documentTitle(language, name);
  const address = docsAddress(basePath, language, name);
  return html.split(/(?=<h[23] id=)/).map((part) => {
    const anchor = /^<h[23] id="([^"]+)"/.exec(part)?.[1];
    const [head = "", ...rest] = part.split(/<\/h[1-6]>/);
    return {
      page,
      heading: plain(head),
      address: anchor ? `${address}#${anchor}` : address,
      text: plain(rest.join(" ")),
      keywords: plain(keywords.get(anchor ?? "") ?? ""),
    };
  });
}

/** The text of HTML, without elements and entities. Each paragraph, item and row has its own line. */
function plain(html: string): string {
  const text = html
    .replace(/\s+/g, " ")
    .replace(/<\/t[dh]>\s*(?=<t[dh])/g, " · ")
    .replace(/<(?:\/(?:p|li|tr|pre)|ul|ol)>/g, "\n")
    // The picture of a dialog has words for those who see it only.
    .replace(/<figure.*?<\/figure>/g, "")
    .replace(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ");
  return decodeHTML(text)
    .replace(/[^\S\n\u00a0]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}
