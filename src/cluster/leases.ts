import { atMost, type Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import type { Bus } from "./bus.ts";
import type { Node } from "./message.ts";

/** Users are leased in shards: a lease for each of them would be written thousands of times. */
export const SHARDS = 256;
export const shardOf = (userId: number): number => userId % SHARDS;

const BEAT_EVERY_MS = 2_000;
/** A beat that failed is tried again sooner, as everything waits for it. */
const RETRY_MS = 500;
/** A beat without an answer has failed: a connection may swallow what is sent. */
const BEAT_TAKES_AT_MOST_MS = 3_000;
/**
 * How long the table keeps a shard for a node after its beat. The functions in `drizzle/postgres`
 * have this time and the number of shards too: a test compares them.
 */
export const HOLD_MS = 8_000;
/** The node itself stops this much sooner. */
const MARGIN_MS = 1_000;
/** The users of a shard that is given are not watched for a moment, so not all are given at once. */
const GIVEN_AT_ONCE = 8;
const SHARE_GIVEN_AT_ONCE = 1 / 4;

/** How many users of each upstream a node watches for subscribers, by the upstream's name. */
export type Watched = Readonly<Record<string, number>>;

export interface Beat {
  readonly node: Node;
  /** Shards that the node watches no more and gives back. */
  readonly give: readonly number[];
  readonly watched: Watched;
}

/** What the table of leases has after a beat. */
export interface Standing {
  /** All nodes whose last beat is young enough, the asking one too. */
  readonly nodes: readonly { readonly name: Node; readonly watched: Watched }[];
  /** The shards that this node holds, with the terms of their leases. */
  readonly held: ReadonlyMap<number, number>;
  /** The newest term of each shard. */
  readonly terms: readonly number[];
}

/** The one table of leases. Only its own clock counts. */
export interface LeaseTable {
  /**
   * In one transaction: notes that the node lives, renews its leases, and gives back, or takes what is
   * free up to its share.
   */
  beat(beat: Beat): Promise<Standing>;
  /** Gives everything back, and forgets the node. */
  leave(node: Node): Promise<void>;
}

/** Which users this node watches. */
export interface Leases {
  /** The term of a shard's lease while this node may watch its users. */
  termOf(shard: number): number | undefined;
  /** Whether this node may watch a user. */
  isOurs(userId: number): boolean;
  /** The newest term of a shard that is known to this node, whoever holds it. */
  newestTermOf(shard: number): number;
  /** Whether the last beat is young enough to hold anything. */
  readonly standing: boolean;
  /** How often that has ended and begun again, noticed in between or not. */
  readonly lapses: number;
  /** The nodes that live, as of the last beat. */
  readonly nodes: readonly Node[];
  /** How many shards this node may watch. */
  held(): number;
  /** How many users of an upstream other nodes watch for subscribers, as of the last beat. */
  watchedElsewhere(upstream: string): number;
  /** Beats now. Resolves after a beat that began after the call: whether it succeeded. */
  beat(): Promise<boolean>;
  /** Calls back after each beat, and when the leases have ended without one. */
  onChange(listener: () => void): void;
  /** Stops watching and gives everything back, once, as far as the database answers in time. */
  release(): Promise<void>;
}

export interface LeasesDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "error">;
  readonly bus: Pick<Bus, "node" | "onMessage" | "send">;
  readonly table: LeaseTable;
  /** What this node watches now. */
  watched(): Watched;
}

const NOTHING: Standing = { nodes: [], held: new Map(), terms: [] };

