import type { LedgerOf } from "../sources/polling/ledger.ts";
import type { Inbox } from "../ingest/inbox.ts";
import type { Artwork } from "../playback.ts";
import type { Bus } from "./bus.ts";
import type { Leases } from "./leases.ts";
import type { ToldArtwork } from "./message.ts";
import type { Relay, RelayDeps } from "./relay.ts";
import type { SharedInboxDeps } from "./shared-inbox.ts";

/** What a server shares with the others that use the same database. */
export interface Cluster {
  readonly bus: Bus;
  readonly leases: Leases;
  /** Counts calls to upstreams that limit all nodes together. */
  readonly ledgerOf: LedgerOf;
  /** Counts calls of the API; the API says what is asked of it. */
  readonly admissions: { admit(name: string, everyMs: number): Promise<number> };
  readonly pictures: Pictures;
  createRelay(deps: Omit<RelayDeps, "bus" | "leases">): Relay;
  shareInbox(own: Inbox, deps: Pick<SharedInboxDeps, "artworkFrom" | "keep">): Inbox;
  /** Gives the leases back, and leaves. */
  close(): Promise<void>;
}

/** Covers that any node can draw, whichever has heard of them. */
export interface Pictures {
  /** Keeps those that are not kept yet, by the names under which they are served. */
  keep(artworks: readonly { readonly id: string; readonly artwork: Artwork }[]): Promise<void>;
  /** A cover by the name under which it is served; `undefined` for one that nobody has kept. */
  find(id: string): Promise<Artwork | undefined>;
  /** A cover that another node has told of. */
  told(id: string, artwork: ToldArtwork): Artwork;
}
