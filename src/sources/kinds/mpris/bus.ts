import type { Message } from "dbus-native";
import type { Clock } from "../../../clock.ts";
import { isRecord, textOf } from "../../upstream/json.ts";
import { createInbox } from "../../upstream/inbox.ts";
import { BusLost } from "./bus-lost.ts";

/** The players on a D-Bus session bus: https://specifications.freedesktop.org/mpris-spec/latest/ */

/** What a player says of itself, by property name; not checked. */
export type PlayerProperties = Readonly<Record<string, unknown>>;

/** What a player has said. */
export interface PlayerState {
  /** Its name on the bus without `org.mpris.MediaPlayer2.`, such as `chromium.instance42`. */
  readonly name: string;
  /** The player's name for people. */
  readonly identity: string | undefined;
  readonly properties: PlayerProperties;
  /** Monotonic time at which the properties were read, in milliseconds. */
  readonly observedAtMs: number;
}

export interface PlayerBus {
  /** The players that have answered. */
  players(): readonly PlayerState[];
  /** Resolves when a player has changed, come or gone. @throws {BusLost} */
  nextChange(): Promise<void>;
  close(): void;
}

const PREFIX = "org.mpris.MediaPlayer2.";
const PATH = "/org/mpris/MediaPlayer2";
const PLAYER = "org.mpris.MediaPlayer2.Player";
const PROPERTIES = "org.freedesktop.DBus.Properties";
const BUS = "org.freedesktop.DBus";

/** It repeats what another player says. */
const ECHO = "playerctld";
const CONNECT_MS = 5_000;
/** A player that hangs is left out; the others are not waited for. */
const ANSWER_MS = 2_000;
/** Nor are they waited for when the source begins. */
const FIRST_ANSWERS_MS = 300;
/** No player signals its position, so playing ones are asked again: one may have stalled. */
const RESYNC_MS = 10_000;
/** A player signals a few changes at once, and a browser 40 a second while it loads a stream. */
const BETWEEN_READS_MS = 25;
const MOST_READS_A_SECOND = 20;
/** A cover may be inside a message. */
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;

interface Player {
  /** Signals carry this name of its connection. */
  readonly owner: string;
  /** `undefined` until it has answered, `null` when it does not answer. */
  state: PlayerState | null | undefined;
  reading: "no" | "yes" | "again";
  /** When it was last read. */
  readonly reads: number[];
}

