import type { Texts } from "../../actions/action.ts";
import type { DashboardRequest } from "../../dashboard/request.ts";
import type { Parts } from "../../http/parts.ts";
import type { Inbox } from "../../ingest/inbox.ts";
import type { Playback } from "../../playback.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { TitleRules } from "../../titles/shown-names.ts";

export interface MusicDeps extends Parts {
  /** What other programs have pushed. */
  readonly inbox: Pick<Inbox, "postOf">;
}

/** Rules that are not saved yet, and the songs that they are tried on. */
export interface TriedTitles {
  readonly typed: Texts;
  readonly rules: TitleRules;
  readonly songs: readonly Pick<Playback, "track" | "artists" | "given" | "namesFrom">[];
}

/** What the parts of the page are drawn from. */
export interface MusicView {
  readonly deps: MusicDeps;
  readonly request: DashboardRequest;
  /** The user's connections in their order. */
  readonly music: readonly ConnectedMusic[];
  readonly tried: TriedTitles | undefined;
}
