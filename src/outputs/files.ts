import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Users } from "../accounts/users.ts";
import type { PlayingBody } from "../api/now-playing.ts";
import type { PlayingUser } from "../api/playing-json.ts";
import { follow } from "../channels/follow.ts";
import { atMost } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import { nextTurn } from "../next-turn.ts";
import type { Artwork } from "../playback.ts";
import { type FileSet, fileSetOf } from "./file-set.ts";
import { folderNameOf } from "./folder-name.ts";
import { removeDrafts, replaceFiles } from "./replace-files.ts";
import { squarePng, transparentPng } from "./square-png.ts";
import { errorCode, meaningOf } from "../error-code.ts";
import type { Parts } from "../http/parts.ts";

/** A folder of text and cover files for each user, for programs that show files, such as OBS. */
export type Files = ReturnType<typeof createFiles>;

export interface FilesDeps extends Pick<Parts, "hub" | "clock" | "log"> {
  /** The folder that holds the users' folders. */
  readonly folder: string;
  readonly users: Pick<Users, "list" | "withId">;
  readonly playingBody: PlayingBody;
  /** A picture of a user's music that Bun can read; `undefined` when it cannot be had. */
  pictureOf(artwork: Artwork, userId: number): Promise<Uint8Array | undefined>;
}

const COVER_PX = 512;
/** The texts do not wait longer for a cover, which then follows. */
const COVER_WAIT_MS = 2_000;
/** OBS looks at whole seconds: it would miss the second of two changes in one. */
const SECOND_MS = 1_000;
const RETRY_MS = 5_000;
/** A stopping server does not wait longer for a disk. */
const STOP_WITHIN_MS = 2_000;

/** One user's folder. */
interface UserFolder {
  /** Writes a set as soon as it may be, unless another one follows before. */
  show(set: FileSet): void;
  /** Resolves when the last set was written, or could not be. */
  settled(): Promise<void>;
}

export function createFiles(deps: FilesDeps) {
  const { users, hub, clock, log, playingBody } = deps;
  const folders = new Map<string, UserFolder>();
  /** Whose music is followed: the name, and what ends that. */
  const followed = new Map<number, { readonly name: string; leave(): void }>();
  const reportOf = createReport(deps.folder, log);
  const idle = (user: PlayingUser) => fileSetOf({ kind: "nothing" }, user, playingBody);

  const folderOf = (name: string): UserFolder => {
    const known = folders.get(name);
    if (known) return known;
    const path = join(deps.folder, folderNameOf(name));
    const opened = createUserFolder(path, deps, reportOf(path));
    folders.set(name, opened);
    return opened;
  };

  const watch = (userId: number, name: string) => {
    const folder = folderOf(name);
    const leave = follow(hub, userId, (reading) =>
      folder.show(fileSetOf(reading, { id: userId, name }, playingBody)),
    );
    followed.set(userId, { name, leave });
  };

  const forget = (userId: number) => {
    const { name, leave } = followed.get(userId) ?? {};
    if (name === undefined) return;
    leave?.();
    followed.delete(userId);
    folderOf(name).show(idle({ id: userId, name }));
  };

  /** A user who is there gets files, those of one who is gone go idle. */
  const followUser = (userId: number) => {
    const user = users.withId(userId);
    if (!user) forget(userId);
    else if (!followed.has(userId)) watch(userId, user.name);
  };

  return {
    followUser,
    async followAllUsers() {
      const ids = users.list().map(({ id }) => id);
      for (const userId of new Set([...ids, ...followed.keys()])) {
        followUser(userId);
        // Others are answered in between.
        await nextTurn();
      }
    },
    /** Makes the files of all users idle, as their music is not known any more. */
    async stop() {
      for (const userId of [...followed.keys()]) forget(userId);
      const written = Promise.all([...folders.values()].map((folder) => folder.settled()));
      await atMost(clock, STOP_WITHIN_MS, written);
    },
  };
}

type Report = (error?: unknown) => void;

function createUserFolder(
  path: string,
  { clock, pictureOf }: Pick<FilesDeps, "clock" | "pictureOf">,
  report: Report,
): UserFolder {
  /** The set that was asked for last, and the same until it is written. */
  let shown: FileSet | undefined;
  let wanted: FileSet | undefined;
  let isWriting = false;
  let cover: { readonly key: string; readonly png: Uint8Array } | undefined;
  let lastSecond: number | undefined;
  let writtenAtMs = -Infinity;
  let isFailing = false;
  /** Resolves after the next attempt to write. */
  let attempt = Promise.withResolvers<void>();

  const secondNow = () => Math.floor(clock.wallMs() / SECOND_MS);

  const waitForTurn = async () => {
    const waitMs = writtenAtMs + SECOND_MS - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs);
    while (secondNow() === lastSecond) await clock.sleep(SECOND_MS - (clock.wallMs() % SECOND_MS));
  };

  const drawCover = async (artwork: Artwork, set: FileSet) => {
    const picture = await pictureOf(artwork, set.userId);
    const png = picture && (await squarePng(picture, COVER_PX).catch(() => undefined));
    if (!png) return;
    cover = { key: artwork.key, png };
    // As another set, which is written even if this one is being written without its cover.
    if (shown === set) show({ ...set });
  };

  /** The cover of a set, transparent if it is not there in time. */
  const coverOf = async (set: FileSet): Promise<Uint8Array> => {
    const artwork = set.cover;
    if (artwork && cover?.key !== artwork.key) {
      await atMost(clock, COVER_WAIT_MS, drawCover(artwork, set));
    }
    const png = artwork && cover?.key === artwork.key ? cover.png : undefined;
    return png ?? transparentPng(COVER_PX);
  };

  const write = async (set: FileSet) => {
    const png = await coverOf(set);
    // The song may have changed while its cover was drawn.
    if (wanted !== set) return;
    const second = secondNow();
    const files = [["cover.png", png] as const, ...Object.entries(set.texts)];
    await replaceFiles(path, files, new Date(second * SECOND_MS));
    lastSecond = second;
    writtenAtMs = clock.monotonicMs();
    if (wanted === set) wanted = undefined;
    isFailing = false;
    report();
  };

  const writeWanted = async () => {
    isWriting = true;
    await removeDrafts(path);
    lastSecond = await secondOf(join(path, "now-playing.txt"));
    while (wanted) {
      await waitForTurn();
      try {
        await write(wanted);
      } catch (error) {
        isFailing = true;
        report(error);
      }
      attempt.resolve();
      attempt = Promise.withResolvers();
      if (isFailing) await clock.sleep(RETRY_MS);
    }
    isWriting = false;
  };

  const show = (set: FileSet) => {
    shown = set;
    wanted = set;
    if (!isWriting) void writeWanted();
  };

  return {
    show,
    async settled() {
      while (wanted && !isFailing) await attempt.promise;
    },
  };
}

/** The second in which a file was modified; `undefined` if there is none. */
const secondOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => Math.floor(mtimeMs / SECOND_MS),
    () => undefined,
  );

/** Logs each failure once until the folders that have it can be written again. */
function createReport(folder: string, log: Log): (path: string) => Report {
  const failing = new Map<string, string>();
  return (path) => (error) => {
    if (error === undefined) {
      if (failing.delete(path) && failing.size === 0)
        log.info("files are written again", { folder });
      return;
    }
    const code = errorCode(error) ?? describeError(error);
    const isKnown = [...failing.values()].includes(code);
    failing.set(path, code);
    if (isKnown) return;
    log.error("files cannot be written, and are tried again every 5 seconds", {
      folder: path,
      reason: meaningOf(error) ?? describeError(error),
    });
  };
}
