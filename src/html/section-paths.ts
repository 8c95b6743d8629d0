import { dashboardAddress } from "../addresses.ts";
import type { Words } from "../i18n/index.ts";
import type { Language } from "../languages.ts";

/** To add a section, first add its name to the words. */
export type SectionName = keyof Words["dashboard"]["sections"];

/** What the navigation leads to; the first of its sections is opened. */
export type EntryName = keyof typeof ENTRIES;

/** The dashboard's sections, with their paths below the dashboard's. */
const PATHS: Readonly<Record<SectionName, string>> = {
  overlay: "",
  widget: "/widget",
  music: "/music",
  chat: "/chat",
  history: "/history",
  privacy: "/settings/privacy",
  account: "/settings/account",
  programs: "/settings/programs",
  server: "/settings/server",
};

export const SECTION_NAMES = Object.keys(PATHS) as readonly SectionName[];

/** The navigation in its order, with the sections behind each entry. */
export const ENTRIES = {
  overlay: ["overlay", "widget"],
  music: ["music"],
  chat: ["chat"],
  history: ["history"],
  settings: ["privacy", "account", "programs", "server"],
} as const satisfies Readonly<Record<string, readonly [SectionName, ...SectionName[]]>>;

export const ENTRY_NAMES = Object.keys(ENTRIES) as readonly EntryName[];

/** Paths below the dashboard's that lead to a section: where it once was, and the first settings. */
export const LEADING_TO: Readonly<Record<string, SectionName>> = {
  "/settings": "privacy",
  "/privacy": "privacy",
  "/account": "account",
  "/keys": "programs",
  "/hooks": "programs",
  "/server": "server",
};

/** The path of a section below the language. */
export const sectionPath = (section: SectionName): string => `dashboard${PATHS[section]}`;

/** The path of a section in the request's language. */
export const pathTo = (
  { basePath, language }: { readonly basePath: string; readonly language: Language },
  section: SectionName,
): string => dashboardAddress(basePath, language, PATHS[section]);
