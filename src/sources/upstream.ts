import ipaddr from "ipaddr.js";
import type { Clock } from "../clock.ts";
import { VERSION } from "../version.ts";

/** What a call sends; this module sets the other options of `fetch`. */
export interface UpstreamRequest {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: RequestInit["body"];
  readonly signal?: AbortSignal | undefined;
  /** The largest answer in bytes, for covers; a megabyte if not given. */
  readonly largestBytes?: number;
}

/** Like `fetch`; tests pass their own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Upstream {
  /**
   * Calls an upstream server and reads the whole answer, whatever its status. Takes at most five
   * seconds in all and `largestBytes` after decompression. Redirects are not followed.
   * @throws {UpstreamError} when there is no such answer, or the request's own abort reason
   */
  fetch(url: string | URL, request?: UpstreamRequest): Promise<Response>;
}

/** An upstream gave no usable answer. The message names the address without its query. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
}

export interface UpstreamDeps {
  readonly clock: Pick<Clock, "after">;
  /** Origins that the operator chose. These may be private addresses and use plain http. */
  readonly trustedOrigins: readonly string[];
  readonly fetch?: Fetch;
  /** Is called after each call with its HTTP status, or `failed`. */
  onCall?(outcome: number | "failed"): void;
}

/** For a whole call with its body: without it, a half-open connection would never end. */
export const UPSTREAM_DEADLINE_MS = 5_000;
/** After decompression: a small compressed body can become very large. */
export const LARGEST_ANSWER_BYTES = 1024 * 1024;

const USER_AGENT = `Marquee/${VERSION}`;
/** Statuses for which `Response` does not allow a body. */
const WITHOUT_BODY = [204, 205, 304];

export function createUpstream({ clock, trustedOrigins, ...deps }: UpstreamDeps): Upstream {
  const call: Fetch = deps.fetch ?? ((url, init) => fetch(url, init));
  return {
    async fetch(target, request = {}) {
      const url = new URL(target);
      const place = url.origin + url.pathname;
      if (!isAllowed(url, trustedOrigins)) {
        throw new UpstreamError(`${place} is not an address that may be called`);
      }
      const ending = new AbortController();
      const stop = () => ending.abort();
      let late = false;
      const cancelDeadline = clock.after(UPSTREAM_DEADLINE_MS, () => {
        late = true;
        stop();
      });
      request.signal?.addEventListener("abort", stop);
      if (request.signal?.aborted) stop();
      const headers = new Headers(request.headers);
      headers.set("User-Agent", USER_AGENT);
      try {
        const response = await call(url.href, {
          method: request.method ?? "GET",
          headers,
          ...(request.body !== undefined && { body: request.body }),
          redirect: "manual",
          signal: ending.signal,
        });
        const largestBytes = request.largestBytes ?? LARGEST_ANSWER_BYTES;
        const body = await readAll(response, ending.signal, place, largestBytes);
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
  };
}

async function readAll(
  response: Response,
  signal: AbortSignal,
  place: string,
  largestBytes: number,
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
    throw new UpstreamError(
      `${place} answered with more than ${largestBytes / 1024 / 1024} megabyte(s)`,
    );
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
