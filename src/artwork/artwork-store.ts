import { createBoundedMap } from "../bounded-map.ts";
import type { Artwork } from "../playback.ts";
import { accentOf } from "./accent.ts";
import type { DiskCache } from "./disk-cache.ts";
import { encode, type Rendition, renditions, shrink } from "./drawing.ts";
import { createTurns } from "./turns.ts";

export { type Rendition, renditions, resize } from "./drawing.ts";

export interface RenderedArtwork {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/**
 * The pictures of the sources, at paths that cannot be guessed and never change. One picture is
 * drawn at a time. A user's pictures wait for each other; users take turns.
 */
export interface ArtworkStore {
  /** Registers a picture of a user's music and returns its path, such as `/art/mZ0…/256.webp`. */
  pathOf(artwork: Artwork, rendition: Rendition, userId: number): string;
  /** A vivid colour of the picture; `null` if it has none or is not analysed yet. */
  accentOf(artwork: Artwork): string | null;
  /**
   * Prepares the picture and colour for the overlay; never rejects. Nothing is prepared once the
   * user's music has moved on.
   */
  analyse(artwork: Artwork, userId: number): Promise<void>;
  /** A picture of a user's music; `undefined` when it cannot be read. */
  pictureOf(
    artwork: Artwork,
    rendition: Rendition,
    userId: number,
  ): Promise<RenderedArtwork | undefined>;
  /** The picture at a path; `undefined` when it is unknown or cannot be read. */
  render(id: string, rendition: string): Promise<RenderedArtwork | undefined>;
}

export interface ArtworkStoreDeps {
  /** Turns a picture's key into a name that cannot be guessed. */
  opaqueName(key: string): string;
  /** Whether a picture may still be one of what a user's music plays. */
  isCurrent(artwork: Artwork, userId: number): boolean;
  /** Called once per origin, and once for the disk: an origin often has many unreadable covers. */
  onUnreadable(reason: unknown, origin: string): void;
  /** Keeps resized pictures across restarts. */
  readonly disk: DiskCache;
  /** Finds a picture that only another node has been told of. */
  elsewhere(id: string): Promise<Artwork | undefined>;
}

const MOST_ARTWORKS = 1_024;
const MOST_RENDERED_BYTES = 16 * 1024 * 1024;
/** Files of a user that are loaded or wait to be drawn, at eight megabytes: the newest of them. */
const MOST_LOADED = 4;
/** Limits the memory for origins that were already logged. */
const MOST_REPORTED = 1_000;

/** One picture and the result of its analysis. */
interface Entry {
  /** The latest one: the source of an earlier one may no longer exist. */
  artwork: Artwork;
  /** Whose music named it last; `undefined` when only another node knows. */
  userId: number | undefined;
  accent: string | null;
  /** Set once it was analysed, or could not be. */
  analysed: Promise<void> | undefined;
}

/** A picture with the name that cannot be guessed. */
interface Registered {
  readonly id: string;
  readonly entry: Entry;
}

/** Who wants a picture to be drawn. */
interface Wish {
  /** `undefined` when that is unknown. */
  readonly userId: number | undefined;
  /** Whether it is wanted however long it takes, and not only while the music plays. */
  readonly isLasting: boolean;
}

/** A picture that waits for the turn of one of its users, or is being drawn. */
interface Drawing {
  readonly name: string;
  readonly userIds: Set<number | undefined>;
  isLasting: boolean;
  /** The file, once it is asked for. */
  original: Promise<Uint8Array> | undefined;
  /** The one that was wanted first comes first. `undefined` when nobody wants them any more. */
  readonly pictures: ReadonlyMap<Rendition, PromiseWithResolvers<RenderedArtwork | undefined>>;
}

export function createArtworkStore(deps: ArtworkStoreDeps): ArtworkStore {
  const { opaqueName, isCurrent, onUnreadable, disk } = deps;
  const entries = createBoundedMap<string, Entry>(MOST_ARTWORKS);
  /** Makes repeated lookups of the same picture fast: every answer needs one. */
  const registered = new WeakMap<Artwork, Registered>();
  const rendered = createBoundedMap<string, RenderedArtwork>(
    MOST_RENDERED_BYTES,
    ({ bytes }) => bytes.length,
  );
  /** Simultaneous requests for a picture look for it once. */
  const lookups = new Map<string, Promise<RenderedArtwork | undefined>>();
  const drawings = new Map<string, Drawing>();
  const turns = createTurns<number | undefined>(MOST_LOADED);

  const register = (artwork: Artwork, userId?: number): Registered => {
    const before = registered.get(artwork);
    const isKnown = before && entries.get(before.id) === before.entry;
    const found = isKnown ? before : registerAnew(artwork, before?.id ?? opaqueName(artwork.key));
    found.entry.userId = userId ?? found.entry.userId;
    return found;
  };

  const registerAnew = (artwork: Artwork, id: string): Registered => {
    const found = { id, entry: entries.get(id) ?? addEntry(id, artwork) };
    found.entry.artwork = artwork;
    registered.set(artwork, found);
    return found;
  };

  const addEntry = (id: string, artwork: Artwork): Entry => {
    const entry: Entry = { artwork, userId: undefined, accent: null, analysed: undefined };
    entries.set(id, entry);
    return entry;
  };

  const reported = createBoundedMap<string, true>(MOST_REPORTED);
  const report = (reason: unknown, origin = "unknown") => {
    if (reported.get(origin)) return;
    reported.set(origin, true);
    onUnreadable(reason, origin);
  };

  const nameOf = (id: string, rendition: Rendition) => `${id}-${rendition}`;

  const keep = (id: string, rendition: Rendition, bytes: Uint8Array<ArrayBuffer>) => {
    const picture = { bytes, type: renditions[rendition].type };
    rendered.set(nameOf(id, rendition), picture);
    return picture;
  };

  /** A picture that was drawn before; registers one that other nodes know. */
  const lookUp = async (id: string, rendition: Rendition) => {
    const bytes = await disk.read(nameOf(id, rendition));
    if (bytes) return keep(id, rendition, bytes);
    const found = entries.get(id) ? undefined : await deps.elsewhere(id);
    if (found && !entries.get(id)) addEntry(id, found);
    return undefined;
  };

  const lookUpOnce = (id: string, rendition: Rendition) => {
    const name = nameOf(id, rendition);
    const running = lookups.get(name);
    if (running) return running;
    const lookup = lookUp(id, rendition).finally(() => lookups.delete(name));
    lookups.set(name, lookup);
    return lookup;
  };

  const colour = async (entry: Entry, picture: Uint8Array) => {
    entry.accent = await accentOf(picture);
  };

  const drawAlone = async (id: string, original: Uint8Array, { pictures }: Drawing) => {
    const small = await shrink(original, [...pictures.keys()]);
    const entry = entries.get(id);
    if (entry) entry.analysed ??= colour(entry, small).catch(report);
    for (const rendition of pictures.keys()) {
      const bytes = await encode(small, rendition);
      pictures.get(rendition)?.resolve(keep(id, rendition, bytes));
      // If the disk is full, the picture is only drawn again after the next restart.
      disk.write(nameOf(id, rendition), bytes).catch((error: unknown) => report(error, "the disk"));
    }
  };

  const end = (
    { name, pictures }: Drawing,
    settle: (picture: PromiseWithResolvers<RenderedArtwork | undefined>) => void,
  ) => {
    drawings.delete(name);
    for (const picture of pictures.values()) settle(picture);
  };

  /** Whether a drawing has ended; ends one that nobody wants any more. */
  const isOver = (drawing: Drawing, { artwork }: Entry): boolean => {
    const { name, isLasting, userIds } = drawing;
    if (drawings.get(name) !== drawing) return true;
    const isFor = (userId: number | undefined) =>
      userId === undefined || isCurrent(artwork, userId);
    if (isLasting || [...userIds].some(isFor)) return false;
    end(drawing, ({ resolve }) => resolve(undefined));
    return true;
  };

  /** Draws a picture in one user's turn, unless another user's turn comes first. */
  const drawInTurn = async (id: string, entry: Entry, drawing: Drawing, userId?: number) => {
    if (isOver(drawing, entry)) return;
    try {
      // Its server may take seconds, so nobody's turn is used up by that.
      drawing.original ??= loadOf(entry.artwork);
      const original = await drawing.original;
      await turns.alone(userId, async () => {
        if (isOver(drawing, entry)) return;
        await drawAlone(id, original, drawing);
        drawings.delete(drawing.name);
      });
    } catch (error) {
      if (!isOver(drawing, entry)) end(drawing, ({ reject }) => reject(error));
    }
  };

  /** Whoever wants the same picture meanwhile gets it from the same drawing. */
  const drawn = (id: string, entry: Entry, rendition: Rendition, wish: Wish) => {
    const isAlone = isOursAlone(entry);
    const name = isAlone ? id : nameOf(id, rendition);
    const drawing =
      drawings.get(name) ?? newDrawing(name, isAlone ? firstOfAll(rendition) : [rendition]);
    drawings.set(name, drawing);
    drawing.isLasting ||= wish.isLasting;
    const { userId } = wish;
    if (!drawing.userIds.has(userId)) {
      drawing.userIds.add(userId);
      turns.prepare(userId, () => drawInTurn(id, entry, drawing, userId));
    }
    return drawing.pictures.get(rendition)?.promise;
  };

  /** @throws when the picture cannot be read */
  const find = async (id: string, rendition: Rendition, wish: Wish) => {
    const known = rendered.get(nameOf(id, rendition)) ?? (await lookUpOnce(id, rendition));
    if (known) return known;
    const entry = entries.get(id);
    const { userId = entry?.userId } = wish;
    return entry && drawn(id, entry, rendition, { ...wish, userId });
  };

  const show = (id: string, rendition: Rendition, userId?: number) =>
    find(id, rendition, { userId, isLasting: true }).catch((error: unknown) => {
      report(error, entries.get(id)?.artwork.origin);
      return undefined;
    });

  return {
    pathOf: (artwork, rendition, userId) => `/art/${register(artwork, userId).id}/${rendition}`,
    accentOf: (artwork) => register(artwork).entry.accent,
    async analyse(artwork, userId) {
      const { id, entry } = register(artwork, userId);
      try {
        const picture =
          !entry.analysed && (await find(id, "256.webp", { userId, isLasting: false }));
        // One that was drawn before a restart.
        if (picture) entry.analysed ??= colour(entry, picture.bytes);
        await entry.analysed;
      } catch (error) {
        // It is not read again and again.
        entry.analysed = Promise.resolve();
        report(error, artwork.origin);
      }
    },
    pictureOf: (artwork, rendition, userId) =>
      show(register(artwork, userId).id, rendition, userId),
    async render(id, rendition) {
      return isRendition(rendition) && ID_PATTERN.test(id) ? show(id, rendition) : undefined;
    },
  };
}

/** Pictures without a URL get all renditions at once, so that the original can be released. */
const isOursAlone = ({ artwork }: Entry): boolean => artwork.url === undefined;

const firstOfAll = (first: Rendition): readonly Rendition[] => [
  first,
  ...Object.keys(renditions)
    .filter(isRendition)
    .filter((name) => name !== first),
];

function newDrawing(name: string, wanted: readonly Rendition[]): Drawing {
  const pictures = new Map(
    wanted.map((rendition) => {
      const picture = Promise.withResolvers<RenderedArtwork | undefined>();
      // Nobody may wait for this one.
      picture.promise.catch(() => {});
      return [rendition, picture];
    }),
  );
  return { name, userIds: new Set(), isLasting: false, original: undefined, pictures };
}

/** Turns a synchronous error of the source into a rejection. */
const loadOf = async (artwork: Artwork): Promise<Uint8Array> => artwork.load();

/** Matches names from {@link ArtworkStoreDeps.opaqueName}. Only these are used in file names. */
const ID_PATTERN = /^[\w-]{22}$/;

function isRendition(name: string): name is Rendition {
  return Object.hasOwn(renditions, name);
}
