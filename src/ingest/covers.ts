import type { Artwork } from "../playback.ts";
import type { Clock } from "../clock.ts";
import { loadCover } from "../upstream/cover.ts";
import { createUpstream, type Network } from "../upstream/index.ts";
import { isShareable } from "../upstream/public-hosts.ts";
import { createCoverRate } from "./cover-rate.ts";

/**
 * Pictures that programs name or send. A connection that brings too many new ones gets none until a
 * minute has passed.
 */
export interface Covers {
  /** Whether this text is a cover that may be used. */
  allows(text: string): boolean;
  /**
   * The picture at an address or in a data URI; `undefined` when it may not be used.
   * @param origin names the connection
   */
  named(text: string, origin: string): Artwork | undefined;
  /** A picture that was sent, for as long as the caller keeps the bytes. */
  sent(picture: Uint8Array, origin: string): Artwork | undefined;
}

export interface CoversDeps {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Hosts that may be called although they are private, and with plain http. */
  readonly playerHosts: readonly string[];
  readonly network: Network;
}

/** For the sentence that refuses a cover. */
export const COVER_RULE =
  "must be an https address, an address on a host that the server's owner has listed in --player-hosts, or a data URI of a picture in base64 of at most 48 KiB";

const LONGEST_ADDRESS = 2_048;
const LONGEST_DATA_URI = 48 * 1024;
const DATA_URI = /^data:image\/(?:png|jpeg|jpg|webp|gif|bmp);base64,([0-9A-Za-z+/]+={0,2})$/i;

export function createCovers({ clock, playerHosts, network }: CoversDeps): Covers {
  const isPlayerHost = ({ hostname }: URL) =>
    playerHosts.includes(hostname.replace(/^\[|\]$/g, ""));

  const addressIn = (text: string): URL | undefined => {
    const url = text.length <= LONGEST_ADDRESS ? URL.parse(text) : null;
    if (!url || url.username || url.password) return undefined;
    const isAllowed = url.protocol === "https:" || (url.protocol === "http:" && isPlayerHost(url));
    return isAllowed ? url : undefined;
  };

  const load = (url: URL): Promise<Uint8Array> => {
    const trustedOrigins = isPlayerHost(url) ? [url.origin] : [];
    return loadCover(createUpstream({ clock, trustedOrigins, network }), url.href);
  };

  const rate = createCoverRate(clock);
  const admitted = (artwork: Artwork, origin: string) =>
    rate.admits(origin, artwork.key) ? artwork : undefined;

  /** So that each picture is looked at once. */
  const sentArtworks = new WeakMap<Uint8Array, Artwork>();

  return {
    sent(picture, origin) {
      const known = sentArtworks.get(picture);
      if (known) return known;
      // The store of artworks remembers many of them: only the caller holds the large picture.
      const kept = new WeakRef(picture);
      const artwork = inMemory(picture, origin, async () => {
        const bytes = kept.deref();
        if (!bytes) throw new Error("the picture is no longer there");
        return bytes;
      });
      if (!admitted(artwork, origin)) return undefined;
      sentArtworks.set(picture, artwork);
      return artwork;
    },
    allows: (text) => dataIn(text) !== undefined || addressIn(text) !== undefined,
    named(text, origin) {
      const data = dataIn(text);
      if (data !== undefined)
        return admitted(
          inMemory(text, origin, async () => Buffer.from(data, "base64")),
          origin,
        );
      const url = addressIn(text);
      if (!url) return undefined;
      const isShared = !isPlayerHost(url) && isShareable(url);
      const shared = isShared ? { url: url.href } : {};
      const key = `pushed ${url.href}`;
      return admitted({ key, ...shared, origin, load: () => load(url) }, origin);
    },
  };
}

const dataIn = (text: string): string | undefined =>
  text.length <= LONGEST_DATA_URI ? DATA_URI.exec(text)?.[1] : undefined;

/** A picture that was sent as it is: the same content is the same picture. */
function inMemory(
  content: string | Uint8Array,
  origin: string,
  load: () => Promise<Uint8Array>,
): Artwork {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("base64url");
  return { key: `pushed ${digest}`, origin, load };
}
