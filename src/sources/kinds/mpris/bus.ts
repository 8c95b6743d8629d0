import type { Message } from "dbus-native";
import type { Clock } from "../../../clock.ts";
import { createWaking } from "../../../upstream/message-queue.ts";
import { SourceFailure, unavailable } from "../../source.ts";
import { createPlayers, PATH, PLAYER, PREFIX, PROPERTIES } from "./known-players.ts";

/** The players on a D-Bus session bus: https://specifications.freedesktop.org/mpris-spec/latest/ */

const BUS = "org.freedesktop.DBus";

const CONNECT_MS = 5_000;
/** A player that hangs is left out; the others are not waited for. */
const ANSWER_MS = 2_000;
/** Nor are they waited for when the source begins. */
const FIRST_ANSWERS_MS = 300;
/** A cover may be inside a message. */
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;

/** @throws {SourceFailure} when there is no such bus */
export async function connectBus(
  busAddress: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
) {
  const { createClient } = await import("dbus-native");
  signal.throwIfAborted();
  const { wake, woken, fail } = createWaking(clock);
  const cancels = new Set<() => void>();
  let hasEnded = false;

  const bus = dial(createClient, busAddress);
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const end = (cause?: unknown) => {
    if (hasEnded) return;
    hasEnded = true;
    const error = busLost("the session bus cannot be reached", cause);
    signal.removeEventListener("abort", onAbort);
    for (const cancel of cancels) cancel();
    lost.reject(error);
    fail(error);
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

  const players = createPlayers({ clock, after, call, hasEnded: () => hasEnded, onChange: wake });

  const receive = ({ interface: on, member, sender, path, body = [] }: Message) => {
    if (on === BUS && member === "NameOwnerChanged" && sender === BUS)
      return players.own(body[0], body[2]);
    if (path !== PATH) return;
    if (on === PROPERTIES && member === "PropertiesChanged") players.changed(sender);
    if (on === PLAYER && member === "Seeked") players.sought(sender, body[0]);
  };

  signal.addEventListener("abort", onAbort);
  bus.connection.on("error", end);
  // Without a listener, a message that cannot be read would end the whole program.
  bus.connection.on("handlerError", end);
  bus.connection.on("end", () => end());
  bus.connection.on("close", () => end());
  bus.connection.on("message", receive);
  const cancelDeadline = after(CONNECT_MS, () => end());
  try {
    const owned = await Promise.race([subscribe(bus), lost.promise]);
    for (const [name, owner] of owned) players.own(name, owner);
  } catch (error) {
    end(error);
    throw error instanceof SourceFailure ? error : busLost("the session bus refuses a call", error);
  }
  cancelDeadline();
  players.readPlayingAgain();
  await firstAnswers();

  return {
    /** The players that have answered. */
    players: players.states,
    /** Resolves when a player has changed, come or gone. @throws {SourceFailure} */
    async nextChange() {
      await woken();
    },
    close: () => end(),
  };

  /** Waits for the players that are there already, so that the first report is not "nothing". */
  async function firstAnswers(): Promise<void> {
    while (players.areAwaited()) {
      if ((await woken(FIRST_ANSWERS_MS)) === undefined) return;
    }
  }
}

const busLost = (reason: string, cause: unknown): SourceFailure =>
  unavailable(`MPRIS: ${reason}: Marquee has to run in the session of your desktop`, { cause });

function dial(createClient: typeof import("dbus-native").createClient, busAddress: string) {
  try {
    return createClient({
      busAddress,
      // This program passes no files over the bus, so it needs no second thread that receives them.
      fdTransport: false,
      maxMessageSize: LARGEST_MESSAGE_BYTES,
      // Past a time-out of its own first call, dbus-native throws where nobody can catch it.
      timeout: 0,
    });
  } catch (error) {
    throw busLost("the address of the session bus cannot be used", error);
  }
}

/** Asks for the signals of players. Resolves with those that are there: their names and owners. */
async function subscribe(bus: ReturnType<typeof dial>): Promise<(readonly [string, string])[]> {
  await bus.addMatch(
    `type='signal',sender='${BUS}',member='NameOwnerChanged',arg0namespace='org.mpris.MediaPlayer2'`,
  );
  await bus.addMatch(`type='signal',path='${PATH}',interface='${PROPERTIES}'`);
  await bus.addMatch(`type='signal',path='${PATH}',interface='${PLAYER}',member='Seeked'`);
  const names = (await bus.listNames()).filter((name) => name.startsWith(PREFIX));
  // A player may have gone since it was listed.
  const ownerOf = (name: string) => bus.getNameOwner(name).catch(() => "");
  return Promise.all(names.map(async (name) => [name, await ownerOf(name)] as const));
}
