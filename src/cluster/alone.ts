import { attemptEach } from "../attempt-each.ts";
import { ConnectionSet } from "../channels/connection-set.ts";
import type { Clock } from "../clock.ts";
import { createLedger } from "../sources/polling/ledger.ts";
import type { Cluster, Relay, RelayDeps } from "./cluster.ts";

/** A cluster of one: everything stays on this server. */
export const alone = (clock: Pick<Clock, "monotonicMs">): Cluster => ({
  isUp: () => true,
  isOurs: () => true,
  onShift() {},
  ledgerOf: (budget) => createLedger(clock, budget),
  admissions: { admit: () => 0 },
  findArtwork: async () => undefined,
  keepArtwork() {},
  shareInbox: (own) => own,
  createRelay: createRelayAlone,
  release: async () => {},
  close: async () => {},
});

/** Watches every user here. */
export function createRelayAlone(deps: RelayDeps): Relay {
  const watched = new Map<number, ConnectionSet>();
  const onStream = new Map<number, number>();
  const showListeners: Parameters<Relay["onShow"]>[0][] = [];
  const demandListeners: Parameters<Relay["onDemand"]>[0][] = [];
  const streamListeners: ((userId: number) => void)[] = [];
  return {
    watch(of) {
      const set = new ConnectionSet(of, deps);
      watched.set(of.userId, set);
      return set;
    },
    async followConnections(of) {
      await attemptEach(watched, async ([userId, set]) => {
        if (!set.isRunning || (of !== undefined && of !== userId)) return;
        const ids = await deps.connectionIdsOf(userId);
        if (set.isRunning && !Bun.deepEquals(ids, set.watchedIds())) await set.follow();
      });
    },
    setOnStream(userId, count) {
      if (count > 0) onStream.set(userId, count);
      else onStream.delete(userId);
      for (const listener of streamListeners) listener(userId);
    },
    onStream: (userId) => onStream.get(userId) ?? 0,
    onStreamChange: (listener) => void streamListeners.push(listener),
    show(...shown) {
      for (const listener of showListeners) listener(...shown);
    },
    onShow: (listener) => void showListeners.push(listener),
    showOnDemand(...asked) {
      for (const listener of demandListeners) listener(...asked);
    },
    onDemand: (listener) => void demandListeners.push(listener),
    gauges: {},
    stop() {},
  };
}
