import type { Accounts } from "./accounts/accounts.ts";
import { attemptEach } from "./attempt-each.ts";
import type { Hub } from "./channels/hub.ts";
import type { Change, ChangeListener } from "./db/changes.ts";
import type { Feature } from "./http/plugin.ts";
import type { GaugeName, Metrics } from "./metrics.ts";

/** What features do besides answering requests. */
export interface Lifecycle {
  /** Current counts, by the names of the metrics. */
  readonly gauges: Readonly<Partial<Record<GaugeName, () => number>>>;
  /** Begins what features do by themselves. */
  start(): Promise<void>;
  /** Brings what is open up to date with a change of stored data. */
  followChange(change: Change): Promise<void>;
  /** `/readyz` says no from now on, sockets are closed, and what was started ends. */
  stop(): Promise<void>;
}

export interface LifecycleDeps {
  readonly accounts: Pick<Accounts, "onChange" | "users">;
  readonly hub: Hub;
  readonly metrics: Pick<Metrics, "watch">;
}

/** Follows changes of stored data from now on: the channels first, then the features in their order. */
export function createLifecycle(
  features: readonly Feature[],
  { accounts, hub, metrics }: LifecycleDeps,
): Lifecycle {
  const gauges: Lifecycle["gauges"] = Object.assign(
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
    gauges,
    async start() {
      for (const { start } of features) await start?.();
    },
    followChange,
    async stop() {
      await Promise.all(features.map(async ({ stop }) => stop?.()));
    },
  };
}
