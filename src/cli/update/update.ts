import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { finish, isForeign, makeAnew, mustBe } from "../../own-file.ts";
import { isEncoded } from "../../upstream/call.ts";
import { verifySignature } from "./minisign.ts";
import { CommandError } from "../../control/execution.ts";

export interface UpdateFacts {
  /** Absolute path of this program. */
  readonly program: string;
  /** The version of this program. */
  readonly current: string;
  /** How the name of this platform's file ends, such as `linux-x64`. */
  readonly suffix: string;
  /** The web folder with the newest release, without a slash at its end. */
  readonly from: string;
  /** Public keys of minisign, one of which has signed the release. */
  readonly keys: readonly string[];
}

/** The newest release, as its signed list says. */
export interface Release {
  readonly version: string;
  /** SHA-256 in hexadecimal digits, by file name. */
  readonly checksums: ReadonlyMap<string, string>;
}

const LARGEST_LIST_BYTES = 64 * 1024;
const LARGEST_PROGRAM_BYTES = 300 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const LIST_WITHIN_MS = 15_000;
const PROGRAM_WITHIN_MS = 10 * 60_000;

/** Asks for the newest release. @throws {CommandError} */
export async function findRelease({ from, keys }: UpdateFacts): Promise<Release> {
  const read = async (name: string) => {
    const limit = { bytes: LARGEST_LIST_BYTES, ms: LIST_WITHIN_MS };
    return Buffer.concat(await Array.fromAsync(download(`${from}/${name}`, limit)));
  };
  const list = await read("SHA256SUMS");
  const comment = await verifySignature(list, (await read("SHA256SUMS.minisig")).toString(), keys);
  const [, version] = /^marquee (\d+\.\d+\.\d+)$/.exec(comment) ?? [];
  if (version === undefined) throw new CommandError("The signed list does not say its version.");
  const lines = list.toString().matchAll(/^([\da-f]{64}) [ *](\S+)$/gm);
  return {
    version,
    checksums: new Map([...lines].map(([, sha256 = "", name = ""]) => [name, sha256])),
  };
}

/**
 * Puts a release's program in the place of this one, which stays beside it as `….old`.
 * @throws {CommandError} before anything has changed
 */
export async function install(facts: UpdateFacts, { version, checksums }: Release): Promise<void> {
  const { program, from, suffix } = facts;
  const name = `marquee-${version}-${suffix}`;
  const sha256 = checksums.get(name);
  if (sha256 === undefined) {
    throw new CommandError(`Marquee ${version} has no program for this computer (${suffix}).`);
  }
  const fresh = `${program}.new`;
  try {
    const written = await downloadTo(fresh, `${from}/${name}`, statSync(program).mode & 0o7777);
    if ((await sha256Of(fresh)) !== sha256) {
      throw new CommandError("What was downloaded is not the signed file. Try again later.");
    }
    mustStart(fresh, version);
    mustBe(fresh, written);
    takePlace(program, fresh);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Swaps the program with the one from before the last update. @throws {CommandError} */
export function goBack(program: string): void {
  const old = `${program}.old`;
  refusePlanted(old);
  const meanwhile = `${program}.new`;
  rmSync(meanwhile, { force: true });
  renameSync(old, meanwhile);
  try {
    takePlace(program, meanwhile);
  } catch (error) {
    renameSync(meanwhile, old);
    throw error;
  }
}

/**
 * An update leaves a file. Where others may write, they can have put something in its place.
 * @throws {CommandError} where there is none, or not one of ours
 */
function refusePlanted(old: string): void {
  const stats = lstatSync(old, { throwIfNoEntry: false });
  if (!stats) throw new CommandError("There is no earlier program to go back to.");
  const folder = dirname(old);
  const { mode, uid } = statSync(folder);
  // Whoever owns the folder could replace the program itself.
  const mayBePlanted = (mode & 0o022) !== 0 && stats.uid !== uid && isForeign(stats, folder);
  if (stats.isFile() && !mayBePlanted) return;
  throw new CommandError(
    `${old} is not what an update has left there, so it is not used. Look at it, and remove it.`,
  );
}

/** At each moment there is a program in the place, except on Windows between two renames. */
function takePlace(program: string, fresh: string): void {
  const old = `${program}.old`;
  try {
    rmSync(old, { force: true });
  } catch (error) {
    throw new CommandError(
      `${old} cannot be removed. If Marquee still runs from before the last update, stop it first: marquee stop`,
      { cause: error },
    );
  }
  if (process.platform !== "win32") {
    keepAs(program, old);
    renameSync(fresh, program);
    return;
  }
  // A program that runs can be renamed there, but not replaced.
  renameSync(program, old);
  try {
    renameSync(fresh, program);
  } catch (error) {
    renameSync(old, program);
    throw error;
  }
}

function keepAs(program: string, old: string): void {
  try {
    linkSync(program, old);
  } catch {
    // Some disks have no links.
    copyFileSync(program, old, constants.COPYFILE_EXCL);
    keepMode(old, statSync(program).mode);
  }
}

function keepMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // The same disks often keep no permissions, and start everything.
  }
}