/** @throws {BusLost} when there is no such bus */
export async function connectBus(
  busAddress: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<PlayerBus> {
  const { createClient } = await import("dbus-native");
  signal.throwIfAborted();
  const known = new Map<string, Player>();
  const changes = createInbox<true>(clock);
  const cancels = new Set<() => void>();
  let hasEnded = false;

  // This program passes no files over the bus, so it needs no second thread that receives them.
  const dial = () => {
    try {
      return createClient({
        busAddress,
        fdTransport: false,
        maxMessageSize: LARGEST_MESSAGE_BYTES,
        // Past a time-out of its own first call, dbus-native throws where nobody can catch it.
        timeout: 0,
      });
    } catch (error) {
      throw new BusLost("the address of the session bus cannot be used", { cause: error });
    }
  };
  const bus = dial();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const end = (cause?: unknown) => {
    if (hasEnded) return;
    hasEnded = true;
    const error = new BusLost("the session bus cannot be reached", { cause });
    signal.removeEventListener("abort", onAbort);
    for (const cancel of cancels) cancel();
    lost.reject(error);
    changes.end(error);
    bus.close().catch(() => {});
  };
  const onAbort = () => end();
  const after = (ms: number, task: () => void) => {
    const cancel = clock.after(ms, () => {
      cancels.delete(cancel);
      task();
    });
    cancels.add(cancel);
    return cancel;
  };

  const call = (destination: string, path: string, on: string, member: string, ...body: string[]) =>
    bus.invoke<unknown>(
      {
        destination,
        path,
        interface: on,
        member,
        ...(body.length > 0 && { signature: "s".repeat(body.length), body }),
      },
      { timeout: ANSWER_MS },
    );
  const tell = () => {
    if (changes.size === 0) changes.push(true);
  };

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
    return { name, identity: textOf(identity), properties, observedAtMs };
  };

  const read = async (name: string, player: Player): Promise<void> => {
    if (player.reading !== "no") {
      player.reading = "again";
      return;
    }
    player.reading = "yes";
    const state = await ask(name, player).catch(() => null);
    if (hasEnded || known.get(name) !== player) return;
    player.state = state;
    tell();
    const nowMs = clock.monotonicMs();
    player.reads.push(nowMs);
    const oldestMs = player.reads.length < MOST_READS_A_SECOND ? undefined : player.reads.shift();
    const pauseMs = oldestMs === undefined ? 0 : oldestMs + 1_000 - nowMs;
    after(Math.max(BETWEEN_READS_MS, pauseMs), () => {
      const isOutdated = player.reading === "again";
      player.reading = "no";
      if (isOutdated) void read(name, player);
    });
  };

  const own = (busName: unknown, owner: unknown) => {
    if (typeof busName !== "string" || !busName.startsWith(PREFIX)) return;
    const name = busName.slice(PREFIX.length);
    if (name === ECHO || name.startsWith(`${ECHO}.`)) return;
    if (typeof owner !== "string" || owner === "") {
      if (known.delete(name)) tell();
      return;
    }
    // VLC has two names for the same player.
    if ([...known.values()].some((player) => player.owner === owner)) return;
    const player: Player = { owner, state: undefined, reading: "no", reads: [] };
    known.set(name, player);
    void read(name, player);
  };

  const hear = ({ interface: on, member, sender, path, body = [] }: Message) => {
    if (on === BUS && member === "NameOwnerChanged" && sender === BUS) return own(body[0], body[2]);
    const isChange = on === PROPERTIES && member === "PropertiesChanged";
    const isSeek = on === PLAYER && member === "Seeked";
    if (path !== PATH || !(isChange || isSeek)) return;
    for (const [name, player] of known) if (player.owner === sender) void read(name, player);
  };

  const readPlayingAgain = () => {
    after(RESYNC_MS, readPlayingAgain);
    for (const [name, player] of known) {
      if (!player.state || player.state.properties["PlaybackStatus"] === "Playing") {
        void read(name, player);
      }
    }
  };

  signal.addEventListener("abort", onAbort);
  bus.connection.on("error", end);
  // Without a listener, a message that cannot be read would end the whole program.
  bus.connection.on("handlerError", end);
  bus.connection.on("end", () => end());
  bus.connection.on("close", () => end());
  bus.connection.on("message", hear);
  const cancelDeadline = after(CONNECT_MS, () => end());
  try {
    const listening = (async () => {
      await bus.addMatch(
        `type='signal',sender='${BUS}',member='NameOwnerChanged',arg0namespace='org.mpris.MediaPlayer2'`,
      );
      await bus.addMatch(`type='signal',path='${PATH}',interface='${PROPERTIES}'`);
      await bus.addMatch(`type='signal',path='${PATH}',interface='${PLAYER}',member='Seeked'`);
      const names = await bus.listNames();
      const players = names.filter((name) => name.startsWith(PREFIX));
      const owners = await Promise.all(
        // A player may have gone since it was listed.
        players.map((name) =>
          bus.getNameOwner(name).then(
            (owner) => owner,
            () => "",
          ),
        ),
      );
      players.forEach((name, index) => own(name, owners[index]));
    })();
    await Promise.race([listening, lost.promise]);
  } catch (error) {
    end(error);
    throw error instanceof BusLost
      ? error
      : new BusLost("the session bus refuses a call", { cause: error });
  }
  cancelDeadline();
  readPlayingAgain();
  await firstAnswers();

  return {
    players: () => [...known.values()].flatMap(({ state }) => state ?? []),
    async nextChange() {
      await changes.receive();
    },
    close: () => end(),
  };

  /** Waits for the players that are there already, so that the first word is not "nothing". */
  async function firstAnswers(): Promise<void> {
    while ([...known.values()].some(({ state }) => state === undefined)) {
      if ((await changes.receive(FIRST_ANSWERS_MS)) === undefined) return;
    }
  }
}
