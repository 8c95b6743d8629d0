import type { HubRelay } from "../channels/hub.ts";
import type { WatcherDeps } from "../channels/watcher.ts";
import type { Admissions } from "../http/rate-limit.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { GaugeName } from "../metrics.ts";
import type { Artwork, Playback } from "../playback.ts";
import type { LedgerOf } from "../sources/polling/ledger.ts";

/** What a server shares with the others that use the same database. One server is a cluster too. */
export interface Cluster {
  /** Whether the other nodes receive what this one sends. */
  isUp(): boolean;
  /** Whether this node, of all, watches a user's music. */
  isOurs(userId: number): boolean;
  /** Calls back when this node may watch others than before. */
  onShift(listener: () => void): void;
  /** Counts calls to upstreams that limit all nodes together. */
  readonly ledgerOf: LedgerOf;
  /** Counts calls of the API; the API names them. */
  readonly admissions: Admissions;
  /** Finds a cover by the name under which it is served; `undefined` for one that nobody has kept. */
  findArtwork(id: string): Promise<Artwork | undefined>;
  /** Keeps a cover that a user's music shows and only this node has got, so that others find it. */
  keepArtwork(userId: number, artwork: Artwork): void;
  /** The inboxes of all nodes as one. */
  shareInbox(own: Inbox): Inbox;
  createRelay(deps: RelayDeps): Relay;
  /** Gives this node's users to others. */
  release(): Promise<void>;
  /** Gives this node's users to others, and leaves. */
  close(): Promise<void>;
}

export interface RelayDeps extends WatcherDeps {
  /** The ids of the user's connections that are not refused, in the user's order. */
  connectionIdsOf(userId: number): Promise<readonly number[]>;
}

/** Gets each user's music where it is watched, and brings all of a user's overlays together. */
export interface Relay extends HubRelay, OnStreamCounts {
  /** Shows a track on all of a user's overlays for `ms` milliseconds, on all nodes. */
  show(userId: number, playback: Playback, ms: number): void;
  onShow(listener: (userId: number, playback: Playback, ms: number) => void): void;
  /** Shows a widget's overlays on demand for so many milliseconds, on all nodes; 0 hides them. */
  showOnDemand(widgetId: number, ms: number): void;
  onDemand(listener: (widgetId: number, ms: number) => void): void;
  readonly gauges: Readonly<Partial<Record<GaugeName, () => number>>>;
  /** Stops watching. */
  stop(): void;
}

/** How many of a user's overlays are on stream. */
export interface OnStreamCounts {
  /** Sets how many overlays of a user are on stream on this node. */
  setOnStream(userId: number, count: number): void;
  /** How many are on all nodes. */
  onStream(userId: number): number;
  /** Calls back when that may have changed. */
  onStreamChange(listener: (userId: number) => void): void;
}
