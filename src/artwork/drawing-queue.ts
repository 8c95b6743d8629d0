import type { Artwork } from "../playback.ts";
import { accentOf } from "./accent.ts";
import type { DiskCache } from "./disk-cache.ts";
import { encode, type Rendition, renditions, shrink } from "./drawing.ts";
import { createTurns } from "./turns.ts";
import type { InTurn } from "../in-turn.ts";

export interface RenderedArtwork {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Files of a user that are loaded or wait to be drawn, at eight megabytes: the newest of them. */
const MOST_LOADED = 4;

/** One picture and the result of its analysis. */
export interface Entry {
  /** The latest one: the source of an earlier one may no longer exist. */
  artwork: Artwork;
  /** Whose music named it last; `undefined` until that is known. */
  userId: number | undefined;
  accent: string | null;
  /** Whether it could not be shown when it was asked for last. */
  hasFailed: boolean;
  /** Set once it was analysed, or could not be. */
  analysed: Promise<void> | undefined;
}

export const newEntry = (artwork: Artwork): Entry => ({
  artwork,
  userId: undefined,
  accent: null,
  hasFailed: false,
  analysed: undefined,
});

/** For whom a picture is drawn, and how long that may take. */
export interface DrawingOptions {
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

export interface DrawingQueueDeps {
  /** Whether a picture may still be one of what a user's music plays. */
  isCurrent(artwork: Artwork, userId: number): boolean;
  readonly disk: DiskCache;
  entryOf(id: string): Entry | undefined;
  /** Keeps a picture that was drawn. */
  keep(id: string, rendition: Rendition, bytes: Uint8Array<ArrayBuffer>): RenderedArtwork;
  report(reason: unknown, origin?: string): void;
}

/**
 * Draws pictures: one at a time, each user in turn. Returns a function that resolves with the
 * picture, with `undefined` when nobody wants it any more, and rejects if it cannot be read.
 */
export function createDrawingQueue(deps: DrawingQueueDeps) {
  const drawings = new Map<string, Drawing>();
  const prepare = createTurns<number | undefined>(MOST_LOADED);

  const drawAlone = async (id: string, original: Uint8Array, { pictures }: Drawing) => {
    const small = await shrink(original, [...pictures.keys()]);
    const entry = deps.entryOf(id);
    if (entry) entry.analysed ??= colour(entry, small).catch(deps.report);
    for (const rendition of pictures.keys()) {
      const bytes = await encode(small, rendition);
      pictures.get(rendition)?.resolve(deps.keep(id, rendition, bytes));
      // If the disk is full, the picture is only drawn again after the next restart.
      deps.disk
        .write(nameOf(id, rendition), bytes)
        .catch((error: unknown) => deps.report(error, "the disk"));
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
      userId === undefined || deps.isCurrent(artwork, userId);
    if (isLasting || [...userIds].some(isFor)) return false;
    end(drawing, ({ resolve }) => resolve(undefined));
    return true;
  };

  /** Draws a picture in one user's turn, unless another user's turn comes first. */
  const drawInTurn = async (id: string, entry: Entry, drawing: Drawing, alone: InTurn) => {
    if (isOver(drawing, entry)) return;
    try {
      // Its server may take seconds, so nobody's turn is used up by that.
      drawing.original ??= loadOf(entry.artwork);
      const original = await drawing.original;
      await alone(async () => {
        if (isOver(drawing, entry)) return;
        await drawAlone(id, original, drawing);
        drawings.delete(drawing.name);
      });
    } catch (error) {
      if (!isOver(drawing, entry)) end(drawing, ({ reject }) => reject(error));
    }
  };

  // Those who want the same picture meanwhile get it from the same drawing.
  return (id: string, entry: Entry, rendition: Rendition, options: DrawingOptions) => {
    const isAlone = isOursAlone(entry);
    const name = isAlone ? id : nameOf(id, rendition);
    const drawing =
      drawings.get(name) ?? newDrawing(name, isAlone ? firstOfAll(rendition) : [rendition]);
    drawings.set(name, drawing);
    drawing.isLasting ||= options.isLasting;
    const { userId } = options;
    if (!drawing.userIds.has(userId)) {
      drawing.userIds.add(userId);
      prepare(userId, (alone) => drawInTurn(id, entry, drawing, alone));
    }
    return drawing.pictures.get(rendition)?.promise;
  };
}

/** Notes the colour of a picture. */
export async function colour(entry: Entry, picture: Uint8Array): Promise<void> {
  entry.accent = await accentOf(picture);
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

export function isRendition(name: string): name is Rendition {
  return Object.hasOwn(renditions, name);
}

/** The name of a drawn picture. */
export const nameOf = (id: string, rendition: Rendition) => `${id}-${rendition}`;
