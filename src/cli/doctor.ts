import { arch, release, type } from "node:os";
import { resolve } from "node:path";
import { type Config, describeSettings, isChosen } from "../config.ts";
import { journalModeOf, sqliteVersion } from "../db/open.ts";
import { systemClock } from "../clock.ts";
import { redact } from "../log.ts";
import { isExposed } from "../own-file.ts";
import { describedSources } from "../sources/index.ts";
import type { Examined } from "../sources/kinds/media-session/examine.ts";
import { oneReader } from "../sources/kinds/media-session/readers.ts";
import { EXPOSED_KEY, secretKeyPath } from "../vault/secret-key-files.ts";
import { VERSION_LINE } from "../version.ts";
import { examineAutostart } from "./autostart/command.ts";
import { carryOut, type Settled } from "../control/carry-out.ts";
import { EXIT, type Execution, type Io, printTo } from "../control/execution.ts";
import { type CheckedConnection, examineConnections } from "./doctor-report.ts";
import { explain } from "./explain.ts";
import { answersAt } from "./healthcheck.ts";
import { untilReaderLeaves } from "./output.ts";
import { settingsInForce } from "./show-config.ts";
import { lookForServer, readRunningFacts, UNLOCKABLE_WARNING } from "../control/folder-lock.ts";
import { THIS_MACHINE } from "../sources/here/found.ts";

/**
 * `marquee doctor`: one page for people who ask for help. It holds no secret, no address that was
 * entered, and no song unless that is asked for.
 */
export async function examine(
  settled: Settled,
  given: Io,
  { songs = false }: { readonly songs?: boolean },
): Promise<void> {
  const io = untilReaderLeaves(given);
  const document = await documentOf(settled, songs, io);
  printTo(io, settled.asJson)([document], linesOf(document));
}

async function documentOf(settled: Settled, songs: boolean, io: Io) {
  const { config, resolved } = settled;
  const server = await serverOn(config);
  const isStuck = server.answers === false;
  const [autostart, settings, connections, players, mediaSessions] = await Promise.all([
    examineAutostart(io),
    isStuck ? describeSettings(resolved) : knownSettings(settled, io),
    isStuck ? UNKNOWN : connectionsOn(settled, songs, io),
    playersHere(songs),
    mediaSessionsHere(),
  ]);
  return {
    version: VERSION_LINE,
    system: `${type()} ${release()} ${arch()}`,
    data: {
      folder: resolve(config.data),
      why: resolved.origins.data,
      sqlite: sqliteOf(sqliteVersion()),
      key_exposed: config.secretKey === null && isExposed(secretKeyPath(config.data)),
    },
    server,
    /** `null` where there is no way to it. */
    autostart,
    settings: settings
      .filter(({ origin }) => isChosen(origin))
      .map(({ setting, origin }) => ({ setting, origin })),
    ...connections,
    players,
    /** `null` on a system without them. */
    media_sessions: mediaSessions,
  };
}

async function serverOn(config: Config) {
  const look = lookForServer(config.data);
  const isRunning = look === "runs";
  const facts = isRunning ? readRunningFacts(config.data) : undefined;
  return {
    running: isRunning,
    lockable: look !== "unknown",
    url: facts?.url ?? null,
    listens: facts?.listens ?? null,
    pid: facts?.pid ?? null,
    version: facts?.version ?? null,
    answers: facts ? await answersAt(facts.listens) : null,
  };
}

/** SQLite's version, and how it keeps its journal. */
export function sqliteOf(version: string): string {
  return `${version}, journal ${journalModeOf(version)}`;
}

/** Where the running server does not say its settings, the connections' problem is the same. */
const knownSettings = (settled: Settled, io: Io) =>
  settingsInForce(settled, { ...io, error() {} }).catch(() => describeSettings(settled.resolved));

/** A server that hangs would be waited for in vain. */
const UNKNOWN = {
  problem: "The running server does not answer. End its process if it hangs.",
  connections: [],
};

