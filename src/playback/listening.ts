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

/** A listener of its own that always hears the demo, for overlays that ask for it. */
export const DEMO_LISTENER = 0;

/** @param demoForAll whether users without a connection hear the demo */
export function createListeningFinder(
  { connections }: Pick<Accounts, "connections">,
  demoForAll: boolean,
): ListeningFinder {
  const demoListening: Listening = {
    connectionId: undefined,
    watch: (context) => demo.watch(null, context),
  };
  const unconnected = demoForAll ? demoListening : undefined;
  return {
    async listeningOf(userId) {
      if (userId === DEMO_LISTENER) return demoListening;
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
