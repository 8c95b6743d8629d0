/**
 * Tries out executables as a user does after the download: a first start in an empty folder, a
 * response of the API, a user added by a second process, the overlay's page, a stop.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MachoError, verifyMacho } from "./macho.ts";
import { isForMac, type Target } from "./targets.ts";
import { findWay, type Way } from "./ways-to-run.ts";

/** An executable did not do what it should. */
export class TryOutError extends Error {
  override readonly name = "TryOutError";
}

/** An executable to try, and the platform it is for. */
export interface Candidate {
  readonly target: Target;
  readonly path: string;
}

export interface Attempt {
  readonly outcome: "works" | "fails" | "not tried";
  /** How it was run, why it was not run, or what failed. */
  readonly told: string;
}

/** Long, because Wine sets up its folder at the first start, and an emulator is slow. */
const STEP_WITHIN_MS = 60_000;

/**
 * Tries out an executable if this machine can run it, and checks a signature on every machine;
 * `workplace` is an empty folder.
 */
export async function attempt(
  { target, path }: Candidate,
  workplace: string,
  stepWithinMs = STEP_WITHIN_MS,
): Promise<Attempt> {
  const isSigned = isForMac(target.bun);
  try {
    if (isSigned) verifyMacho(await Bun.file(path).bytes());
  } catch (error) {
    if (!(error instanceof MachoError)) throw error;
    return { outcome: "fails", told: `signature: ${error.message}` };
  }
  const signed = isSigned ? "signature valid, " : "";
  const found = await findWay(target, join(workplace, "way"));
  if ("lacks" in found) return { outcome: "not tried", told: `${signed}needs ${found.lacks}` };
  const { way } = found;
  const startedAtMs = performance.now();
  try {
    await tryOut(path, way, workplace, stepWithinMs);
  } catch (error) {
    if (!(error instanceof TryOutError)) throw error;
    return { outcome: "fails", told: `${way.name}: ${error.message}` };
  } finally {
    way.end();
  }
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  return {
    outcome: "works",
    told: `${signed}${way.name}, stopped by ${way.stopWith}, ${seconds} s`,
  };
}

/** @throws {TryOutError} naming the step that failed or took too long */
async function tryOut(path: string, way: Way, workplace: string, withinMs: number): Promise<void> {
  const folder = join(workplace, "empty");
  mkdirSync(folder, { recursive: true });
  const data = join(folder, "data");
  const start = (...given: string[]) =>
    run([...way.before, way.toPath(path), ...given, "--json", "--data", way.toPath(data)], {
      folder,
      environment: way.environment,
      withinMs,
    });

  const server = start("serve", "--port", "0");
  try {
    const ready = await server.said("the first start");
    await checkApi(ready("url"), ready("api_key"), withinMs);

    const adding = start("user", "add", "second", "--source", "demo");
    const added = await adding.said("user add");
    await adding.ended("user add");
    await checkApi(ready("url"), added("api_key"), withinMs);

    await checkOverlay(ready("widget_url"), withinMs);

    server.kill(way.stopWith);
    await server.ended("the stop");
    if (existsSync(join(data, "marquee.db-wal"))) {
      throw new TryOutError("the stop left the database's log behind");
    }
  } finally {
    server.kill("SIGKILL");
  }
}

/** A started program; `what` names its task in the error message. */
interface Running {
  /** Reads its first line of JSON: the text values by name. @throws {TryOutError} without one */
  said(what: string): Promise<(name: string) => string>;
  /** @throws {TryOutError} when its exit code is not 0, or it takes too long */
  ended(what: string): Promise<void>;
  kill(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
}

function run(
  command: readonly string[],
  options: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly withinMs: number;
  },
): Running {
  // The executable must not get the Marquee settings of the user who runs this.
  const surroundings = Object.entries(process.env).filter(
    ([name]) => !/^(MARQUEE_|BUN_|STATE_DIRECTORY$|NODE_ENV$)/.test(name),
  );
  const child = Bun.spawn([...command], {
    cwd: options.folder,
    env: { ...Object.fromEntries(surroundings), ...options.environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let out = "";
  let errors = "";
  const lastError = () => errors.trim().split("\n").at(-1) ?? "";
  const firstLine = Promise.withResolvers<string | undefined>();
  const reading = Promise.all([
    collect(child.stdout, (text) => {
      out += text;
      const end = out.indexOf("\n");
      if (end !== -1) firstLine.resolve(out.slice(0, end));
    }),
    collect(child.stderr, (text) => {
      errors += text;
    }),
  ]).then(() => firstLine.resolve(undefined));

  /** @throws {TryOutError} when the promise takes too long; the program is then ended too */
  const inTime = async <Value>(promise: Promise<Value>, what: string): Promise<Value> => {
    let timer: Timer | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new TryOutError(`${what} took longer than ${options.withinMs / 1_000} s`));
      }, options.withinMs);
    });
    try {
      return await Promise.race([promise, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async said(what) {
      const line = await inTime(firstLine.promise, what);
      if (line === undefined) {
        throw new TryOutError(`${what} ended without a word: ${lastError()}`);
      }
      return textsOf(line, what);
    },
    async ended(what) {
      const code = await inTime(child.exited, what);
      if (code === 0) return;
      // Waits for its last output, but not for long: other processes may keep its pipes open.
      await Promise.race([reading, Bun.sleep(100)]);
      throw new TryOutError(`${what} ended with ${code}: ${lastError()}`);
    },
    kill: (signal) => child.kill(signal),
  };
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}

/** @throws {TryOutError} when the line is not JSON */
function textsOf(line: string, what: string): (name: string) => string {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    throw new TryOutError(`${what} printed no JSON: ${line}`);
  }
  const values = new Map(Object.entries(Object(said)));
  return (name) => {
    const value = values.get(name);
    if (typeof value !== "string") throw new TryOutError(`${what} printed no ${name}`);
    return value;
  };
}

async function checkApi(url: string, key: string, withinMs: number): Promise<void> {
  const answer = await get(`${url}/api/v1/now-playing`, withinMs, { "X-Api-Key": key });
  if (!answer.includes('"demo:')) throw new TryOutError(`the API knows no demo track: ${answer}`);
}

async function checkOverlay(url: string, withinMs: number): Promise<void> {
  const page = await get(url, withinMs);
  // The demo's playlist has pauses.
  if (!/ data-np-state="(playing|paused)"/.test(page)) {
    throw new TryOutError("the overlay's page shows no track");
  }
}

/** The body of a response. @throws {TryOutError} without one, or when its status is not 200 */
async function get(url: string, withinMs: number, headers = {}): Promise<string> {
  const { pathname } = new URL(url);
  // A page's address is a secret, even if its server stops a second later.
  const what = pathname.replace(/mqw_\w+/, "…");
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(withinMs) });
    if (response.status === 200) return await response.text();
    throw new TryOutError(`${what} answered ${response.status}`);
  } catch (error) {
    if (error instanceof TryOutError) throw error;
    throw new TryOutError(`${what} gave no answer`, { cause: error });
  }
}

/** A table with one line for each executable. */
export function attemptTable(rows: readonly (Attempt & { readonly name: string })[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ name, outcome, told }) => `${name.padEnd(width)}  ${outcome.padEnd(9)}  ${told}\n`)
    .join("");
}
