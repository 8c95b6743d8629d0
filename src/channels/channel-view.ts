import { isSharingPaused, type PrivacyRules } from "../accounts/privacy.ts";
import type { Clock } from "../clock.ts";
import type { Artwork, Playback } from "../playback.ts";
import { withShownNames } from "../titles/shown-names.ts";
import type { KnownConnection } from "./connection-state.ts";
import { CurrentReading } from "./current-reading.ts";
import { merge, outdatedAt, reportedBy } from "./merge.ts";
import { nextChangeAt, type Now, type Reading, readingAt } from "./reading.ts";
import type { Scope } from "./subscribers.ts";
import type { UnreadableCovers } from "./unreadable-covers.ts";

/** What one connection of a user reports. */
export interface ConnectionReading {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  /** Its playback, hidden or not; `undefined` until it has reported anything. */
  readonly playback: Playback | null | undefined;
  /** Whether it is the one that is shown, unless the user hides it. */
  readonly isShown: boolean;
}

/** What the views of all channels share. */
export interface ChannelViewDeps {
  readonly clock: Clock;
  /** What the user does not want to be shown. */
  privacyOf(userId: number): PrivacyRules;
  /** The cover that was found elsewhere for a song that others are shown. */
  foundCover(userId: number, playback: Playback): Artwork | undefined;
  readonly unreadable: UnreadableCovers;
}

/** What is viewed. */
export interface Viewed {
  readonly userId: number;
  /** In the user's order; `undefined` before they are known. */
  readonly connections: readonly KnownConnection[] | undefined;
  /** Since when somebody follows every change (monotonic); `undefined` while nobody does. */
  readonly watchedSinceMs: number | undefined;
}

type PlaybackReading = Extract<Reading, { kind: "playback" }>;

/** A user's connections as they are now: pure readings at the clock's time. A class, because there is one for each user. */
export class ChannelView {
  readonly current = new CurrentReading();
  private readonly viewed: Viewed;
  private readonly deps: ChannelViewDeps;
  /** The last playback that got a cover: the same one stays the same object. */
  private covered: { readonly of: Playback; readonly shown: Playback } | undefined;

  constructor(viewed: Viewed, deps: ChannelViewDeps) {
    this.viewed = viewed;
    this.deps = deps;
  }

  /** The current reading; `undefined` before the first report. */
  read(): Reading | undefined {
    return this.withCover(readingAt(this.viewed.connections, this.rules(), this.now()));
  }

  /** The same, but `undefined` also when a source has to be polled again before it is used. */
  peek(): Reading | undefined {
    const now = this.now();
    const connections = this.viewed.connections;
    // While somebody follows every change, sources are polled anyway.
    const untilMs =
      connections && now.watchedSinceMs === undefined
        ? outdatedAt(connections, now.nowMs)
        : Infinity;
    if (now.nowMs > untilMs) return undefined;
    const rules = this.rules();
    const reading = this.withCover(readingAt(connections, rules, now));
    // The wait for a retry and the end of a pause by the wall clock are worked out each time.
    const changesByItself = reading?.kind === "unavailable" || rules.pausedUntil !== null;
    if (changesByItself) this.current.forget();
    else {
      const changesAtMs = nextChangeAt(connections, rules, now) ?? Infinity;
      this.current.keep(reading, Math.min(untilMs, changesAtMs));
    }
    return reading;
  }

  /** For how long the reading stays as it is unless a source reports; `undefined`: for ever. */
  changesInMs(): number | undefined {
    const now = this.now();
    const atMs = nextChangeAt(this.viewed.connections, this.rules(), now);
    return atMs === undefined ? undefined : Math.ceil(atMs - now.nowMs);
  }

  /** The playback that is shown unless the user hides it; `undefined` while too little is known. */
  rawPlayback(): Playback | null | undefined {
    const reading = this.merged();
    if (reading?.kind !== "playback") return reading && null;
    const playback = this.shown(reading.playback, reading.connectionId);
    // Nothing is looked for here: the user may hide this song.
    return this.coveredAs({ ...reading, playback }) ?? playback;
  }