/** Beats from now on. */
export function createLeases({ clock, log, bus, table, watched }: LeasesDeps): Leases {
  const { node } = bus;
  const listeners: (() => void)[] = [];
  let standing = NOTHING;
  let lapses = 0;
  /** Monotonic. */
  let holdsUntilMs = -Infinity;
  /** Shards that are no longer watched and go with the next beat. */
  let giving: readonly number[] = [];
  let beating: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  let cancelBeat = () => {};
  let cancelEnd = () => {};
  let isReleased = false;
  let released: Promise<void> | undefined;
  let isFailing = false;

  const isStanding = () => clock.monotonicMs() < holdsUntilMs;
  const changed = () => {
    for (const listener of listeners) listener();
  };

  /** When to beat again, in milliseconds; `undefined` when this beat has failed. */
  const beatOnce = async (): Promise<number | undefined> => {
    const sentAtMs = clock.monotonicMs();
    const given = giving;
    try {
      const beaten = table.beat({ node, give: given, watched: watched() });
      const answer = await atMost(clock, BEAT_TAKES_AT_MOST_MS, beaten);
      if (!answer) throw new Error("the database did not answer in time");
      if (isReleased) return BEAT_EVERY_MS;
      if (isFailing) log.info("the table of leases answers again");
      isFailing = false;
      if (!isStanding()) lapses += 1;
      const taken = [...answer.held].filter(([shard, term]) => standing.held.get(shard) !== term);
      if (taken.length > 0) bus.send(["holds", taken]);
      if (given.length > 0) bus.send(["resigned"]);
      standing = answer;
      holdsUntilMs = sentAtMs + HOLD_MS - MARGIN_MS;
      giving = [];
      const excess = standing.held.size - Math.ceil(SHARDS / Math.max(1, standing.nodes.length));
      if (excess > 0) {
        const most = Math.max(GIVEN_AT_ONCE, Math.ceil(excess * SHARE_GIVEN_AT_ONCE));
        giving = [...standing.held.keys()].slice(0, Math.min(excess, most));
      }
      cancelEnd();
      cancelEnd = clock.after(Math.max(0, holdsUntilMs - clock.monotonicMs()), changed);
      changed();
      // What is watched no more is given at once; more of it goes with the next beat.
      return giving.length > 0 && given.length === 0 ? 0 : BEAT_EVERY_MS;
    } catch (error) {
      if (!isFailing) {
        log.error("the table of leases cannot be reached", { reason: describeError(error) });
      }
      isFailing = true;
      return undefined;
    }
  };

  const beatAndPlan = async (): Promise<boolean> => {
    cancelBeat();
    const againInMs = await beatOnce();
    if (!isReleased) cancelBeat = clock.after(againInMs ?? RETRY_MS, () => void beat());
    return againInMs !== undefined;
  };

  const start = () => {
    beating = beatAndPlan().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  /** A beat that is under way may have read the table already, so another one follows it. */
  const beat = (): Promise<boolean> => {
    if (!beating) return start();
    next ??= beating.then(() => {
      next = undefined;
      return isReleased ? false : start();
    });
    return next;
  };

  const leave = async () => {
    await beating;
    await table.leave(node);
    bus.send(["resigned"]);
  };

  const release = async () => {
    isReleased = true;
    cancelBeat();
    cancelEnd();
    changed();
    const left = leave().catch((error: unknown) =>
      log.error("leases could not be given back", { reason: describeError(error) }),
    );
    await atMost(clock, BEAT_TAKES_AT_MOST_MS, left);
  };

  bus.onMessage(([kind], from) => {
    if (kind === "resigned" && from !== node && !isReleased) void beat();
  });
  void beat();

  const isHeld = (shard: number) => !isReleased && isStanding() && !giving.includes(shard);
  const termOf = (shard: number) => (isHeld(shard) ? standing.held.get(shard) : undefined);

  return {
    termOf,
    isOurs: (userId) => termOf(shardOf(userId)) !== undefined,
    newestTermOf: (shard) => standing.terms[shard] ?? 0,
    get standing() {
      return isStanding();
    },
    get lapses() {
      return lapses;
    },
    get nodes() {
      return standing.nodes.map(({ name }) => name);
    },
    held: () => (isStanding() ? standing.held.size - giving.length : 0),
    watchedElsewhere: (upstream) =>
      standing.nodes.reduce(
        (sum, { name, watched: theirs }) => sum + (name === node ? 0 : (theirs[upstream] ?? 0)),
        0,
      ),
    beat,
    onChange: (listener) => void listeners.push(listener),
    release: () => (released ??= release()),
  };
}
