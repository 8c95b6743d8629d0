import type { Accounts } from "../accounts/accounts.ts";
import type { Log } from "../log.ts";
import { readSettings } from "../sources/connected-music.ts";
import { demo } from "../sources/demo.ts";
import type { Sources } from "../sources/index.ts";
import { UNSTORED } from "../sources/source.ts";
import type { Listening } from "./channel.ts";

/** Finds what a user's music is heard through, ready to be listened to. */
export interface ListeningFinder {
  listeningOf(userId: number): Promise<Listening | undefined>;
  /**
   * The id of the connection that `listeningOf` would answer. Nothing is decrypted for it, so one
   * whose settings cannot be used has an id, too, and is looked at again with each change.
   */
  connectionIdOf(userId: number): Promise<number | undefined>;
}

/** A listener of its own that always hears the demo, for overlays that ask for it. */
export const DEMO_LISTENER = 0;

/** @param demoForAll whether users without a connection hear the demo */
export function createListeningFinder(
  { connections }: Pick<Accounts, "connections">,
  sources: Pick<Sources, "byId">,
  demoForAll: boolean,
  log: Pick<Log, "warn">,
): ListeningFinder {
  // The log hears of a connection once, however often somebody looks.
  const reported = new Set<number>();
  const demoListening: Listening = {
    connectionId: undefined,
    polls: false,
    watch: (context) => demo.watch(null, { ...context, connection: UNSTORED }),
  };
  const unconnected = demoForAll ? demoListening : undefined;
  return {
    async listeningOf(userId) {
      if (userId === DEMO_LISTENER) return demoListening;
      const connection = await connections.of(userId);
      if (!connection) return unconnected;
      const source = sources.byId(connection.source);
      if (!source || connection.refusedAt !== null) return undefined;
      const { id } = connection;
      const stored = readSettings(source, connection);
      if (!stored.usable) {
        const fields = { user: userId, source: source.id, reason: stored.reason };
        if (!reported.has(id)) log.warn("music has to be connected again", fields);
        reported.add(id);
        return undefined;
      }
      reported.delete(id);
      const kept = {
        id,
        keepSettings: (changed: unknown) => connections.keepSettings(id, changed),
      };
      return {
        connectionId: id,
        polls: source.polls ?? false,
        watch: (context) => source.watch(stored.settings, { ...context, connection: kept }),
      };
    },
    connectionIdOf: (userId) => connections.workingIdOf(userId),
  };
}
