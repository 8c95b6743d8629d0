import type { Clock } from "../../clock.ts";
import type { Playback } from "../../playback.ts";
import type { Covers } from "../../upstream/covers.ts";
import { type AskedServer, createAskedServer, type ServerRequest } from "../asked-server.ts";
import {
  defineSource,
  type Source,
  type OptionValues,
  type SourceDefinition,
  type SourceOptions,
} from "../source.ts";
import type { Upstream } from "../../upstream/index.ts";
import { withMeanings } from "../answer-failure.ts";
import { newPollState, steadyPace } from "./cadence.ts";
import { poll } from "./poller.ts";
import type { RequestBudget, Urgency } from "./request-budget.ts";

/** Makes a source from a request and a mapping, for upstreams that are asked at fixed intervals. */

export interface PolledSourceDeps {
  readonly clock: Clock;
  /** Calls the server at this URL, which may be private, and public servers. */
  upstreamOf(source: string, url: string): Upstream;
  readonly covers: Covers;
  /** Is called after each new poll of a connection, with the time since the poll before. */
  onPoll(source: string, afterMs: number): void;
}

/** Asks the upstream once. Other errors than a `SourceFailure` become one. */
export type Ask = () => Promise<Playback | null>;

interface PolledDefinition<Options extends SourceOptions, Settings> extends Omit<
  SourceDefinition<Options, Settings>,
  "delivery" | "pollsEveryMs" | "watch"
> {
  readonly deps: PolledSourceDeps;
  /** Between two polls while somebody watches. */
  readonly intervalMs: number;
  /** The server that is asked. */
  urlOf(settings: NoInfer<Settings>): string;
  /** What each of its requests has, where that is anything. */
  requestWith?(settings: NoInfer<Settings>): ServerRequest;
  /** For an upstream that limits this server's users together. */
  readonly requestBudget?: RequestBudget;
  /** Is called once for each `watch`; what the mapping has to remember stays in its closure. */
  begin(settings: NoInfer<Settings>, server: AskedServer): Ask;
}

export function definePolledSource<
  const Options extends SourceOptions,
  Settings = OptionValues<Options>,
>(definition: PolledDefinition<Options, Settings>): Source {
  const { deps, intervalMs, urlOf, requestWith, requestBudget, begin, ...described } = definition;
  const { id, name } = described;
  const { clock } = deps;
  const pace = steadyPace(intervalMs);

  return defineSource<Options, Settings>({
    ...described,
    delivery: "polled",
    // With many users of a limited upstream, each waits longer for its share.
    ...(!requestBudget && { pollsEveryMs: intervalMs }),
    async *watch(settings, context) {
      const { demand, signal } = context;
      const leave = requestBudget?.join(demand);
      const url = urlOf(settings);
      const parts = { upstream: deps.upstreamOf(id, url), covers: deps.covers, requestBudget };
      const request = requestWith?.(settings) ?? {};
      const server = createAskedServer({ id, name, url }, parts, context, request);
      const ask = begin(settings, server);
      let lastPollMs: number | undefined;
      const polling = {
        clock,
        demand,
        signal,
        pace: () => pace,
        ...(requestBudget && { budget: requestBudget }),
        memory: { state: newPollState(clock.monotonicMs()) },
        async ask(urgency: Urgency) {
          await requestBudget?.enter(urgency, signal);
          signal.throwIfAborted();
          const playback = await ask();
          const nowMs = clock.monotonicMs();
          if (lastPollMs !== undefined) deps.onPoll(id, nowMs - lastPollMs);
          lastPollMs = nowMs;
          return playback;
        },
      };
      try {
        yield* withMeanings(`${name} at ${url}`, signal, () => poll(polling));
      } finally {
        leave?.();
      }
    },
  });
}
