import type { Accounts } from "../accounts/accounts.ts";
import type { Log } from "../log.ts";
import type { Connection } from "../music/connection-reads.ts";
import { openConnection, sourceOf } from "../sources/connected-music.ts";
import { DEMO_SONGS, type WidgetOptions } from "../../widget/options.ts";
import { demo, watchDemoSong } from "../sources/kinds/demo/index.ts";
import type { Sources } from "../sources/index.ts";
import { type StoredConnection, UNSTORED } from "../sources/source.ts";
import type { WatchedConnection, WatcherDeps } from "./watcher.ts";

/** Finds the connections of a user that can be watched, in the user's order. */
export type FindConnections = WatcherDeps["connectionsOf"];

/** Not a real user's id: its channel always plays the demo, for overlays that ask for it. */
export const DEMO_LISTENER = 0;

/** Whose channel an overlay follows. Those of single songs of the demo come below the demo's. */
export const listenerOf = (userId: number, demo: WidgetOptions["demo"]): number =>
  demo === "0" ? userId : demo === "1" ? DEMO_LISTENER : -1 - DEMO_SONGS.indexOf(demo);

export const DEMO_LISTENERS: readonly number[] = [
  DEMO_LISTENER,
  ...DEMO_SONGS.map((song) => listenerOf(DEMO_LISTENER, song)),
];

/** @param demoForAll whether users without a connection get the demo */
export function createConnectionFinder(
  { connections }: Pick<Accounts, "connections">,
  sources: Pick<Sources, "byId">,
  demoForAll: boolean,
  log: Pick<Log, "warn">,
): FindConnections {
  // Logged once for each connection, however often it is requested.
  const reported = new Set<number>();
  const demoConnection: WatchedConnection = {
    connectionId: undefined,
    wasOk: true,
    delivery: demo.delivery,
    watch: (context) => demo.open(null).watch({ ...context, connection: UNSTORED }),
  };
  const unconnected = demoForAll ? [demoConnection] : [];
  /** The connection to watch, or none if the user has to connect it again. */
  const watchedOf = (connection: Connection): WatchedConnection[] => {
    if (connection.refusedAt !== null) return [];
    const source = sourceOf(connection, sources);
    const { id, userId } = connection;
    const stored = openConnection(source, connection);
    if (!stored.usable) {
      const fields = { user: userId, source: source.id, reason: stored.reason };
      if (!reported.has(id)) log.warn("music has to be connected again", fields);
      reported.add(id);
      return [];
    }
    reported.delete(id);
    const kept: StoredConnection = {
      id,
      storeSettings: (settings) => connections.storeSettings(id, settings),
      expectSettings: connections.expectSettings,
    };
    return [
      {
        connectionId: id,
        wasOk: connection.status.state === "ok",
        delivery: source.delivery,
        ...(source.pollsEveryMs !== undefined && { pollsEveryMs: source.pollsEveryMs }),
        watch: (context) => stored.open.watch({ ...context, connection: kept }),
        refuse: () => connections.markRefused(id),
      },
    ];
  };
  return (userId) => {
    if (userId === DEMO_LISTENER) return [demoConnection];
    const song = DEMO_SONGS[-1 - userId];
    if (song) {
      return [{ ...demoConnection, watch: (context) => watchDemoSong(song, context) }];
    }
    const all = connections.allOf(userId);
    return all.length === 0 ? unconnected : all.flatMap(watchedOf);
  };
}
