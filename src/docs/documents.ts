import type { Language } from "../languages.ts";
import { bundledDocuments, bundledPictures } from "./bundle.ts" with { type: "macro" };

/** The pages of the documentation, in reading order. */
export const DOCUMENTS = [
  "quick-start",
  "api",
  "widget",
  "chat",
  "cards",
  "sources",
  "running",
  "reach",
  "nodes",
  "privacy",
  "troubleshooting",
] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

const documents = bundledDocuments();
const pictures = bundledPictures();

export function isDocumentName(text: string): text is DocumentName {
  return DOCUMENTS.some((name) => name === text);
}

/** A page's Markdown. */
export function markdownOf(language: Language, name: DocumentName): string {
  const markdown = documents[`${language}/${name}`];
  if (markdown === undefined) throw new Error(`there is no ${name} in ${language}`);
  return markdown;
}

/** A picture of the documentation, such as `recipe-1.webp`. */
export function pictureNamed(name: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = Object.hasOwn(pictures, name) ? pictures[name] : undefined;
  return base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, "base64"));
}
