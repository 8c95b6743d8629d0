import type { Artwork } from "../playback.ts";
import { textIn } from "../decode-text.ts";
import type { Covers } from "../upstream/covers.ts";
import { parseJson, UnreadableAnswer } from "../upstream/json.ts";
import { statusFailure } from "./answer-failure.ts";
import type { RequestBudget } from "./polling/request-budget.ts";
import { retryLater, unauthorized, type WatchContext } from "./source.ts";
import type { Upstream, UpstreamHeaders } from "../upstream/index.ts";
import { answeredAtMs, retryAfterMsOf } from "../upstream/retry-after.ts";

/** The server that a source asks: its answers and its pictures. */
export type AskedServer = ReturnType<typeof createAskedServer>;

/** What each request to a server has. */
export interface ServerRequest {
  /** Set where the server knows its users by them. */
  readonly headers?: UpstreamHeaders;
  /** The largest answer or message; by default a megabyte. */
  readonly largestBytes?: number;
}

export interface AskedServerDeps {
  readonly upstream: Upstream;
  readonly covers: Covers;
  /** For an upstream that limits this server's users together. */
  readonly requestBudget?: RequestBudget | undefined;
}

/** An answer of any other status than 429. */
export interface Answer {
  /** Who has answered, such as `VLC at http://127.0.0.1:8080`. */
  readonly from: string;
  readonly status: number;
  readonly text: string;
  /** Whether the request had headers by which the server knows its users. */
  readonly authorized: boolean;
  /** Monotonic time in milliseconds at which the answer was most likely true. */
  readonly observedAtMs: number;
  /**
   * The server's own time at this moment, as Unix time in milliseconds, whatever becomes of our clock; the
   * time that ours had if it does not report it.
   */
  serverWallMs(): number;
}

export function createAskedServer(
  { id, name, url }: { readonly id: string; readonly name: string; readonly url: string },
  { upstream, covers, requestBudget }: AskedServerDeps,
  { clock, signal, connection }: WatchContext,
  request: ServerRequest,
) {
  const from = `${name} at ${url}`;
  const namer = { origin: `${id} ${connection.id}`, server: { url, ...request } };

  /** @throws {SourceFailure} when the upstream has asked for a pause (429), or {@link UpstreamError} */
  const get = async (path: string): Promise<Answer> => {
    const sentAtMs = clock.monotonicMs();
    const response = await upstream.fetch(url + path, { ...request, signal });
    const { status, headers } = response;
    const arrivedAtMs = clock.monotonicMs();
    const epochMs = answeredAtMs(headers, clock.wallMs()) - arrivedAtMs;
    if (status === 429) {
      const retryAfter = headers.get("retry-after") ?? headers.get("x-ratelimit-reset-in");
      const message = `${from} has asked for a pause`;
      throw requestBudget
        ? await requestBudget.close(retryAfter, message)
        : retryLater(retryAfterMsOf(retryAfter, clock.wallMs()), "limited", message);
    }
    return {
      from,
      status,
      text: await textIn(response),
      authorized: request.headers !== undefined,
      observedAtMs: (sentAtMs + arrivedAtMs) / 2,
      serverWallMs: () => epochMs + clock.monotonicMs(),
    };
  };

  return {
    name,
    /** Without a slash at the end. */
    url,
    /** Refuses our credentials. */
    unauthorized: () => unauthorized(refusalOf(from)),
    openSocket: (path: string) => upstream.openSocket(url + path, { ...request, signal }),
    get,
    /**
     * @param missing what a 404 means, as the end of a sentence that begins with "it"
     * @throws {SourceFailure}, {@link UpstreamError} or {@link UnreadableAnswer}
     */
    async getJson(path: string, missing?: string) {
      const answer = await get(path);
      if (answer.status === 404 && missing !== undefined) {
        throw new UnreadableAnswer(`it ${missing}`);
      }
      return { ...answer, body: jsonOf(answer) };
    },
    /**
     * The picture at a path of this server that the source has made.
     * @param key names its content, within this server
     */
    artwork: (key: string, path: string): Artwork => covers.ofServer(key, url + path, namer),
    /** The picture that an answer names; none when it may not be loaded. */
    covers(named = ""): readonly Artwork[] {
      const artwork = covers.named(named, namer);
      return artwork ? [artwork] : [];
    },
  };
}

const NO_CONTENT = 204;

/**
 * The JSON in an answer; `null` for one without content.
 * @throws {SourceFailure} for any other status than 200, {@link UnreadableAnswer} for any other text
 */
export const jsonOf = (answer: Answer): unknown =>
  answer.status === NO_CONTENT ? null : parseJson(textOf200(answer));

/** @throws {SourceFailure} for any other status than 200 */
export function textOf200({ from, status, text, authorized }: Answer): string {
  if (status === 200) return text;
  // Without credentials, 403 comes from a protection in front of the server and may pass.
  if (status === 401 || (status === 403 && authorized)) throw unauthorized(refusalOf(from));
  throw statusFailure(from, status);
}

const refusalOf = (from: string): string =>
  `${from} refuses the user name, the password or the token, or asks for one`;
