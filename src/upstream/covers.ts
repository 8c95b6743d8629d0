import type { Clock } from "../clock.ts";
import { hostOf } from "../ip-address.ts";
import type { Artwork } from "../playback.ts";
import { LARGEST_COVER_BYTES, loadCover } from "./cover.ts";
import { createUpstream, type Network, type UpstreamHeaders } from "./index.ts";
import { isShareable, mayBePublic } from "./public-hosts.ts";

/** Who names a cover. */
export interface CoverNamer {
  /** The connection, such as `json 3`. */
  readonly origin: string;
  readonly server?: CoverServer;
  /** What the picture is of, where an address may show another picture for something else. */
  readonly of?: string;
  /** Set for a service that names only pictures of its own. */
  readonly isVouchedFor?: true;
  /** The longest data URI, in characters; by default 48 KiB. */
  readonly longestDataUri?: number;
}

/** The server that the connection's user has entered. */
export interface CoverServer {
  readonly url: string;
  /** For this server alone: they may hold a token. */
  readonly headers?: UpstreamHeaders | undefined;
}

export interface CoversDeps {
  readonly clock: Pick<Clock, "after">;
  /** Hosts that may be called although they are private, and with plain http. */
  readonly playerHosts: readonly string[];
  readonly network: Network;
  /** Is called after each call with who named the cover, and its HTTP status, or `failed`. */
  onCall?(origin: string, outcome: number | "failed"): void;
}

/** For the sentence that refuses a cover. */
export const COVER_RULE =
  "must be an https address, an address on a host that the server's owner has listed in --player-hosts, or a data URI of a picture in base64 of at most 48 KiB";

const LONGEST_ADDRESS = 2_048;
const LONGEST_DATA_URI = 48 * 1024;

/**
 * Which covers may be loaded, whoever names them: pictures on public servers by https, on servers that
 * the owner has listed and on the one that a connection's user has entered, and pictures in data URIs.
 */
export function createCovers({ clock, playerHosts, network, onCall }: CoversDeps) {
  const isListed = (url: URL) => playerHosts.includes(hostOf(url));
  const isOwn = ({ origin }: URL, server: CoverServer | undefined) =>
    server !== undefined && origin === new URL(server.url).origin;
  /** Whether somebody has allowed that this server is called, private or not, with http or https. */
  const isAllowed = (url: URL, server?: CoverServer) => isListed(url) || isOwn(url, server);

  const addressIn = (text: string, server?: CoverServer): URL | undefined => {
    if (text.length > LONGEST_ADDRESS) return undefined;
    // Pages leave out the scheme.
    const url = URL.parse(text.startsWith("//") ? `https:${text}` : text);
    if (!url || url.username || url.password) return undefined;
    const isUsable =
      url.protocol === "https:" || (url.protocol === "http:" && isAllowed(url, server));
    return isUsable ? url : undefined;
  };

  const load = (address: URL, { origin, server }: CoverNamer): Promise<Uint8Array> =>
    loadCover(
      address,
      (at) => {
        const trustedOrigins = isAllowed(at, server) ? [at.origin] : [];
        const count = (outcome: number | "failed") => onCall?.(origin, outcome);
        return createUpstream({ clock, trustedOrigins, network, onCall: count }).fetch(at, {
          largestBytes: LARGEST_COVER_BYTES,
          ...(isOwn(at, server) && server?.headers && { headers: server.headers }),
        });
      },
      // Each address is judged anew: nobody on the internet may lead to a server in somebody's home.
      (from, to) => {
        if (from.protocol === "https:" && to.protocol !== "https:") return false;
        if (isAllowed(to, server)) return isAllowed(from, server) && /^https?:$/.test(to.protocol);
        return to.protocol === "https:" && mayBePublic(to);
      },
    );

  return {
    /** Whether this text is a cover that anybody may name. */
    allows: (text: string) =>
      pictureIn(text, LONGEST_DATA_URI) !== undefined || addressIn(text) !== undefined,
    /** The picture at an address or in a data URI; `undefined` when it may not be loaded. */
    named(text: string, namer: CoverNamer): Artwork | undefined {
      const { origin, server, longestDataUri = LONGEST_DATA_URI } = namer;
      const picture = pictureIn(text, longestDataUri);
      if (picture !== undefined) return inMemory(text, origin, async () => picture.decode());
      const url = addressIn(text, server);
      if (!url) return undefined;
      // With a token, the same address may show another picture.
      const needsToken = isOwn(url, server) && server?.headers !== undefined;
      const isShared = !isListed(url) && !needsToken && isShareable(url);
      return {
        key: [isOwn(url, server) ? origin : "cover", url.href, namer.of ?? ""].join(" ").trim(),
        ...(isShared && { url: url.href }),
        ...(isShared && namer.isVouchedFor && { isVouchedFor: true }),
        origin,
        load: () => load(url, namer),
      };
    },
    /**
     * A picture of the namer's own server, at an address that its source has made. Nobody else gets it.
     * @param name names its content among the pictures of this connection
     */
    ofServer(name: string, address: string, namer: CoverNamer & { server: CoverServer }) {
      const { origin } = namer;
      return { key: `${origin} ${name}`, origin, load: () => load(new URL(address), namer) };
    },
  };
}

export type Covers = ReturnType<typeof createCovers>;

/** A picture that was sent as it is: the same content is the same picture. */
export function inMemory(
  content: string | Uint8Array,
  origin: string,
  load: () => Promise<Uint8Array>,
): Artwork {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("base64url");
  return { key: `sent ${digest}`, origin, load };
}

/** SVG is a program as much as a picture. What else cannot be drawn here shows when it is drawn. */
const PICTURE_TYPE = /^data:image\/(?!svg)[\w.+-]+$/i;
const BASE64 = /^[\w+/-]+={0,2}$/;

/** The picture in a data URI, which may have parameters; `undefined` when the text is none. */
function pictureIn(text: string, longest: number): { decode(): Uint8Array } | undefined {
  if (text.length > longest || !/^data:/i.test(text)) return undefined;
  const comma = text.indexOf(",");
  const [type = "", ...parameters] = text.slice(0, comma).split(";");
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === "base64";
  if (comma === -1 || !isBase64 || !PICTURE_TYPE.test(type.trim())) return undefined;
  const base64 = text
    .slice(comma + 1)
    .replaceAll(/%2b|%2f|%3d/gi, (sign) => decodeURIComponent(sign))
    .replaceAll(/\s/g, "");
  return BASE64.test(base64) ? { decode: () => Buffer.from(base64, "base64") } : undefined;
}
