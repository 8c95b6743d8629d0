import { createBoundedMap } from "../bounded-map.ts";
import { oncePerObject } from "../once.ts";
import type { Artwork } from "../playback.ts";
import { CoverMissing } from "../upstream/cover.ts";
import { UpstreamError } from "../upstream/index.ts";
import type { DiskCache } from "./disk-cache.ts";
import { type Rendition, renditions } from "./drawing.ts";
import {
  colour,
  createDrawingQueue,
  type Entry,
  isRendition,
  nameOf,
  newEntry,
  type RenderedArtwork,
  type DrawingOptions,
} from "./drawing-queue.ts";

export interface ArtworkStoreDeps {
  /** Turns a picture's key into a name that cannot be guessed. */
  opaqueName(key: string): string;
  /** Whether a picture may still be one of what a user's music plays. */
  isCurrent(artwork: Artwork, userId: number): boolean;
  /** Called once per origin, and once for the disk: an origin often has many unreadable covers. */
  onUnreadable(reason: unknown, origin: string): void;
  /**
   * Called when a picture of a user's music cannot be shown.
   * @param isPassing whether it may be there a moment later
   */
  onFailed(userId: number, artwork: Artwork, isPassing: boolean): void;
  /** Keeps resized pictures across restarts. */
  readonly disk: DiskCache;
}

const MOST_ARTWORKS = 1_024;
const MOST_RENDERED_BYTES = 16 * 1024 * 1024;
/** Limits the memory for origins that were already logged. */
const MOST_REPORTED = 1_000;

/**
 * The pictures of the sources, at paths that cannot be guessed and never change. One picture is
 * drawn at a time. A user's pictures wait for each other; users take turns.
 */
export function createArtworkStore(deps: ArtworkStoreDeps) {
  const { opaqueName, isCurrent, onUnreadable, disk } = deps;
  const entries = createBoundedMap<string, Entry>(MOST_ARTWORKS);
  /** Every answer needs one. */
  const idOf = oncePerObject(({ key }: Artwork) => opaqueName(key));
  const rendered = createBoundedMap<string, RenderedArtwork>(
    MOST_RENDERED_BYTES,
    ({ bytes }) => bytes.length,
  );
  /** Simultaneous requests for a picture look for it once. */
  const lookups = new Map<string, Promise<RenderedArtwork | undefined>>();

  const register = (artwork: Artwork, userId?: number) => {
    const id = idOf(artwork);
    const entry = entries.get(id) ?? newEntry(artwork);
    entries.set(id, entry);
    entry.artwork = artwork;
    entry.userId = userId ?? entry.userId;
    return { id, entry };
  };

  const report = onceByOrigin(onUnreadable);

  const fail = (error: unknown, entry: Entry, userId = entry.userId) => {
    const { artwork } = entry;
    report(error, artwork.origin);
    const isPassing = mayPass(error);
    // Others may reach a public server that this one does not reach now.
    if (userId === undefined || (isPassing && artwork.url !== undefined)) return;
    entry.hasFailed = true;
    deps.onFailed(userId, artwork, isPassing);
  };

  const keep = (id: string, rendition: Rendition, bytes: Uint8Array<ArrayBuffer>) => {
    const picture = { bytes, type: renditions[rendition].type };
    rendered.set(nameOf(id, rendition), picture);
    return picture;
  };

  /** A picture that was drawn before. */
  const lookUp = (id: string, rendition: Rendition) => {
    const name = nameOf(id, rendition);
    const running = lookups.get(name);
    if (running) return running;
    const lookup = disk
      .read(name)
      .then((bytes) => bytes && keep(id, rendition, bytes))
      .finally(() => lookups.delete(name));
    lookups.set(name, lookup);
    return lookup;
  };

  const draw = createDrawingQueue({ isCurrent, disk, report, keep, entryOf: entries.get });

  /** @throws when the picture cannot be read */
  const find = async (id: string, rendition: Rendition, options: DrawingOptions) => {
    const known = rendered.get(nameOf(id, rendition)) ?? (await lookUp(id, rendition));
    if (known) return known;
    const entry = entries.get(id);
    const { userId = entry?.userId } = options;
    return entry && draw(id, entry, rendition, { ...options, userId });
  };

  const show = (id: string, rendition: Rendition, userId?: number) =>
    find(id, rendition, { userId, isLasting: true }).catch((error: unknown) => {
      const entry = entries.get(id);
      if (entry) fail(error, entry, userId);
      return undefined;
    });

  const analyse = async (artwork: Artwork, userId: number): Promise<void> => {
    const { id, entry } = register(artwork, userId);
    try {
      const picture = !entry.analysed && (await find(id, "256.webp", { userId, isLasting: false }));
      // One that was drawn before a restart.
      if (picture) entry.analysed ??= colour(entry, picture.bytes);
      await entry.analysed;
    } catch (error) {
      // It is not read again and again.
      entry.analysed = Promise.resolve();
      fail(error, entry, userId);
    }
  };

  return {
    /** Registers a picture of a user's music and returns its path, such as `/art/mZ0…/256.webp`. */
    pathOf: (artwork: Artwork, rendition: Rendition, userId: number) =>
      `/art/${register(artwork, userId).id}/${rendition}`,
    /** A vivid colour of the picture; `null` if it has none or is not analysed yet. */
    accentOf: (artwork: Artwork) => register(artwork).entry.accent,
    /**
     * Prepares a picture that was not looked at yet: whether it can be shown is known then. Never rejects;
     * `undefined` where there is nothing to find out.
     */
    look(artwork: Artwork, userId: number) {
      if (artwork.isVouchedFor) return undefined;
      const { entry } = register(artwork, userId);
      // It was left out since, and may be there by now.
      if (entry.hasFailed) entry.analysed = undefined;
      entry.hasFailed = false;
      return entry.analysed ? undefined : analyse(artwork, userId);
    },
    /** Prepares picture and colour for the overlay, unless the music has moved on; never rejects. */
    analyse,
    /** A picture of a user's music; `undefined` when it cannot be read. */
    pictureOf: (artwork: Artwork, rendition: Rendition, userId: number) =>
      show(register(artwork, userId).id, rendition, userId),
    /** The picture at a path; `undefined` when it is unknown or cannot be read. */
    render: async (id: string, rendition: string) =>
      isRendition(rendition) && ID_PATTERN.test(id) ? show(id, rendition) : undefined,
  };
}

export type ArtworkStore = ReturnType<typeof createArtworkStore>;

/** Whether a picture may be there a moment later: its server did not say that it is not. */
const mayPass = (error: unknown): boolean =>
  error instanceof UpstreamError && !(error instanceof CoverMissing);

function onceByOrigin(onUnreadable: ArtworkStoreDeps["onUnreadable"]) {
  const reported = createBoundedMap<string, true>(MOST_REPORTED);
  return (reason: unknown, origin = "unknown") => {
    if (reported.get(origin)) return;
    reported.set(origin, true);
    onUnreadable(reason, origin);
  };
}

/** Matches names from {@link ArtworkStoreDeps.opaqueName}. Only these are used in file names. */
const ID_PATTERN = /^[\w-]{22}$/;
