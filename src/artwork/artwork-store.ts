import { createBoundedMap } from "../bounded-map.ts";
import type { Artwork } from "../playback.ts";
import { accentOf } from "./accent.ts";
import type { DiskCache } from "./disk-cache.ts";

/** The sizes and formats of served pictures. The name is the last part of the path. */
export const renditions = {
  /** For the overlay. */
  "256.webp": { sidePx: 256, type: "image/webp" },
  /** For overlay themes with a large cover. */
  "512.webp": { sidePx: 512, type: "image/webp" },
  /** For API clients, in the format that every program can show. */
  "640.jpg": { sidePx: 640, type: "image/jpeg" },
  /** For cards, which carry the picture in them. */
  "128.jpg": { sidePx: 128, type: "image/jpeg" },
} as const;

export type Rendition = keyof typeof renditions;

export interface RenderedArtwork {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The pictures of the sources, at paths that cannot be guessed and never change. */
export interface ArtworkStore {
  /** Registers a picture and returns its path, such as `/art/mZ0…/256.webp`. */
  pathOf(artwork: Artwork, rendition: Rendition): string;
  /** A vivid colour of the picture; `null` if it has none or is not analysed yet. */
  accentOf(artwork: Artwork): string | null;
  /** Prepares the picture and colour for the overlay; never rejects. */
  analyse(artwork: Artwork): Promise<void>;
  /** A picture; `undefined` when it cannot be read. */
  pictureOf(artwork: Artwork, rendition: Rendition): Promise<RenderedArtwork | undefined>;
  /** The picture at a path; `undefined` when it is unknown or cannot be read. */
  render(id: string, rendition: string): Promise<RenderedArtwork | undefined>;
}

export interface ArtworkStoreDeps {
  /** Turns a picture's key into a name that cannot be guessed. */
  opaqueName(key: string): string;
  /** Called once per origin, and once for the disk: an origin often has many unreadable covers. */
  onUnreadable(reason: unknown, origin: string): void;
  /** Keeps resized pictures across restarts. */
  readonly disk?: DiskCache;
  /** Finds a picture that only another node has been told of. */
  elsewhere?(id: string): Promise<Artwork | undefined>;
}

const MOST_ARTWORKS = 1_024;
const MOST_RENDERED_BYTES = 16 * 1024 * 1024;
/** Limits the memory for origins that were already logged. */
const MOST_REPORTED = 1_000;
/** No real cover is larger. Protects against decompression bombs. */
const MOST_PIXELS = 6_000 * 6_000;

/** One picture and the results of its analysis. */
interface Entry {
  /** The latest one: the source of an earlier one may no longer exist. */
  artwork: Artwork;
  accent: string | null;
  analysed: Promise<void> | undefined;
  /** The original file, while it is in use. */
  original: { readonly bytes: Promise<Uint8Array>; users: number } | undefined;
}

/** A picture with the name that cannot be guessed. */
interface Registered {
  readonly id: string;
  readonly entry: Entry;
}

export function createArtworkStore(deps: ArtworkStoreDeps): ArtworkStore {
  const { opaqueName, onUnreadable, disk } = deps;
  const entries = createBoundedMap<string, Entry>(MOST_ARTWORKS);
  /** Makes repeated lookups of the same picture fast: every answer needs one. */
  const registered = new WeakMap<Artwork, Registered>();
  const rendered = createBoundedMap<string, RenderedArtwork>(
    MOST_RENDERED_BYTES,
    ({ bytes }) => bytes.length,
  );
  const rendering = new Map<string, Promise<RenderedArtwork | undefined>>();

  const register = (artwork: Artwork): Registered => {
    const before = registered.get(artwork);
    if (before && entries.get(before.id) === before.entry) return before;
    const id = before?.id ?? opaqueName(artwork.key);
    const found = { id, entry: entries.get(id) ?? addEntry(id, artwork) };
    found.entry.artwork = artwork;
    registered.set(artwork, found);
    return found;
  };

  const addEntry = (id: string, artwork: Artwork): Entry => {
    const entry: Entry = { artwork, accent: null, analysed: undefined, original: undefined };
    entries.set(id, entry);
    return entry;
  };

  const reported = createBoundedMap<string, true>(MOST_REPORTED);
  const report = (reason: unknown, origin = "unknown") => {
    if (reported.get(origin)) return;
    reported.set(origin, true);
    onUnreadable(reason, origin);
  };

  /** Simultaneous uses share the original; after the last one it is released. */
  const withOriginal = async <T>(entry: Entry, use: (bytes: Uint8Array) => Promise<T>) => {
    const original = (entry.original ??= { bytes: loadOf(entry.artwork), users: 0 });
    original.users += 1;
    try {
      return await use(await original.bytes);
    } finally {
      original.users -= 1;
      if (original.users === 0) entry.original = undefined;
    }
  };

  const draw = (id: string, entry: Entry, rendition: Rendition, name: string) =>
    withOriginal(entry, async (original) => {
      const bytes = await resize(original, rendition);
      // If the disk is full, the picture is only resized again after the next restart.
      disk?.write(name, bytes).catch((error: unknown) => report(error, "the disk"));
      if (isOursAlone(entry)) void study(id, entry);
      return bytes;
    });

  const find = async (id: string, rendition: Rendition, name: string) => {
    let entry = entries.get(id);
    try {
      const drawn = await disk?.read(name);
      const found = drawn || entry ? undefined : await deps.elsewhere?.(id);
      if (found) entry = entries.get(id) ?? addEntry(id, found);
      const bytes = drawn ?? (entry && (await draw(id, entry, rendition, name)));
      if (!bytes) return undefined;
      const picture = { bytes, type: renditions[rendition].type };
      rendered.set(name, picture);
      return picture;
    } catch (error) {
      report(error, entry?.artwork.origin);
      return undefined;
    }
  };

  const render = async (id: string, rendition: string) => {
    if (!isRendition(rendition) || !ID_PATTERN.test(id)) return undefined;
    const name = `${id}-${rendition}`;
    const existing = rendered.get(name) ?? rendering.get(name);
    if (existing) return existing;
    const picture = find(id, rendition, name).finally(() => rendering.delete(name));
    rendering.set(name, picture);
    return picture;
  };

  const examine = async (id: string, entry: Entry) => {
    try {
      await withOriginal(entry, async (picture) => {
        await render(id, "256.webp");
        entry.accent = await accentOf(picture, MOST_PIXELS);
        if (isOursAlone(entry)) void drawTheRest(id, entry);
      });
    } catch (error) {
      report(error, entry.artwork.origin);
    }
  };
  const study = (id: string, entry: Entry) => (entry.analysed ??= examine(id, entry));

  /** One at a time: resizing a large picture takes a hundred megabytes. */
  const drawTheRest = (id: string, entry: Entry) =>
    withOriginal(entry, async () => {
      for (const rendition of Object.keys(renditions)) await render(id, rendition);
    });

  return {
    pathOf: (artwork, rendition) => `/art/${register(artwork).id}/${rendition}`,
    accentOf: (artwork) => register(artwork).entry.accent,
    analyse(artwork) {
      const { id, entry } = register(artwork);
      return study(id, entry);
    },
    pictureOf: (artwork, rendition) => render(register(artwork).id, rendition),
    render,
  };
}

/** Pictures without a URL get all renditions at once, so that the original can be released. */
const isOursAlone = ({ artwork }: Entry): boolean => artwork.url === undefined;

/** Turns a synchronous error of the source into a rejection. */
const loadOf = async (artwork: Artwork): Promise<Uint8Array> => artwork.load();

/** Matches names from {@link ArtworkStoreDeps.opaqueName}. Only these are used in file names. */
const ID_PATTERN = /^[\w-]{22}$/;

/** The largest file that an overlay may load for one cover, and that a card may carry. */
const MOST_OVERLAY_BYTES = 60 * 1024;
const MOST_CARD_BYTES = 16 * 1024;
/** Tried in order until a picture is small enough; the first nearly always suffices. */
const ATTEMPTS = [
  { scale: 1, quality: 82 },
  { scale: 1, quality: 60 },
  { scale: 0.75, quality: 60 },
  { scale: 0.5, quality: 60 },
] as const;

/** Resizes the whole picture, uncropped, to at most the rendition's size. */
export async function resize(
  bytes: Uint8Array,
  rendition: Rendition,
): Promise<Uint8Array<ArrayBuffer>> {
  const { sidePx } = renditions[rendition];
  const resized = (scale: number) =>
    new Bun.Image(bytes, { maxPixels: MOST_PIXELS }).resize(sidePx * scale, sidePx * scale, {
      fit: "inside",
      withoutEnlargement: true,
    });
  if (rendition === "640.jpg") {
    return new Uint8Array(await resized(1).jpeg({ quality: 85 }).bytes());
  }
  const isForCard = rendition === "128.jpg";
  let picture = new Uint8Array();
  for (const { scale, quality } of ATTEMPTS) {
    const smaller = resized(scale);
    const file = isForCard ? smaller.jpeg({ quality }) : smaller.webp({ quality });
    picture = new Uint8Array(await file.bytes());
    if (picture.length <= (isForCard ? MOST_CARD_BYTES : MOST_OVERLAY_BYTES)) break;
  }
  return picture;
}

function isRendition(name: string): name is Rendition {
  return Object.hasOwn(renditions, name);
}
