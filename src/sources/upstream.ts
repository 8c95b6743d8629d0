import ipaddr from "ipaddr.js";
import type { Clock } from "../clock.ts";
import { VERSION } from "../version.ts";
import type { EventRequest, UpstreamEvents } from "./upstream/events.ts";
import {
  type Fetch,
  LARGEST_ANSWER_BYTES,
  sizeText,
  UPSTREAM_DEADLINE_MS,
  UpstreamError,
  type UpstreamHeaders,
} from "./upstream/limits.ts";
import type { SocketRequest, UpstreamSocket } from "./upstream/socket.ts";

/** What a call sends; this module sets the other options of `fetch`. */
export interface UpstreamRequest {
  readonly method?: string;
  readonly headers?: UpstreamHeaders;
  readonly body?: RequestInit["body"];
  readonly signal?: AbortSignal | undefined;
  /** Follows a few redirects within the same origin. Others are answered as they come. */
  readonly redirects?: "sameOrigin";
  /** The largest answer, after decompression; by default a megabyte. */
  readonly largestBytes?: number;
}

export interface Upstream {
  /**
   * Calls an upstream server and reads the whole answer, whatever its status. Takes at most five
   * seconds in all and a megabyte after decompression, unless the request says otherwise.
   * @throws {UpstreamError} when there is no such answer, or the request's own abort reason
   */
  fetch(url: string | URL, request?: UpstreamRequest): Promise<Response>;
  /**
   * Opens a WebSocket at an http or https address, within five seconds.
   * @throws {UpstreamError} when it is refused, or the request's own abort reason
   */
  openSocket(url: string | URL, request: SocketRequest): Promise<UpstreamSocket>;
  /**
   * Opens a stream of server-sent events; its answer must begin within five seconds.
   * @throws {UpstreamError} when it is refused, or the request's own abort reason
   */
  openEvents(url: string | URL, request: EventRequest): Promise<UpstreamEvents>;
}

export {
  type Fetch,
  LARGEST_ANSWER_BYTES,
  UPSTREAM_DEADLINE_MS,
  UpstreamError,
  type UpstreamHeaders,
};

export interface UpstreamDeps {
  readonly clock: Pick<Clock, "after">;
  /** Origins that the operator chose. These may be private addresses and use plain http. */
  readonly trustedOrigins: readonly string[];
  readonly fetch?: Fetch;
  /** Is called after each call with its HTTP status, or `failed`. */
  onCall?(outcome: number | "failed"): void;
}

const USER_AGENT = `Marquee/${VERSION}`;
/** Statuses for which `Response` does not allow a body. */
const WITHOUT_BODY = [204, 205, 304];
const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 3;

export function createUpstream({ clock, trustedOrigins, ...deps }: UpstreamDeps): Upstream {
  const call: Fetch = deps.fetch ?? ((url, init) => fetch(url, init));

  /** The address, and its part that errors may name. */
  const guard = (target: string | URL) => {
    const url = new URL(target);
    const place = url.origin + url.pathname;
    if (!isAllowed(url, trustedOrigins)) {
      throw new UpstreamError(`${place} is not an address that may be called`);
    }
    return { url, place };
  };

  /** Opens a stream. Its code is loaded when it is first used. */
  const open = async <Stream>(
    signal: AbortSignal,
    openStream: () => Promise<{ readonly status: number; readonly stream: Stream }>,
  ): Promise<Stream> => {
    try {
      signal.throwIfAborted();
      const { status, stream } = await openStream();
      deps.onCall?.(status);
      return stream;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      deps.onCall?.("failed");
      throw error;
    }
  };

  return {
    async fetch(target, request = {}) {
      const { url, place } = guard(target);
      const ending = new AbortController();
      const stop = () => ending.abort();
      let late = false;
      const cancelDeadline = clock.after(UPSTREAM_DEADLINE_MS, () => {
        late = true;
        stop();
      });
      request.signal?.addEventListener("abort", stop);
      if (request.signal?.aborted) stop();
      const headers = withUserAgent(request.headers);
      const ask = (address: URL) =>
        call(address.href, {
          method: request.method ?? "GET",
          headers,
          ...(request.body !== undefined && { body: request.body }),
          redirect: "manual",
          signal: ending.signal,
        });
      try {
        let response = await ask(url);
        for (let followed = 0, from = url; followed < MOST_REDIRECTS; followed++) {
          const next = request.redirects && redirectWithin(from, response);
          if (!next) break;
          await response.body?.cancel();
          response = await ask(next);
          from = next;
        }
        const body = await readAll(response, ending.signal, place, request.largestBytes);
        const { status } = response;
        deps.onCall?.(status);
        return new Response(WITHOUT_BODY.includes(status) ? null : body, {
          status,
          headers: response.headers,
        });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        deps.onCall?.("failed");
        if (error instanceof UpstreamError) throw error;
        const problem = late ? "did not answer in time" : "could not be reached";
        // The error of `fetch` may contain the whole URL with its query, so it is left out.
        throw new UpstreamError(`${place} ${problem}`);
      } finally {
        cancelDeadline();
        request.signal?.removeEventListener("abort", stop);
      }
    },
    openSocket: (target, request) =>
      open(request.signal, async () => {
        const { url, place } = guard(target);
        const { openSocket } = await import("./upstream/socket.ts");
        const headers = withUserAgent(request.headers);
        const stream = await openSocket(url, place, { ...request, headers }, clock);
        return { status: 101, stream };
      }),
    openEvents: (target, request) =>
      open(request.signal, async () => {
        const { url, place } = guard(target);
        const { openEvents } = await import("./upstream/events.ts");
        const headers = withUserAgent(request.headers);
        const stream = await openEvents(url, place, { ...request, headers }, { clock, call });
        return { status: 200, stream };
      }),
  };
}

function withUserAgent(given?: UpstreamHeaders): Headers {
  const headers = new Headers(given);
  headers.set("User-Agent", USER_AGENT);
  return headers;
}

/** Where an answer redirects to, if that is the same server. */
function redirectWithin(from: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get("location");
  if (!REDIRECTS.includes(status) || location === null || !URL.canParse(location, from.href)) {
    return undefined;
  }
  const to = new URL(location, from);
  return to.origin === from.origin && !to.username && !to.password ? to : undefined;
}

async function readAll(
  response: Response,
  signal: AbortSignal,
  place: string,
  largestBytes = LARGEST_ANSWER_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  let bytes = 0;
  // Reading a very slow body does not always end when its request is aborted.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  aborted.catch(() => {});
  while (reader) {
    const { done, value } = await Promise.race([reader.read(), aborted]);
    if (done) break;
    bytes += value.length;
    chunks.push(value);
    if (bytes <= largestBytes) continue;
    reader.cancel().catch(() => {});
    throw new UpstreamError(`${place} answered with more than ${sizeText(largestBytes)}`);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Allows public hosts over https, and the origins that the operator chose. */
function isAllowed(url: URL, trustedOrigins: readonly string[]): boolean {
  if (url.username || url.password) return false;
  if (/^https?:$/.test(url.protocol) && trustedOrigins.includes(url.origin)) return true;
  return url.protocol === "https:" && isPublicHost(url.hostname);
}

/** The URL parser has already turned decimal and hexadecimal spellings into dotted addresses. */
function isPublicHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$|\.$/g, "");
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === "unicast";
  return bare.includes(".") && !/\.(localhost|local|internal|home\.arpa)\.?$/i.test(bare);
}
