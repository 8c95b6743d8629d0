import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { createCookieJar } from "../fixtures/http/cookie-jar.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { OVERLAYS_A_USER, type OverlayFigures } from "./far-overlays.ts";
import { credentialsIn, makeUsers, STREAMERS, USERS } from "./far-users.ts";
import {
  callSteadily,
  type Measured,
  median,
  restingMemoryKib,
  type Row,
  row,
  runClients,
  startProduct,
} from "./measure.ts";
import { bytesOfASong } from "./song-bytes.ts";
import type { SteadyResult } from "./steady-load.ts";

/** How far one server goes: its clients are a process of their own on the same machine. */

const STARTS = 5;
const PAGES = 11;
const SONGS_A_SECOND = 500;
/** Each key is asked every five seconds. */
const CALLS_A_SECOND = [10_000, 15_000, 20_000];
const KEYS_A_CALL = 5;
const KNEE_MS = 50;
/** Files that a process has open besides its sockets. */
const OTHER_FILES = 200;

export async function benchFar(): Promise<Row[]> {
  const folder = createTempFolder();
  await makeUsers(folder.path);
  const rows = [
    ...(await measureDatabase(folder.path)),
    ...(await measureOverlays(folder.path)),
    ...(await measureRequests(folder.path)),
  ];
  folder.remove();
  return rows;
}

/** What every part of the bench prints as soon as it is measured: all of it takes minutes. */
function noted(rows: readonly Row[]): readonly Row[] {
  for (const { what, product, goal } of rows) console.error(`${what}: ${product} ${goal}`);
  return rows;
}

const mebibytes = (kib: number): string => `${(kib / 1024).toFixed(0)} MiB`;
const milliseconds = (...values: number[]): string =>
  `${values.map((value) => value.toFixed(1)).join(", ")} ms`;
const percent = (share: number): string => `${(share * 100).toFixed(0)} % of a core`;

/** A start, a page of the dashboard and a backup with many users in the database. */
async function measureDatabase(folder: string): Promise<readonly Row[]> {
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const server = await startProduct(folder);
    starts.push(server.startedInMs);
    await server.stop();
  }
  const server = await startProduct(folder);
  const pages = await timesOfUsersPage(server, folder);
  const file = join(folder, "backup.db");
  const caller = callSteadily(`http://127.0.0.1:${server.port}/livez`, "", 3);
  await Bun.sleep(500);
  const startedAtMs = performance.now();
  await runMarquee({ folder, arguments: ["backup", file, "--data", folder] });
  const backupMs = performance.now() - startedAtMs;
  const [p99Ms, longestMs] = await caller;
  await server.stop();
  const bytes = statSync(file).size;
  const of = `${USERS} users`;
  return noted([
    row(`start to the first 200, ${of}`, milliseconds(median(starts))),
    row(`the dashboard's page of users, ${of}`, milliseconds(median(pages))),
    row(`a backup, ${of}`, `${backupMs.toFixed(0)} ms, ${mebibytes(bytes / 1024)}`),
    row(`p99 of /livez meanwhile, and the longest answer`, milliseconds(p99Ms, longestMs)),
    row("a song that is kept", `${(await bytesOfASong()).toFixed(0)} bytes`),
  ]);
}

/** Signs the owner in, and reads the page again and again. */
async function timesOfUsersPage({ port }: Measured, folder: string): Promise<number[]> {
  const origin = `http://127.0.0.1:${port}`;
  const cookies = createCookieJar();
  const path = `/en/sign-in/${credentialsIn(folder).signIn}`;
  const entered = await fetch(origin + path, {
    ...{ method: "POST", headers: { origin }, redirect: "manual" },
  });
  cookies.take(entered);
  const times: number[] = [];
  for (let read = 0; read < PAGES; read++) {
    const askedAtMs = performance.now();
    const cookie = cookies.headerFor("/en/dashboard/server");
    const page = await fetch(`${origin}/en/dashboard/server`, { headers: { cookie } });
    if (!(await page.text()).includes("user-49")) throw new Error(`the page was ${page.status}`);
    times.push(performance.now() - askedAtMs);
  }
  return times;
}

/** Memory, processor and the time of songs, with many overlays on screen. */
async function measureOverlays(folder: string): Promise<readonly Row[]> {
  const server = await startProduct(folder);
  const users = Math.min(STREAMERS, Math.floor((mostFiles() - OTHER_FILES) / OVERLAYS_A_USER));
  const given = [folder, server.port, server.pid, users];
  const seen = await runClients<OverlayFigures>("far-overlays.ts", ...given);
  await server.stop();
  const of = `${users * OVERLAYS_A_USER} overlays of ${users} users`;
  return noted([
    row(
      `memory with ${of}, above the idle server's`,
      `${mebibytes(seen.fullKib - seen.idleKib)}, ${mebibytes(seen.idleKib)}`,
      "≤ 200 MiB",
    ),
    row(
      "memory for an overlay's socket, of the first and of the second thousand",
      `${seen.firstKib.toFixed(1)}, ${seen.secondKib.toFixed(1)} KiB`,
      "≤ 12 and ≤ 5 KiB",
    ),
    row(`time to open ${of}`, `${(seen.openedInMs / 1_000).toFixed(1)} s`),
    row("processor, a song every three minutes on each", percent(seen.processorShare)),
    row(
      "from a push to the user's ten overlays meanwhile, p50, p99",
      milliseconds(seen.p50Ms, seen.p99Ms),
      "p99 ≤ 100 ms",
    ),
  ]);
}

/** How many files a process of this user may have open; Bun raises its own limit to that. */
const mostFiles = (): number =>
  Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);

/** Songs that are pushed to many users, and then calls for them by more and more keys. */
async function measureRequests(folder: string): Promise<readonly Row[]> {
  const server = await startProduct(folder);
  const load = (what: "songs" | "calls", perSecond: number) =>
    runClients<SteadyResult>("far-load.ts", what, folder, server.port, server.pid, perSecond);
  const figures = (seen: SteadyResult) =>
    [
      `p50, p99 ${milliseconds(seen.p50Ms, seen.p99Ms)}`,
      percent(seen.processorShare),
      `${seen.answersPerSecond.toFixed(0)} answers a second`,
      ...(seen.failures > 0 ? [`${seen.failures} refused or lost`] : []),
    ].join(", ");
  const rows = [
    row(
      `${SONGS_A_SECOND} songs a second to JSON inboxes`,
      figures(await load("songs", SONGS_A_SECOND)),
    ),
  ];
  noted(rows);
  let knee = "above all of these";
  for (const perSecond of CALLS_A_SECOND) {
    const seen = await load("calls", perSecond);
    const memory = mebibytes(await restingMemoryKib(server.pid));
    const next = row(
      `${perSecond} calls a second, of ${perSecond * KEYS_A_CALL} keys`,
      `${figures(seen)}, ${memory}`,
    );
    rows.push(...noted([next]));
    if (seen.p99Ms > KNEE_MS) {
      knee = `below ${perSecond} calls a second`;
      break;
    }
    // Until the first keys may call again.
    await Bun.sleep(5_000);
  }
  await server.stop();
  return [...rows, ...noted([row(`p99 of calls exceeds ${KNEE_MS} ms`, knee)])];
}
