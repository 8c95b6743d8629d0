import { lstat, mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../error-code.ts";
import { isForeign } from "../own-file.ts";

/** A file's name and its content, without a folder. */
export type NewFile = readonly [name: string, content: string | Uint8Array];

export interface ReplaceOptions {
  readonly platform?: NodeJS.Platform;
  /** Replaces the call of the operating system. */
  readonly rename?: typeof rename;
}

/** Tells the drafts of two processes in one folder apart. */
const RUN = crypto.randomUUID().slice(0, 8);
const DRAFT = /^\..+\.[0-9a-f]{8}\.new$/;

/** How often a file that is open in another program is tried again. */
const RETRIES = 5;
const RETRY_MS = 50;

/**
 * Replaces files in a folder, in this order. Readers see the old or the new content of a file, never
 * a part of it. No file is replaced before all are written, so a full disk changes nothing.
 * @param modifiedAt the time of modification of all of them
 */
export async function replaceFiles(
  folder: string,
  files: readonly NewFile[],
  modifiedAt: Date,
  options: ReplaceOptions = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await refuseForeignLink(folder);
  const draftOf = (name: string) => join(folder, `.${name}.${RUN}.new`);
  try {
    for (const [name, content] of files) {
      // Made anew, so that a link that somebody else has put there is not followed.
      await rm(draftOf(name), { force: true });
      await writeFile(draftOf(name), content, { flag: "wx" });
      await utimes(draftOf(name), modifiedAt, modifiedAt);
    }
    for (const [name] of files) await replace(draftOf(name), join(folder, name), options);
  } catch (error) {
    for (const [name] of files) await rm(draftOf(name), { force: true }).catch(() => {});
    throw error;
  }
}

/** @throws where another user has put a link in the place of a folder */
async function refuseForeignLink(folder: string): Promise<void> {
  const stats = await lstat(folder);
  if (stats.isSymbolicLink() && isForeign(stats, dirname(folder))) {
    throw new Error(`${folder} is another user's link, which is not followed`);
  }
}

/** Removes what a process that was killed had begun to write. */
export async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => DRAFT.test(one)))
    await rm(join(folder, name), { force: true }).catch(() => {});
}

/** Windows refuses to replace a file while another program has it open. */
async function replace(
  from: string,
  to: string,
  { platform = process.platform, rename: renameFile = rename }: ReplaceOptions,
): Promise<void> {
  const retries = platform === "win32" ? RETRIES : 0;
  for (let tries = 0; ; tries++) {
    try {
      return await renameFile(from, to);
    } catch (error) {
      if (tries >= retries || !["EPERM", "EACCES", "EBUSY"].includes(errorCode(error) ?? ""))
        throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}