function mustStart(path: string, version: string): void {
  if (versionOf(path) !== version) {
    throw new CommandError(`The program of version ${version} does not start on this computer.`);
  }
}

/** The version that a program prints; `undefined` if it does not start. */
export function versionOf(path: string): string | undefined {
  try {
    const options = { stdin: "ignore", stderr: "ignore", timeout: 30_000 } as const;
    const printed = Bun.spawnSync([path, "--version"], options).stdout.toString();
    return /^marquee (\S+) /.exec(printed)?.[1];
  } catch {
    // It is no program of this system.
    return undefined;
  }
}

async function downloadTo(path: string, url: string, mode: number): Promise<Stats> {
  // A stream that writes goes on when the disk is full. This throws.
  const file = makeAnew(path);
  try {
    const limit = { bytes: LARGEST_PROGRAM_BYTES, ms: PROGRAM_WITHIN_MS };
    for await (const part of download(url, limit)) {
      for (let rest = part; rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
    }
    return finish(file, mode);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The download could not be written to ${path}. Is the disk full?`, {
      cause: error,
    });
  } finally {
    closeSync(file);
  }
}

/** The parts of a file. @throws {CommandError} when there is none, or it is too large or too slow */
async function* download(
  url: string,
  limit: { readonly bytes: number; readonly ms: number },
): AsyncGenerator<Uint8Array, void> {
  const signal = AbortSignal.timeout(limit.ms);
  const response = await follow(url, signal);
  if (!response.ok) throw new CommandError(`${url} answers ${response.status}.`);
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > limit.bytes) throw new CommandError(`${url} is larger than a release can be.`);
      yield part;
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`The download of ${url} broke off. Try again.`, { cause });
  }
}

/** A forge sends downloads to another host; none of them may be without encryption. */
async function follow(url: string, signal: AbortSignal): Promise<Response> {
  let next = url;
  // What is counted are the bytes that come, so they must be those of the file.
  const headers = { "Accept-Encoding": "identity" };
  const init = { redirect: "manual", signal, headers, decompress: false } as const;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    if (!isSafe(next)) throw new CommandError(`${next} is not an https address.`);
    const response = await fetch(next, init).catch((cause: unknown) => {
      throw new CommandError(`${next} cannot be reached. Try again later.`, { cause });
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) {
      if (!response.ok || !isEncoded(response)) return response;
      throw new CommandError(`${next} answers compressed, which was not asked for.`);
    }
    next = new URL(location, next).href;
  }
  throw new CommandError(`${url} redirects too often.`);
}

const isSafe = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
};

async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(path).stream()) hash.update(bytes);
  return hash.digest("hex");
}
