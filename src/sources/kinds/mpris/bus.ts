import type { Message } from "dbus-native";
import type { Clock } from "../../../clock.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import { beginLifetime } from "../../../upstream/lifetime.ts";
import { createWaking } from "../../../upstream/message-queue.ts";
import { SourceFailure, unavailable } from "../../source.ts";
import { createPlayers, PATH, PLAYER, PREFIX, PROPERTIES } from "./known-players.ts";

/** The players on a D-Bus session bus: https://specifications.freedesktop.org/mpris-spec/latest/ */

const BUS = "org.freedesktop.DBus";

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
  const bus = dial(createClient, busAddress);
  const ending = new AbortController();
  const hangUp = () => {
    ending.abort();
    bus.close().catch(() => {});
  };
  const parts = { place: "the session bus", signal, clock, queue: { end: fail }, hangUp };
  const lifetime = beginLifetime<never>(parts);
  const lose = (cause?: unknown) =>
    void lifetime.end(busLost("the session bus cannot be reached", cause));
  const after = async (ms: number, task: () => void) => {
    await clock.sleep(ms, ending.signal);
    if (!lifetime.hasEnded()) task();
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

  const { hasEnded } = lifetime;
  const players = createPlayers({ clock, after, call, hasEnded, onChange: wake });

  const receive = ({ interface: on, member, sender, path, body = [] }: Message) => {
    if (on === BUS && member === "NameOwnerChanged" && sender === BUS)
      return players.own(body[0], body[2]);
    if (path !== PATH) return;
    if (on === PROPERTIES && member === "PropertiesChanged") players.changed(sender);
    if (on === PLAYER && member === "Seeked") players.sought(sender, body[0]);
  };

  bus.connection.on("error", lose);
  // Without a listener, a message that cannot be read would end the whole program.
  bus.connection.on("handlerError", lose);
  bus.connection.on("end", () => lose());
  bus.connection.on("close", () => lose());
  bus.connection.on("message", receive);
  try {
    const owned = await Promise.race([subscribe(bus), lifetime.opening.promise]);
    for (const [name, owner] of owned) players.own(name, owner);
  } catch (error) {
    lose(error);
    if (error instanceof SourceFailure) throw error;
    const what = error instanceof UpstreamError ? "does not answer" : "refuses a call";
    throw busLost(`the session bus ${what}`, error);
  }
  lifetime.cancelEnd();
  players.readPlayingAgain();
  await firstAnswers();

  return {
    /** The players that have answered. */
    players: players.states,
    /** Resolves when a player has changed, come or gone. @throws {SourceFailure} */
    async nextChange() {
      await woken();
    },
    close: () => lose(),
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
