import type { Language } from "../languages.ts";
import type { Source } from "../sources/source.ts";
import { bundledDocuments, bundledPictures } from "./bundle.ts" with { type: "macro" };

/** The page that is generated from the API's description. All others are Markdown. */
export const REFERENCE = "reference";

/** The quick start of each system. A reader reads one of them. */
export const SYSTEM_PAGES = [
  "quick-start-windows",
  "quick-start-macos",
  "quick-start-linux",
] as const;

/** The pages in reading order, by what readers want to do. A folded group is for fewer readers. */
export const GROUPS = [
  {
    name: "use",
    isFolded: false,
    pages: [
      "quick-start",
      ...SYSTEM_PAGES,
      "sources",
      "widget",
      "looks",
      "two-computers",
      "chat",
      "cards",
      "files",
      "privacy",
      "troubleshooting",
      "faq",
    ],
  },
  {
    name: "run",
    isFolded: true,
    pages: ["install", "users", "reach", "backup", "capacity", "security", "monitoring"],
  },
  {
    name: "lookup",
    isFolded: true,
    pages: ["settings", "commands", "options", "api", REFERENCE, "words"],
  },
] as const;
export type Group = (typeof GROUPS)[number];
export type PageName = Group["pages"][number];

export const PAGES: readonly PageName[] = GROUPS.flatMap(({ pages }) => pages);

/** A page in Markdown: one of the groups, or that of a source. */
export type DocumentName = Exclude<PageName, typeof REFERENCE> | `sources/${string}`;

const documents = bundledDocuments();
const pictures = bundledPictures();

export const isPageName = (text: string): text is PageName => PAGES.some((name) => name === text);

export const sourcePageOf = ({ id }: Pick<Source, "id">): DocumentName => `sources/${id}`;

/** A page's Markdown. */
export function markdownOf(language: Language, name: DocumentName): string {
  const markdown = documents[`${language}/${name}`];
  if (markdown === undefined) throw new Error(`there is no ${name} in ${language}`);
  return markdown;
}

/** A page's title: its first heading. */
export const documentTitle = (language: Language, name: DocumentName): string =>
  /^# (.+)$/m.exec(markdownOf(language, name))?.[1] ?? name;

/** The file of the same picture for dark pages, such as `../pictures/music-dark.webp`. */
export function darkPictureOf(src: string): string | undefined {
  const dark = src.replace(/\.webp$/, "-dark.webp");
  return Object.hasOwn(pictures, dark.replace(/^.*\//, "")) ? dark : undefined;
}

/** A picture of the documentation, such as `recipe-1.webp`. */
export function pictureNamed(name: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = Object.hasOwn(pictures, name) ? pictures[name] : undefined;
  return base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, "base64"));
}
