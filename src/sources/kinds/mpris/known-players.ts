import type { Clock } from "../../../clock.ts";
import { isRecord, textOf } from "../../../upstream/json.ts";
import { afterSeek, createSeek, type Seek, SEEK_SETTLES_MS } from "./seek.ts";

/** What a player reports of itself, by property name; not checked. */
export type PlayerProperties = Readonly<Record<string, unknown>>;

/** What a player has reported. */
export interface PlayerState {
  /** Its name on the bus without `org.mpris.MediaPlayer2.`, such as `chromium.instance42`. */
  readonly name: string;
  /** The player's name for people. */
  readonly identity: string | undefined;
  readonly properties: PlayerProperties;
  /** Monotonic time at which the properties were read, in milliseconds. */
  readonly observedAtMs: number;
}

export const PREFIX = "org.mpris.MediaPlayer2.";
export const PATH = "/org/mpris/MediaPlayer2";
export const PLAYER = "org.mpris.MediaPlayer2.Player";
export const PROPERTIES = "org.freedesktop.DBus.Properties";

/** It passes on what another player reports. */
const REPEATING_PLAYER = "playerctld";
/** No player signals its position, so playing ones are asked again: one may have stalled. */
const RESYNC_MS = 10_000;
/** A player signals a few changes at once, and a browser 40 a second while it loads a stream: half of these are read. */
const BETWEEN_READS_MS = 50;

interface Player {
  /** Signals carry this name of its connection. */
  readonly owner: string;
  /** `undefined` until it has answered, `null` when it does not answer. */
  state: PlayerState | null | undefined;
  reading: "no" | "yes" | "again";
  /** Its last seek, until that has settled. */
  seek: Seek | undefined;
}

export interface PlayersDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Runs a task later, unless the bus has been lost by then. */
  after(ms: number, task: () => void): void;
  /** Calls a method of an object on the bus. */
  call(
    destination: string,
    path: string,
    on: string,
    member: string,
    ...body: string[]
  ): PromiseLike<unknown>;
  hasEnded(): boolean;
  /** A player has changed, come or gone. */
  onChange(): void;
}

/** The players on a bus, each read again when it has changed. */
export function createPlayers({ clock, after, call, hasEnded, onChange }: PlayersDeps) {
  const known = new Map<string, Player>();

  const ask = async (name: string, player: Player): Promise<PlayerState | null> => {
    const get = (member: string, ...body: string[]) =>
      call(PREFIX + name, PATH, PROPERTIES, member, ...body);
    const [properties, identity] = await Promise.all([
      get("GetAll", PLAYER),
      // It is only a name to show.
      player.state?.identity ??
        get("Get", "org.mpris.MediaPlayer2", "Identity").then(undefined, () => ""),
    ]);
    if (!isRecord(properties)) return null;
    const observedAtMs = clock.monotonicMs();
    return {
      name,
      identity: textOf(identity),
      properties: player.seek ? afterSeek(player.seek, properties, observedAtMs) : properties,
      observedAtMs,
    };
  };

  const read = async (name: string, player: Player): Promise<void> => {
    if (player.reading !== "no") {
      player.reading = "again";
      return;
    }
    player.reading = "yes";
    const state = await ask(name, player).catch(() => null);
    if (hasEnded() || known.get(name) !== player) return;
    player.state = state;
    onChange();
    after(BETWEEN_READS_MS, () => {
      const isOutdated = player.reading === "again";
      player.reading = "no";
      if (isOutdated) void read(name, player);
    });
  };

  /** A name on the bus has got this owner, or none. */
  const own = (ownedName: unknown, newOwner: unknown) => {
    const busName = textOf(ownedName);
    if (!busName?.startsWith(PREFIX)) return;
    const name = busName.slice(PREFIX.length);
    if (name === REPEATING_PLAYER || name.startsWith(`${REPEATING_PLAYER}.`)) return;
    const owner = textOf(newOwner);
    if (owner === undefined) {
      if (known.delete(name)) onChange();
      return;
    }
    // VLC has two names for the same player.
    if ([...known.values()].some((player) => player.owner === owner)) return;
    const player: Player = { owner, state: undefined, reading: "no", seek: undefined };
    known.set(name, player);
    void read(name, player);
  };

  /** Reads a player again when its last seek has settled. Of many seeks, one waits. */
  const readSettled = (name: string, player: Player, waitMs = SEEK_SETTLES_MS): void =>
    after(waitMs, () => {
      if (known.get(name) !== player || !player.seek) return;
      const leftMs = player.seek.atMs + SEEK_SETTLES_MS - clock.monotonicMs();
      if (leftMs > 0) return readSettled(name, player, leftMs);
      player.seek = undefined;
      void read(name, player);
    });

  /** Reads those that play, now and from then on. */
  const readPlayingAgain = () => {
    after(RESYNC_MS, readPlayingAgain);
    for (const [name, player] of known) {
      if (!player.state || player.state.properties["PlaybackStatus"] === "Playing") {
        void read(name, player);
      }
    }
  };

  return {
    /** Those that have answered. */
    states: (): readonly PlayerState[] => [...known.values()].flatMap(({ state }) => state ?? []),
    /** Whether some have not answered yet. */
    areAwaited: () => [...known.values()].some(({ state }) => state === undefined),
    own,
    /** The player with this connection has changed. */
    changed(owner: string | undefined) {
      for (const [name, player] of known) if (player.owner === owner) void read(name, player);
    },
    /** The player with this connection has signalled a seek to a position in microseconds. */
    sought(owner: string | undefined, position: unknown) {
      const seek = createSeek(position, clock.monotonicMs());
      for (const [name, player] of known) {
        if (player.owner !== owner) continue;
        if (seek && !player.seek) readSettled(name, player);
        player.seek = seek ?? player.seek;
        void read(name, player);
      }
    },
    readPlayingAgain,
  };
}
