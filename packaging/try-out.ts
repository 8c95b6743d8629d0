/**
 * Tries out executables as a user does after the download: a first start in an empty folder, a
 * response of the API, a user added by a second process, the overlay's page, a stop.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { verifyMacho } from "./macos/macho.ts";
import { MachoError } from "./macos/program.ts";
import { startProgram, TryOutError } from "./started-program.ts";
import { isForMac, type Target } from "./targets.ts";
import { findWay, type Way } from "./ways-to-run.ts";

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
    startProgram(
      [...way.before, way.toPath(path), ...given, "--json", "--data", way.toPath(data)],
      {
        folder,
        environment: way.environment,
        withinMs,
      },
    );

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

/** Tries out every executable that this machine can run, prints results, returns the exit code. */
export async function tryAll(
  candidates: readonly Candidate[],
  tell: (text: string) => void,
  stepWithinMs?: number,
): Promise<number> {
  const rows = [];
  for (const candidate of candidates) {
    const workplace = mkdtempSync(join(tmpdir(), "marquee-try-"));
    try {
      const made = await attempt(candidate, workplace, stepWithinMs);
      rows.push({ name: basename(candidate.path), ...made });
    } finally {
      rmSync(workplace, { recursive: true, force: true });
    }
  }
  tell(attemptTable(rows));
  return rows.some(({ outcome }) => outcome === "fails") ? 1 : 0;
}

/** A table with one line for each executable. */
function attemptTable(rows: readonly (Attempt & { readonly name: string })[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ name, outcome, told }) => `${name.padEnd(width)}  ${outcome.padEnd(9)}  ${told}\n`)
    .join("");
}
