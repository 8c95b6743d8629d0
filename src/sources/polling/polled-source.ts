import type { Clock } from "../../clock.ts";
import type { Artwork, Playback } from "../../playback.ts";
import { textIn } from "../../decode-text.ts";
import type { Covers } from "../../upstream/covers.ts";
import { jsonIn } from "../../upstream/json.ts";
import {
  defineSource,
  type Source,
  type OptionValues,
  type SourceDefinition,
  type SourceOptions,
  retryLater,
  unauthorized,
  unexpected,
  type WatchContext,
} from "../source.ts";
import type { Upstream } from "../../upstream/index.ts";
import { statusFailure, withMeanings } from "../answer-failure.ts";
import { newPollState, steadyPace } from "./cadence.ts";
import { poll } from "./poller.ts";
import type { RequestBudget, Urgency } from "./request-budget.ts";
import { retryAfterMsOf } from "../../upstream/retry-after.ts";

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
  /** For an upstream that limits this server's users together. */
  readonly requestBudget?: RequestBudget;
  /** Is called once for each `watch`; what the mapping has to remember stays in its closure. */
  begin(settings: NoInfer<Settings>, polling: Polling): Ask;
}

/** What a mapping has at hand. */
export interface Polling {
  readonly url: string;
  /** @throws {SourceFailure} when the upstream has asked for a pause (429), or cannot be reached */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /**
   * A picture of the server that is asked, at an address that the mapping has made.
   * @param name names its content among all pictures of this connection
   */
  artwork(name: string, url: string, headers?: Readonly<Record<string, string>>): Artwork;
  /** A picture that an answer names; none when it may not be loaded. */
  covers(named: string | undefined): readonly Artwork[];
}

/** An answer of any other status than 429. */
export interface Answer {
  /** Who has answered, such as `VLC at http://127.0.0.1:8080`. */
  readonly from: string;
  readonly status: number;
  readonly text: string;
  /** Whether the request had an `Authorization` header. */
  readonly authorized: boolean;
  /** Monotonic time in milliseconds at which the answer was most likely true. */
  readonly observedAtMs: number;
}

export function definePolledSource<
  const Options extends SourceOptions,
  Settings = OptionValues<Options>,
>(definition: PolledDefinition<Options, Settings>): Source {
  const { deps, intervalMs, urlOf, requestBudget, begin, ...described } = definition;
  const { id, name } = described;
  const { clock } = deps;
  const pace = steadyPace(intervalMs);

  const pollingOf = (settings: Settings, { connection, signal }: WatchContext): Polling => {
    const url = urlOf(settings);
    const from = `${name} at ${new URL(url).origin}`;
    const upstream = deps.upstreamOf(id, url);
    const origin = `${id} ${connection.id}`;
    return {
      url,
      async get(target, headers = {}) {
        const sentAtMs = clock.monotonicMs();
        const response = await upstream.fetch(target, { headers, signal });
        const { status } = response;
        const observedAtMs = (sentAtMs + clock.monotonicMs()) / 2;
        if (status === 429) {
          const retryAfter =
            response.headers.get("retry-after") ?? response.headers.get("x-ratelimit-reset-in");
          const message = `${from} has asked for a pause`;
          throw requestBudget
            ? await requestBudget.close(retryAfter, message)
            : retryLater(retryAfterMsOf(retryAfter, clock.wallMs()), "limited", message);
        }
        const authorized = "Authorization" in headers;
        return { from, status, text: await textIn(response), authorized, observedAtMs };
      },
      artwork: (content, target, headers) =>
        deps.covers.ofServer(content, target, { origin, server: { url, headers } }),
      covers(named = "") {
        const artwork = deps.covers.named(named, { origin, server: { url } });
        return artwork ? [artwork] : [];
      },
    };
  };

  return defineSource<Options, Settings>({
    ...described,
    delivery: "polled",
    // With many users of a limited upstream, each waits longer for its share.
    ...(!requestBudget && { pollsEveryMs: intervalMs }),
    async *watch(settings, context) {
      const { demand, signal } = context;
      const leave = requestBudget?.join(demand);
      const ask = begin(settings, pollingOf(settings, context));
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
        yield* withMeanings(name, signal, () => poll(polling));
      } finally {
        leave?.();
      }
    },
  });
}

/**
 * The JSON in an answer.
 * @throws {SourceFailure} for any other status than 200, and for any other text
 */
export function jsonOf(answer: Answer): unknown {
  const { from } = answer;
  const body = jsonIn(textOf200(answer));
  if (body === undefined) throw unexpected(`${from}: its answer is not JSON`);
  return body;
}

/** @throws {SourceFailure} for any other status than 200 */
export function textOf200({ from, status, text, authorized }: Answer): string {
  if (status === 200) return text;
  // Without credentials, 403 comes from a protection in front of the server and may pass.
  if (status === 401 || (status === 403 && authorized)) {
    throw unauthorized(`${from} refuses the user name or the password, or asks for one`);
  }
  throw statusFailure(from, status);
}