  /** What each connection reports, in the user's order. */
  reports(): ConnectionReading[] {
    const now = this.now();
    const reading = this.merged();
    const shown = reading?.kind === "playback" ? reading : undefined;
    return (this.viewed.connections ?? []).map((connection) => ({
      connectionId: connection.connectionId,
      playback: this.shown(reportedBy(connection, now), connection.connectionId),
      isShown: shown !== undefined && shown.connectionId === connection.connectionId,
    }));
  }

  /** The merged reading, hidden or not; `undefined` while too little is known. */
  private merged(): Reading | undefined {
    const connections = this.viewed.connections;
    return connections && merge(connections, this.now());
  }

  /** Everything that a scope sees of a reading, as text to compare. */
  textOf(reading: Reading, scope: Scope): string {
    const shown = reading.kind === "playback" ? JSON.stringify(reading.playback) : reading.kind;
    if (scope === "shown") return shown;
    if (scope === "all") {
      const isPaused = isSharingPaused(this.rules(), this.deps.clock.wallMs());
      return JSON.stringify([shown, this.reports(), isPaused]);
    }
    return reading.kind === "nothing" ? `${shown} ${reading.hides ?? ""}` : shown;
  }

  /** The song that plays and others are shown, if a cover is to be looked for elsewhere. */
  coverless(): Playback | undefined {
    const reading = this.read();
    if (reading?.kind !== "playback" || !this.wantsCover(reading)) return undefined;
    const { playback } = reading;
    return playback.state === "playing" && playback !== this.covered?.shown ? playback : undefined;
  }

  /** Whether the user wants a cover from elsewhere: the player has none, or it is to be replaced. */
  private wantsCover({ playback, connectionId }: PlaybackReading): boolean {
    const { searchesCovers, replacesCoversOf } = this.rules();
    const isReplaced = connectionId !== undefined && replacesCoversOf.has(connectionId);
    return searchesCovers && (isReplaced || playback.album.artworks.length === 0);
  }

  /** Without covers that cannot be shown, and with one that was found elsewhere, where the user wants that. */
  private withCover(given: Reading | undefined): Reading | undefined {
    if (given?.kind !== "playback") return given;
    const { unreadable } = this.deps;
    const playback = unreadable.leftOut(given.playback);
    const reading = playback === given.playback ? given : { ...given, playback };
    if (!this.wantsCover(reading)) return reading;
    const { album } = playback;
    const before = this.coveredAs(reading);
    if (before) return { ...reading, playback: before };
    const found = this.deps.foundCover(this.viewed.userId, playback);
    if (!found || unreadable.has(found)) return reading;
    const shown = { ...playback, album: { ...album, artworks: [found] } };
    this.covered = { of: playback, shown };
    return { ...reading, playback: shown };
  }

  /** A playback with the cover that was found for it. */
  private coveredAs(reading: PlaybackReading): Playback | undefined {
    const { of, shown } = this.covered ?? {};
    const isCovered = of === reading.playback && this.wantsCover(reading);
    return isCovered && !shown?.album.artworks.some(this.deps.unreadable.has) ? shown : undefined;
  }

  /** Under the names that the user wants, without covers that cannot be shown. */
  private shown<Reported extends Playback | null | undefined>(
    playback: Reported,
    connectionId: number | undefined,
  ): Reported | Playback {
    if (!playback) return playback;
    const named = withShownNames(playback, connectionId, this.rules().titles);
    return this.deps.unreadable.leftOut(named);
  }

  private rules(): PrivacyRules {
    return this.deps.privacyOf(this.viewed.userId);
  }

  private now(): Now {
    const { clock } = this.deps;
    return {
      nowMs: clock.monotonicMs(),
      wallMs: clock.wallMs(),
      watchedSinceMs: this.viewed.watchedSinceMs,
    };
  }
}
