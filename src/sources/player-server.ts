import { createBoundedMap } from "../bounded-map.ts";
import type { Artwork } from "../playback.ts";
import { textIn } from "../decode-text.ts";
import type { Covers } from "../upstream/covers.ts";
import { parseJson, UnreadableAnswer } from "../upstream/json.ts";
import { statusFailure } from "./answer-failure.ts";
import { retryLater, unauthorized, type WatchContext } from "./source.ts";
import { type Upstream, type UpstreamHeaders } from "../upstream/index.ts";
import { answeredAtMs, retryAfterMsOf } from "../upstream/retry-after.ts";

/** A server at an address that a user entered: its answers and its pictures. */

/** A server that is listened to. */
export type PlayerServer = ReturnType<typeof createPlayerServer>;

/** What each request to a server has. */
export interface ServerRequest {
  readonly headers?: UpstreamHeaders;
  /** The largest answer or message; by default a megabyte. */
  readonly largestBytes?: number;
}

export interface PlayerServerDeps {
  readonly upstream: Upstream;
  readonly covers: Covers;
}

interface ServerAnswer {
  /** `null` for an answer without content. */
  readonly body: unknown;
  /** Monotonic time at which the answer arrived, in milliseconds. */
  readonly observedAtMs: number;
  /**
   * The server's own time at this moment, as Unix time in milliseconds, whatever becomes of our clock; the
   * time that ours had if it does not report it.
   */
  serverWallMs(): number;
}

const MOST_ARTWORKS = 16;
const NO_CONTENT = 204;

export function createPlayerServer(
  { id, name, url }: { readonly id: string; readonly name: string; readonly url: string },
  { upstream, covers }: PlayerServerDeps,
  { clock, signal, connection }: WatchContext,
  request: ServerRequest,
) {
  const namer = { origin: `${id} ${connection.id}`, server: { url, ...request } };
  const artworks = createBoundedMap<string, Artwork>(MOST_ARTWORKS);
  const refused = () => unauthorized(`${name} at ${url} refuses the token`);
  return {
    name,
    /** Without a slash at the end. */
    url,
    /** Refuses our credentials. */
    unauthorized: refused,
    openSocket: (path: string) => upstream.openSocket(url + path, { ...request, signal }),
    /**
     * @param missing what a 404 means, as the end of a sentence that begins with "it"
     * @throws {SourceFailure}, {@link UpstreamError} or {@link UnreadableAnswer}
     */
    async getJson(path: string, missing?: string): Promise<ServerAnswer> {
      const response = await upstream.fetch(url + path, { ...request, signal });
      const observedAtMs = clock.monotonicMs();
      const { status, headers } = response;
      const epochMs = answeredAtMs(headers, clock.wallMs()) - observedAtMs;
      const serverWallMs = () => epochMs + clock.monotonicMs();
      if (status === 401 || status === 403) throw refused();
      if (status === 429) {
        const pauseMs = retryAfterMsOf(headers.get("retry-after"), clock.wallMs());
        throw retryLater(pauseMs, "limited", `${name} at ${url} has asked for a pause`);
      }
      if (status === NO_CONTENT) return { body: null, observedAtMs, serverWallMs };
      if (status === 404 && missing !== undefined) throw new UnreadableAnswer(`it ${missing}`);
      if (status !== 200) throw statusFailure(`${name} at ${url}`, status);
      const body = parseJson(await textIn(response));
      return { body, observedAtMs, serverWallMs };
    },
    /**
     * The picture at an address of this server that the source has made.
     * @param key names its content, within this server
     */
    artwork(key: string, address: string): Artwork {
      const artwork = artworks.get(key) ?? covers.ofServer(key, address, namer);
      artworks.set(key, artwork);
      return artwork;
    },
    /** The picture that an answer names; none when it may not be loaded. */
    covers(named = ""): readonly Artwork[] {
      const artwork = artworks.get(named) ?? covers.named(named, namer);
      if (!artwork) return [];
      artworks.set(named, artwork);
      return [artwork];
    },
  };
}
