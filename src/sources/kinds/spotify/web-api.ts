import type { Clock } from "../../../clock.ts";
import { retryLater, type SourceFailure, unavailable } from "../../source.ts";
import type { Upstream } from "../../../upstream/index.ts";
import type { RequestBudget, Urgency } from "../../polling/request-budget.ts";
import { jsonIn } from "../../../decode-text.ts";
import { isRecord, parseJson, textOf } from "../../../upstream/json.ts";
import type { AccessTokens } from "./tokens.ts";

/** An answer of Spotify's Web API. */
export interface ApiAnswer {
  /** Parsed JSON; `null` when the answer has no content (204). */
  readonly body: unknown;
  /** Monotonic time in milliseconds at which the answer was most likely true. */
  readonly observedAtMs: number;
}

export type WebApi = ReturnType<typeof createWebApi>;

export interface WebApiDeps {
  /** Without a slash at the end, such as `https://api.spotify.com`. */
  readonly url: string;
  readonly upstream: Upstream;
  readonly requestBudget: RequestBudget;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** The wait after a refusal that only the operator or Spotify can end. */
const REFUSED_PAUSE_MS = 300_000;

export function createWebApi({ url, upstream, requestBudget, clock }: WebApiDeps) {
  return {
    /**
     * Makes a GET request with a user's token. An expired token is refreshed, and a request that
     * fails at Spotify is made once more.
     * @throws {SourceFailure | UnreadableAnswer | UpstreamError}
     */
    async get(
      path: string,
      tokens: AccessTokens,
      urgency: Urgency,
      signal: AbortSignal,
    ): Promise<ApiAnswer> {
      for (let attempt = 1; ; attempt++) {
        const last = attempt === 2;
        requestBudget.refuseWhileClosed();
        const token = await tokens.current();
        await requestBudget.enter(urgency, signal);
        signal.throwIfAborted();
        const sentAtMs = clock.monotonicMs();
        const headers = { Authorization: `Bearer ${token}` };
        const response = await upstream
          .fetch(url + path, { headers, signal })
          // An answer that never comes counts as a slow one.
          .finally(() => requestBudget.noteAnswer(clock.monotonicMs() - sentAtMs));
        const { status } = response;
        const observedAtMs = (sentAtMs + clock.monotonicMs()) / 2;
        if (status === 204) return { body: null, observedAtMs };
        if (status === 200) return { body: parseJson(await response.text()), observedAtMs };
        if (status === 429) throw await pause(response);
        if (status === 403) throw await refusal(response);
        if (status === 401) tokens.forget(token);
        // About one answer in a thousand is a wrong 502 or 404, and the next one is right.
        if (last || (status < 500 && status !== 401 && status !== 404)) {
          throw unavailable(`Spotify answered ${status}`);
        }
      }
    },
  };

  async function pause(response: Response): Promise<SourceFailure> {
    const retryAfter = response.headers.get("retry-after");
    const { reason } = await errorOf(response);
    const kind = reason === "QUOTA_EXCEEDED" ? "the app's quota is used up" : "too many calls";
    return requestBudget.close(retryAfter, `Spotify has asked for a pause: ${kind}`);
  }

  async function refusal(response: Response): Promise<SourceFailure> {
    const { message } = await errorOf(response);
    const reason = /premium/i.test(message) ? "noPremium" : "notOnAppList";
    return retryLater(
      REFUSED_PAUSE_MS,
      reason,
      reason === "noPremium"
        ? "Spotify asks for Premium: the owner of the Spotify app needs it"
        : "Spotify does not know this user: add them to the app's users in Spotify's dashboard",
    );
  }
}

/** The message and reason of an error answer; some answers are plain text. */
async function errorOf(response: Response): Promise<{ message: string; reason?: string }> {
  const text = await response.text();
  const body = jsonIn(text);
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const reason = textOf(error["reason"]);
  return { message: textOf(error["message"]) ?? text, ...(reason && { reason }) };
}
