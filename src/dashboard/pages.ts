import { SECTION_NAMES, type SectionName } from "../html/section-paths.ts";
import type { Section } from "./request.ts";
import type { CreateSections, SectionParts } from "./section-parts.ts";

/** Loads a section's code on first use, so that a server with an unused dashboard saves the memory. */
type LoadSection = () => Promise<{ createSection(parts: SectionParts): Section }>;

/** The one list of sections. Their names are in the words, their paths in `html/section-paths.ts`. */
const SECTIONS: Readonly<Record<SectionName, LoadSection>> = {
  overlay: () => import("../overlay/page/index.tsx"),
  widget: () => import("../looks/page/widget.tsx"),
  music: () => import("../music/page/index.ts"),
  chat: () => import("../chat/page/index.tsx"),
  history: () => import("../music/page/history.tsx"),
  privacy: () => import("../accounts/page/privacy.tsx"),
  account: () => import("../accounts/page/account.tsx"),
  programs: () => import("../programs/page.tsx"),
  server: () => import("../accounts/page/server.tsx"),
};

export const createSections: CreateSections = async (parts) => {
  const created = SECTION_NAMES.map(async (name) => {
    const { createSection } = await SECTIONS[name]();
    return [name, createSection(parts)] as const;
  });
  return Object.fromEntries(await Promise.all(created)) as Record<SectionName, Section>;
};
