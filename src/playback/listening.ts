import type { Accounts } from "../accounts/accounts.ts";
import { demo } from "../sources/demo.ts";
import { sourceById } from "../sources/index.ts";
import type { Listening } from "./channel.ts";

/** Finds what a user's music is heard through, ready to be listened to. */
export interface ListeningFinder {
  listeningOf(userId: number): Promise<Listening | undefined>;
  /** The id of the connection that `listeningOf` would answer. */
  connectionIdOf(userId: number): Promise<number | undefined>;
}

/** @param demoForAll whether users without a connection hear the demo */
export function createListeningFinder(
  { connections }: Pick<Accounts, "connections">,
  demoForAll: boolean,
): ListeningFinder {
  const unconnected: Listening | undefined = demoForAll
    ? { connectionId: undefined, watch: (context) => demo.watch(null, context) }
    : undefined;
  return {
    async listeningOf(userId) {
      const connection = await connections.of(userId);
      if (!connection) return unconnected;
      const source = sourceById(connection.source);
      if (!source || connection.refusedAt !== null) return undefined;
      const settings = source.parseSettings(connection.settings);
      return { connectionId: connection.id, watch: (context) => source.watch(settings, context) };
    },
    connectionIdOf: (userId) => connections.workingIdOf(userId),
  };
}
