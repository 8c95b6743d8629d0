import type { Accounts } from "../accounts/accounts.ts";
import type { Hub } from "../channels/hub.ts";
import type { ChatService } from "../chat/service.ts";
import type { Clock } from "../clock.ts";
import type { ResolvedConfig } from "../config.ts";
import type { ProcessorBudget } from "../http/processor-budget.ts";
import type { SessionCookie } from "../http/session-cookie.ts";
import type { HooksFeature } from "../hooks/feature.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Sources } from "../sources/index.ts";
import type { Live } from "../overlay/live.ts";
import { SECTION_NAMES, type SectionName } from "../html/section-paths.ts";
import type { Section } from "./request.ts";
import type { Presenter } from "./state.ts";

/** The dependencies of all sections; each section uses those it needs. */
export interface SectionParts {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly sources: Sources;
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  readonly live: Live;
  readonly hooks: HooksFeature;
  /** Loads what links accounts at chat services. */
  readonly chat: () => Promise<ChatService>;
  readonly presenter: Presenter;
  readonly sessionCookie: SessionCookie;
  readonly clock: Clock;
  readonly budget: ProcessorBudget;
  /** The current settings and where each came from. */
  readonly settings: ResolvedConfig;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Has the server stop, after what it answers now. */
  stopServer(): void;
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