/** Each connection with its last status; the problem where the data cannot be read. Notes go to `io`. */
async function connectionsOn(
  settled: Settled,
  songs: boolean,
  io: Io,
): Promise<{ problem: string | null; connections: CheckedConnection[] }> {
  const connections: CheckedConnection[] = [];
  const said: string[] = [];
  const lines: Io = {
    environment: {},
    out: (line) => void connections.push(JSON.parse(line)),
    error: (line) => void said.push(line),
  };
  const call = {
    command: "doctor",
    texts: songs ? { songs: "1" } : {},
    run: (execution: Execution) => examineConnections(songs, execution),
  };
  const problem = await carryOut(call, { ...settled, asJson: true }, lines).then(
    (code) => (code === EXIT.done ? null : said.join(" ") || "the check has failed"),
    (error: unknown) => explain(error).message,
  );
  if (problem === null) for (const line of said) io.error(line);
  return { problem: problem && redact(problem), connections };
}

async function playersHere(songs: boolean) {
  const found = await describedSources().playersHere();
  return found.map(({ source, name, needs, track }) => ({
    source: source.id,
    name: name ?? source.name,
    needs: needs ?? null,
    state: track?.state ?? null,
    ...(songs && { song: track ? `${track.artist} – ${track.title}` : null }),
  }));
}

async function mediaSessionsHere(): Promise<Examined | null> {
  const { platform, mediaReader } = THIS_MACHINE;
  if (platform !== "win32" && platform !== "darwin") return null;
  const { examineSessions } = await import("../sources/kinds/media-session/examine.ts");
  return examineSessions(await oneReader(systemClock, mediaReader)(), systemClock);
}

const linesOfSessions = ({ problem, sessions }: Examined): string[] =>
  problem === null
    ? sessions.map(
        ({ app, state, media, position, cover, readMs, problem }) =>
          `${app}: ${state}, ${media}, ${position ? "with" : "no"} position, ${cover ? "with" : "no"} cover, read in ${readMs} ms${problem ? `, ${problem}` : ""}`,
      )
    : [`they cannot be read: ${problem}`];

function linesOf(document: Awaited<ReturnType<typeof documentOf>>): string[] {
  const { version, system, data, server, settings, problem, connections, players } = document;
  const { autostart, media_sessions: mediaSessions } = document;
  const serving = server.running
    ? `runs at ${server.url ?? "an unknown address"} (pid ${server.pid ?? "unknown"}), ${server.answers ? "and answers" : "but does not answer"}`
    : server.lockable
      ? "does not run here"
      : `may run: ${UNLOCKABLE_WARNING}`;
  const list = (title: string, lines: readonly string[]) => [
    title,
    ...(lines.length > 0 ? lines : ["none"]).map((line) => `  ${line}`),
  ];
  return [
    version,
    `System    ${system}`,
    `Data      ${data.folder} (${data.why})`,
    `SQLite    ${data.sqlite}`,
    ...(data.key_exposed ? [`Key       ${EXPOSED_KEY}`] : []),
    `Server    ${serving}`,
    ...(autostart
      ? [
          `Autostart ${autostart.on ? "on" : "off"} (${autostart.how})${autostart.note ? `: ${autostart.note}` : ""}`,
        ]
      : []),
    ...list(
      "Settings that were chosen",
      settings.map(({ setting, origin }) => `${setting} by ${origin}`),
    ),
    ...(problem === null ? [] : list("The data cannot be read", [problem])),
    ...list(
      "Connections",
      connections.map(
        ({ user, id, source, text, song }) =>
          `${user}  ${id}  ${source}: ${text}${song === undefined ? "" : `, plays ${song ?? "nothing"}`}`,
      ),
    ),
    ...list(
      "Players found on this computer",
      players.map(({ name, needs, state, ...more }) =>
        [
          `${name}${state ? `, ${state}` : ""}${needs ? `, needs a ${needs}` : ""}`,
          ...("song" in more && more.song ? [more.song] : []),
        ].join(": "),
      ),
    ),
    ...(mediaSessions ? list("Media sessions of this system", linesOfSessions(mediaSessions)) : []),
  ];
}
