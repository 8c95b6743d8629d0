import type { Artwork } from "../playback/playback.ts";

/** The forms a picture is served in. The name is the last part of its address. */
export const renditions = {
  /** For the widget. */
  "256.webp": { sidePx: 256, type: "image/webp" },
  /** For the widget's large themes. */
  "512.webp": { sidePx: 512, type: "image/webp" },
  /** For whoever reads the API, in the format that everything shows. */
  "640.jpg": { sidePx: 640, type: "image/jpeg" },
} as const;

export type Rendition = keyof typeof renditions;

export interface RenderedArtwork {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Pictures that sources have named, under addresses that cannot be guessed and never change. */
export interface ArtworkStore {
  /** The path of a picture, such as `/art/mZ0…/256.webp`, which works from then on. */
  pathOf(artwork: Artwork, rendition: Rendition): string;
  /** The picture at a path; `undefined` when no source named it or it cannot be read. */
  render(id: string, rendition: string): Promise<RenderedArtwork | undefined>;
}

export interface ArtworkStoreDeps {
  /** An unguessable name for a picture's key. */
  opaqueName(key: string): string;
  onUnreadable(reason: unknown): void;
}

const MOST_ARTWORKS = 1_024;
const MOST_RENDERED_BYTES = 32 * 1024 * 1024;
/** A cover is not larger; a bomb is. */
const MOST_PIXELS = 6_000 * 6_000;

export function createArtworkStore({ opaqueName, onUnreadable }: ArtworkStoreDeps): ArtworkStore {
  const artworks = new Map<string, Artwork>();
  const ids = new WeakMap<Artwork, string>();
  const rendered = new Map<string, Promise<RenderedArtwork | undefined>>();
  let renderedBytes = 0;

  const register = (artwork: Artwork): string => {
    const known = ids.get(artwork);
    if (known !== undefined && artworks.has(known)) return known;
    const id = known ?? opaqueName(artwork.key);
    ids.set(artwork, id);
    artworks.delete(id);
    artworks.set(id, artwork);
    for (const oldest of artworks.keys()) {
      if (artworks.size <= MOST_ARTWORKS) break;
      artworks.delete(oldest);
    }
    return id;
  };

  const keep = (path: string, picture: RenderedArtwork) => {
    renderedBytes += picture.bytes.length;
    for (const [oldestPath, oldest] of rendered) {
      if (renderedBytes <= MOST_RENDERED_BYTES || oldestPath === path) break;
      rendered.delete(oldestPath);
      void oldest.then((gone) => {
        renderedBytes -= gone?.bytes.length ?? 0;
      });
    }
  };

  const draw = async (artwork: Artwork, rendition: Rendition, path: string) => {
    try {
      const picture = await resize(await artwork.load(), rendition);
      keep(path, picture);
      return picture;
    } catch (error) {
      onUnreadable(error);
      rendered.delete(path);
      return undefined;
    }
  };

  return {
    pathOf: (artwork, rendition) => `/art/${register(artwork)}/${rendition}`,
    async render(id, rendition) {
      if (!isRendition(rendition)) return undefined;
      const path = `${id}/${rendition}`;
      const existing = rendered.get(path);
      if (existing) return existing;
      const artwork = artworks.get(id);
      if (!artwork) return undefined;
      const picture = draw(artwork, rendition, path);
      rendered.set(path, picture);
      return picture;
    },
  };
}

/** Whole and uncropped, at most as large as the rendition. */
async function resize(bytes: Uint8Array, rendition: Rendition): Promise<RenderedArtwork> {
  const { sidePx, type } = renditions[rendition];
  const image = new Bun.Image(bytes, { maxPixels: MOST_PIXELS }).resize(sidePx, sidePx, {
    fit: "inside",
    withoutEnlargement: true,
  });
  const encoded = type === "image/webp" ? image.webp({ quality: 82 }) : image.jpeg({ quality: 85 });
  return { bytes: new Uint8Array(await encoded.bytes()), type };
}

function isRendition(name: string): name is Rendition {
  return Object.hasOwn(renditions, name);
}
