import type { Clock } from "../clock.ts";
import { VERSION } from "../version.ts";
import {
  isEncoded,
  LARGEST_ANSWER_BYTES,
  sizeText,
  type StreamRequest,
  UPSTREAM_DEADLINE_MS,
  UpstreamError,
  type UpstreamHeaders,
} from "./call.ts";
import {
  type Destination,
  destinationsOf,
  headersFor,
  type LookUp,
  mayBePublic,
  type Network,
  type Reach,
} from "./public-hosts.ts";
import type { SocketRequest } from "./socket.ts";
import { errorCode } from "../error-code.ts";

/** What a call sends; this module sets the other options of `fetch`. */
export interface UpstreamRequest {
  readonly method?: string;
  readonly headers?: UpstreamHeaders;
  /** Where the upstream's operators find out whose server this is; by default they do not. */
  readonly contact?: string;
  readonly body?: RequestInit["body"];
  readonly signal?: AbortSignal | undefined;
  /** Without it nothing of the answer's body is read. */
  readonly wantsBody?: false;
  /** The largest answer; by default a megabyte. */
  readonly largestBytes?: number;
}

export * from "./call.ts";
export { NETWORK, type Network } from "./public-hosts.ts";

export interface UpstreamDeps {
  readonly clock: Pick<Clock, "after">;
  /** Origins that the operator chose. These may be private addresses and use plain http. */
  readonly trustedOrigins: readonly string[];
  /** Whether public servers are called by plain http too: nothing secret is sent to them. */
  readonly allowsHttp?: boolean;
  readonly network: Network;
  /** Is called after each call with its HTTP status, or `failed`. */
  onCall?(outcome: number | "failed"): void;
}

const USER_AGENT = `Marquee/${VERSION}`;
/** Statuses for which `Response` does not allow a body. */
const WITHOUT_BODY = [204, 205, 304];

/** Nobody answered at all, so nothing has been sent. */
const UNREACHED: readonly unknown[] = [
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
];

/**
 * The way to servers elsewhere. All its functions throw {@link UpstreamError} when there is no such answer,
 * or the request's own abort reason.
 */
export function createUpstream(deps: UpstreamDeps) {
  const { clock, trustedOrigins, allowsHttp = false, network, onCall = () => {} } = deps;
  const isTrusted = (url: URL) => trustedOrigins.includes(url.origin);

  const guard = (target: string | URL) => guarded(target, isTrusted, allowsHttp);

  /** Where an address leads that `guard` has let through. */
  const findDestinations = async (url: URL, place: string, signal: AbortSignal) => {
    const reach = isTrusted(url) ? "allowed" : "public";
    if (!network.lookUp) return [{ url }];
    return judgedDestinations(url, place, reach, network.lookUp, signal);
  };

  /** What is opened at the first address of a server at which somebody answers. */
  const openAt = async <Stream extends { readonly status: number }>(
    target: string | URL,
    { headers, signal }: Pick<StreamRequest, "headers" | "signal">,
    openOne: (destination: Destination, place: string, headers: Headers) => Promise<Stream>,
  ): Promise<Stream> => {
    try {
      signal.throwIfAborted();
      const { url, place } = guard(target);
      const limit = limitTime(clock, signal);
      const destinations = await findDestinations(url, place, limit.signal).finally(limit.cancel);
      const stream = await firstReached(destinations, (destination) =>
        openOne(destination, place, withUserAgent(headers)),
      );
      onCall(stream.status);
      return stream;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      onCall("failed");
      throw error;
    }
  };

  return {
    /**
     * Calls an upstream server and reads the whole answer, whatever its status. Takes at most five
     * seconds in all and a megabyte, unless the request says otherwise. Compressed ones are refused.
     */
    async fetch(target: string | URL, request: UpstreamRequest = {}) {
      const { url, place } = guard(target);
      const limit = limitTime(clock, request.signal);
      const headers = withUserAgent(request.headers, request.contact);
      try {
        const destinations = await findDestinations(url, place, limit.signal);
        const response = await firstReached(destinations, (destination) =>
          network.fetch(destination.url.href, {
            method: request.method ?? "GET",
            headers: headersFor(destination, headers),
            ...(request.body !== undefined && { body: request.body }),
            redirect: "manual",
            decompress: false,
            signal: limit.signal,
            ...(destination.name && { tls: destination.name.tls }),
          }),
        );
        const { status, headers: answered } = response;
        const hasBody = request.wantsBody !== false && !WITHOUT_BODY.includes(status);
        if (!hasBody) await response.body?.cancel();
        const body = hasBody
          ? await readAll(response, limit.signal, place, request.largestBytes)
          : null;
        onCall(status);
        return new Response(body, { status, headers: answered });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        onCall("failed");
        if (error instanceof UpstreamError) throw error;
        const problem = limit.isOver() ? "did not answer in time" : "could not be reached";
        // The error of `fetch` may contain the whole URL with its query, so it is left out.
        throw new UpstreamError(`${place} ${problem}`);
      } finally {
        limit.cancel();
      }
    },
    /** Opens a WebSocket at an http or https address, within five seconds. */
    async openSocket(target: string | URL, request: SocketRequest) {
      const { openSocket } = await import("./socket.ts");
      return openAt(target, request, (destination, place, headers) =>
        openSocket(destination, place, { ...request, headers }, clock),
      );
    },
    /** Opens an answer without an end, whatever its status; its head must arrive within five seconds. */
    async openStream(target: string | URL, request: StreamRequest) {
      const { openStream } = await import("./stream.ts");
      const parts = { clock, connect: network.connect };
      return openAt(target, request, (destination, place, headers) =>
        openStream(destination, place, { ...request, headers }, parts),
      );
    },
  };
}

