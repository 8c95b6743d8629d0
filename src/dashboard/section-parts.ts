import type { ChatService } from "../chat/service.ts";
import type { HooksFeature } from "../hooks/feature.ts";
import type { Parts } from "../http/parts.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Live } from "../overlay/live.ts";
import type { Section } from "./request.ts";
import type { Presenter } from "./state.ts";
import type { SectionName } from "../html/section-paths.ts";

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

/** Makes the sections, each by its name. */
export type CreateSections = (
  parts: SectionParts,
) => Promise<Readonly<Record<SectionName, Section>>>;
