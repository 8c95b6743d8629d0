import type { ChatService } from "../chat/service.ts";
import type { Parts } from "../http/parts.ts";
import type { HooksFeature } from "../hooks/feature.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Live } from "../overlay/live.ts";
import { SECTION_NAMES, type SectionName } from "../html/section-paths.ts";
import type { Section } from "./request.ts";
import type { Presenter } from "./state.ts";

/** What sections are made of; each takes what it needs. */
export interface SectionParts extends Parts {
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  readonly live: Live;
  readonly hooks: HooksFeature;
  /** Loads what links accounts at chat services. */
  readonly chat: () => Promise<ChatService>;
  readonly presenter: Presenter;
}

/** Loads a section's code on first use, so that a server with an unused dashboard saves the memory. */
type LoadSection = () => Promise<{ createSection(parts: SectionParts): Section }>;

/** The one list of sections. Their names are in the words, their paths in `html/section-paths.ts`. */
const SECTIONS: Readonly<Record<SectionName, LoadSection>> = {
  nowPlaying: () => import("./now-playing.tsx"),
  music: () => import("./music/music.ts"),
  widget: () => import("./widgets/widget.tsx"),
  history: () => import("./history/history.tsx"),
  hooks: () => import("./hooks/hooks.tsx"),
  chat: () => import("./chat/chat.tsx"),
  keys: () => import("./people/keys.tsx"),
  privacy: () => import("./people/privacy.tsx"),
  account: () => import("./people/account.tsx"),
  server: () => import("./server/server.tsx"),
};

export async function createSections(
  parts: SectionParts,
): Promise<Readonly<Record<SectionName, Section>>> {
  const created = SECTION_NAMES.map(async (name) => {
    const { createSection } = await SECTIONS[name]();
    return [name, createSection(parts)] as const;
  });
  return Object.fromEntries(await Promise.all(created)) as Record<SectionName, Section>;
}
