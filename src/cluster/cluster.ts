import type { LedgerOf } from "../sources/polling/ledger.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Artwork } from "../playback.ts";
import type { Bus } from "./bus.ts";
import type { Leases } from "./leases.ts";
import type { ArtworkReference } from "./message.ts";
import type { Relay, RelayDeps } from "./relay.ts";
import type { SharedInboxDeps } from "./shared-inbox.ts";

/** What a server shares with the others that use the same database. */
export interface Cluster {
  readonly bus: Bus;
  readonly leases: Leases;
  /** Counts calls to upstreams that limit all nodes together. */
  readonly ledgerOf: LedgerOf;
  /** Counts calls of the API; the API names them. */
  readonly admissions: { admit(name: string, everyMs: number): Promise<number> };
  readonly pictures: Pictures;
  createRelay(deps: Omit<RelayDeps, "bus" | "leases">): Relay;
  shareInbox(own: Inbox, deps: Pick<SharedInboxDeps, "artworkFrom" | "keep">): Inbox;
  /** Gives the leases back, and leaves. */
  close(): Promise<void>;
}

/** A cover with the name under which it is served. */
export interface NamedArtwork {
  readonly id: string;
  readonly artwork: Artwork;
}

/** Covers that any node can draw, whichever has got them. */
export interface Pictures {
  /**
   * Keeps the covers that a user's music shows now, sooner or later. Where another node has the
   * bytes, it is asked to keep them.
   */
  keep(userId: number, artworks: readonly NamedArtwork[]): void;
  /** A cover by the name under which it is served; `undefined` for one that nobody has kept. */
  find(id: string): Promise<Artwork | undefined>;
  /** A cover that another node has named. */
  received(id: string, artwork: ArtworkReference): Artwork;
}
