import { createBoundedMap } from "../bounded-map.ts";
import type { Artwork } from "../playback.ts";
import type { PushedCovers } from "./covers.ts";

/** Names a picture that was received. */
export type PictureId = number;

/** The pictures that browsers send. Of each connection, one is shown, and one may wait. */
export type Pictures = ReturnType<typeof createPictures>;

/** What the pictures of all connections of this server take at most; then the oldest make room. */
export const MOST_PICTURE_BYTES = 32 * 1024 * 1024;

interface Picture {
  readonly id: PictureId;
  readonly bytes: Uint8Array;
}

interface Shown {
  readonly id: PictureId;
  /** Known from the first look on. It may be drawn already when its bytes make room. */
  artwork: Artwork | undefined;
}

type Place = `${"shown" | "waiting"} ${number}`;

export function createPictures({ sent }: Pick<PushedCovers, "sent">) {
  const pictures = createBoundedMap<Place, Picture>(MOST_PICTURE_BYTES, (one) => one.bytes.length);
  const shown = new Map<number, Shown>();
  let lastId = 0;

  const forgetShown = (connectionId: number) => {
    shown.delete(connectionId);
    pictures.take(`shown ${connectionId}`);
  };

  return {
    /** Keeps a picture whose track is still to come, in place of the one that waited before. */
    receive(connectionId: number, picture: Uint8Array): PictureId {
      lastId += 1;
      pictures.set(`waiting ${connectionId}`, { id: lastId, bytes: picture });
      return lastId;
    },
    /** Says which picture is shown now. The one before is forgotten. */
    show(connectionId: number, id: PictureId | undefined) {
      if (shown.get(connectionId)?.id === id) return;
      forgetShown(connectionId);
      const waiting = pictures.get(`waiting ${connectionId}`);
      if (waiting === undefined || waiting.id !== id) return;
      pictures.take(`waiting ${connectionId}`);
      pictures.set(`shown ${connectionId}`, waiting);
      shown.set(connectionId, { id, artwork: undefined });
    },
    /** What is shown as a cover; `undefined` without a picture, or when it had to make room. */
    shownOf(connectionId: number, origin: string) {
      const one = shown.get(connectionId);
      const bytes = pictures.get(`shown ${connectionId}`)?.bytes;
      if (one && bytes) one.artwork ??= sent(bytes, origin);
      return one?.artwork;
    },
    forget(connectionId: number) {
      forgetShown(connectionId);
      pictures.take(`waiting ${connectionId}`);
    },
  };
}
