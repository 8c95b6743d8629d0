import { dashboardAddress } from "../addresses.ts";
import type { Words } from "../i18n/index.ts";
import type { Language } from "../languages.ts";

/** To add a section, first add its name to the words. */
export type SectionName = keyof Words["dashboard"]["sections"];

/** The dashboard's sections in the order of its navigation, with their paths below the dashboard's. */
const PATHS: Readonly<Record<SectionName, string>> = {
  nowPlaying: "",
  music: "/music",
  widget: "/widget",
  history: "/history",
  chat: "/chat",
  hooks: "/hooks",
  keys: "/keys",
  privacy: "/privacy",
  account: "/account",
  server: "/server",
};

export const SECTION_NAMES = Object.keys(PATHS) as readonly SectionName[];

/** The path of a section below the language. */
export const sectionPath = (section: SectionName): string => `dashboard${PATHS[section]}`;

/** The path of a section in the request's language. */
export const pathTo = (
  { basePath, language }: { readonly basePath: string; readonly language: Language },
  section: SectionName,
): string => dashboardAddress(basePath, language, PATHS[section]);
