import type { Running } from "../actions/action.ts";
import type { Parts } from "../http/parts.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Section } from "./request.ts";
import type { Present } from "./state.ts";
import type { SectionName } from "../html/section-paths.ts";

/** What sections are made of; each takes what it needs. */
export interface SectionParts extends Parts, Pick<Running, "live" | "hooks" | "chat"> {
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  readonly present: Present;
}

/** Makes the sections, each by its name. */
export type CreateSections = (
  parts: SectionParts,
) => Promise<Readonly<Record<SectionName, Section>>>;
