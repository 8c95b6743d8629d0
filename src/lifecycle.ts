import { attemptEach } from "./attempt-each.ts";
import type { Change, ChangeListener } from "./db/changes.ts";
import type { Parts } from "./http/parts.ts";
import type { Feature } from "./http/plugin.ts";
import type { Metrics } from "./metrics.ts";

/**
 * What features do besides answering requests.
 * Follows changes of stored data from now on: the channels first, then the features in their order.
 */
export function createLifecycle(
  features: readonly Feature[],
  { accounts, hub, metrics }: Pick<Parts, "accounts" | "hub"> & { readonly metrics: Metrics },
) {
  const gauges: NonNullable<Feature["gauges"]> = Object.assign(
    { channels: hub.running },
    ...features.map((feature) => feature.gauges),
  );
  metrics.watch(gauges);

  const followers: readonly ChangeListener[] = [
    async ({ userId, concerns }) => {
      if (concerns("users", "privacy", "connections")) hub.notify(userId);
      if (concerns("users", "connections", "upstreams")) await hub.followConnections(userId);
      const isGone = userId !== undefined && concerns("users") && !accounts.users.withId(userId);
      if (isGone) hub.forget(userId);
    },
    ...features.flatMap(({ follow }) => follow ?? []),
  ];
  const followChange = (change: Change) => attemptEach(followers, (follow) => follow(change));
  accounts.onChange(followChange);

  return {
    /** Current counts, by the names of the metrics. */
    gauges,
    /** Begins what features do by themselves. */
    async start() {
      for (const { start } of features) await start?.();
    },
    /** Brings what is open up to date with a change of stored data. */
    followChange,
    /** `/readyz` says no from now on, sockets are closed, and what was started ends. */
    async stop() {
      await Promise.all(features.map(async ({ stop }) => stop?.()));
    },
  };
}