export type Upstream = ReturnType<typeof createUpstream>;

/**
 * Aborts a call when its time is over, or when its caller gives up. `AbortSignal.any` would do so too, but
 * keeps each signal that it has made as long as the caller's own lives.
 */
function limitTime(clock: UpstreamDeps["clock"], caller: AbortSignal | undefined) {
  const ending = new AbortController();
  const stop = () => ending.abort();
  const late = new Error("late");
  const cancelDeadline = clock.after(UPSTREAM_DEADLINE_MS, () => ending.abort(late));
  caller?.addEventListener("abort", stop);
  if (caller?.aborted) stop();
  return {
    signal: ending.signal,
    isOver: () => ending.signal.reason === late,
    cancel() {
      cancelDeadline();
      caller?.removeEventListener("abort", stop);
    },
  };
}

function withUserAgent(given?: UpstreamHeaders, contact?: string): Headers {
  const headers = new Headers(given);
  const comment = contact === undefined ? "" : ` ( ${contact} )`;
  headers.set("User-Agent", USER_AGENT + comment);
  return headers;
}

/** The address, and its part that errors may name. @throws {UpstreamError} if it may not be called */
function guarded(target: string | URL, isTrusted: (url: URL) => boolean, allowsHttp: boolean) {
  const url = new URL(target);
  // The origin of a scheme that browsers do not know is the word null.
  const place = `${url.protocol}//${url.host}${url.pathname}`;
  const isAllowed =
    isTrusted(url) || ((url.protocol === "https:" || allowsHttp) && mayBePublic(url));
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || !isAllowed) {
    throw new UpstreamError(`${place} is not an address that may be called`);
  }
  return { url, place };
}

/** Where a server may be called, found in time. @throws {UpstreamError} when that is nowhere */
async function judgedDestinations(
  url: URL,
  place: string,
  reach: Reach,
  lookUp: LookUp,
  signal: AbortSignal,
): Promise<readonly Destination[]> {
  const found = destinationsOf(url, lookUp, reach).catch(() => {
    throw new UpstreamError(`${place} could not be reached, as its name is not known`);
  });
  const late = failingAt(signal, () => new UpstreamError(`${place} did not answer in time`));
  const destinations = await Promise.race([found, late]);
  if (destinations.length > 0) return destinations;
  throw new UpstreamError(
    reach === "allowed"
      ? `${place} leads to an address that is never called`
      : `${place} leads to a private address, which the operator has to allow before it is called`,
  );
}

/** Rejects when the time of a call is over, or its caller gives up. */
function failingAt(signal: AbortSignal, makeError: () => Error): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const fail = () => reject(makeError());
  signal.addEventListener("abort", fail, { once: true });
  if (signal.aborted) fail();
  return promise;
}

/** What comes of the first destination that can be reached. */
async function firstReached<Result>(
  destinations: readonly Destination[],
  reach: (destination: Destination) => Promise<Result>,
): Promise<Result> {
  let unreached: unknown;
  for (const destination of destinations) {
    try {
      return await reach(destination);
    } catch (error) {
      if (!wasUnreached(error)) throw error;
      unreached = error;
    }
  }
  throw unreached;
}

const wasUnreached = (error: unknown): boolean =>
  UNREACHED.includes(error instanceof UpstreamError ? error.cause : errorCode(error));

async function readAll(
  response: Response,
  signal: AbortSignal,
  place: string,
  largestBytes = LARGEST_ANSWER_BYTES,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (isEncoded(response)) {
    response.body?.cancel().catch(() => {});
    if (!response.ok) return null;
    throw new UpstreamError(`${place} answered compressed, which was not asked for`);
  }
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  let bytes = 0;
  // Reading a very slow body does not always end when its request is aborted.
  const aborted = failingAt(signal, () => new Error("aborted"));
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
