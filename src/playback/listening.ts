import type { Accounts } from "../accounts/accounts.ts";
import { demo } from "../sources/demo.ts";
import type { Sources } from "../sources/index.ts";
import { UNSTORED } from "../sources/source.ts";
import type { Listening } from "./channel.ts";

/** Finds what a user's music is heard through, ready to be listened to. */
export interface ListeningFinder {
  listeningOf(userId: number): Promise<Listening | undefined>;
  /** The id of the connection that `listeningOf` would answer. */
  connectionIdOf(userId: number): Promise<number | undefined>;
}

/** A listener of its own that always hears the demo, for overlays that ask for it. */
export const DEMO_LISTENER = 0;

/** @param demoForAll whether users without a connection hear the demo */
export function createListeningFinder(
  { connections }: Pick<Accounts, "connections">,
  sources: Pick<Sources, "byId">,
  demoForAll: boolean,
): ListeningFinder {
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
      const settings = source.parseSettings(connection.settings);
      const { id } = connection;
      const stored = {
        id,
        keepSettings: (changed: unknown) => connections.keepSettings(id, changed),
      };
      return {
        connectionId: id,
        polls: source.polls ?? false,
        watch: (context) => source.watch(settings, { ...context, connection: stored }),
      };
    },
    connectionIdOf: (userId) => connections.workingIdOf(userId),
  };
}
