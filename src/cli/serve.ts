import { join, resolve } from "node:path";
import { createAccounts } from "../accounts/accounts.ts";
import { createDiskCache } from "../artwork/disk-cache.ts";
import { systemClock } from "../clock.ts";
import type { Config, ResolvedConfig } from "../config.ts";
import { createServer } from "../create-server.ts";
import { dropUnfinished, putRestoredInPlace } from "../db/data-folder.ts";
import type { Store } from "../db/store.ts";
import type { CommandDescription } from "../docs/commands-table.ts";
import { listen } from "../server.ts";
import { lazily } from "../once.ts";
import { listenForCommands } from "../control/server.ts";
import { createLog, type Log } from "../log.ts";
import { createMetrics, noMetrics } from "../metrics.ts";
import { THIS_MACHINE } from "../sources/here/found.ts";
import { NETWORK } from "../upstream/index.ts";
import { VERSION } from "../version.ts";
import { baseUrlOf, listeningAddressOf } from "../addresses.ts";
import type { Io } from "../control/execution.ts";
import { addFirstOwner, greet, type Greeting } from "./greeting.ts";
import { openBrowser } from "./open-browser.ts";
import { isTerminal } from "./output.ts";
import { type ServerLock, UNLOCKABLE_WARNING } from "../control/folder-lock.ts";
import { keepUp, writeWhatIsLeft } from "../upkeep.ts";
import { EXPOSED_KEY, secretKeyPath } from "../vault/secret-key-files.ts";
import { explained, type KeyAccess, openServedFolder } from "../control/data-folder.ts";

const ONCE_EXPOSED_KEY =
  'others on this machine could read the secret key until this start: if anyone may have done so, replace it with "marquee secret rotate"';

/** Limit for covers on disk. */
const MOST_COVER_BYTES = 64 * 1024 * 1024;
/** Why a server stops that starts again with a backup. */
const RESTORED = "a backup was restored";
/** A stop takes at most this long, so that a service manager does not kill the process. */
const STOP_WITHIN_MS = 3_500;

/**
 * `marquee serve`: runs until a signal or `marquee stop` ends it. It starts again in this process with a
 * backup that was restored.
 * @param commands loads the program's commands for the documentation
 * @throws {AlreadyRunningError} when another server runs on the data folder
 */
export async function serve(...given: Given): Promise<void> {
  const isWindows = process.platform === "win32";
  const allowQuickEdit = isWindows && (await import("./windows-desktop.ts")).forbidQuickEdit();
  const signal = lazily(firstSignal);
  const [resolved, asJson, io, commands] = given;
  try {
    let ended = await serveFolder(signal, ...given);
    // The browser that brought the backup stays signed in: none is opened.
    while (ended === RESTORED) ended = await serveFolder(signal, resolved, asJson, io, commands);
  } finally {
    if (allowQuickEdit) allowQuickEdit();
  }
}

type Given = readonly [
  resolved: ResolvedConfig,
  asJson: boolean,
  io: Io,
  commands: () => Promise<readonly CommandDescription[]>,
  greeting?: Greeting,
];

async function serveFolder(
  signal: () => Promise<string>,
  ...[resolved, asJson, io, commands, greeting = "first"]: Given
): Promise<string> {
  const { config } = resolved;
  const clock = systemClock;
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    write: io.error,
    wallMs: clock.wallMs,
  });
  for (const warning of resolved.warnings) log.warn(warning);

  const metrics = config.metricsToken === null ? noMetrics : await createMetrics(VERSION, clock);
  const { store, vault, lock, key } = await openServedFolder(config);
  return whileOpen(config, { store, lock }, serveOpened);

  async function serveOpened(): Promise<string> {
    warnOfFolder(config, key, lock, log);
    const accounts = createAccounts({ store, vault, wallMs: clock.wallMs, log });
    const stopping = Promise.withResolvers<string>();
    void signal().then(stopping.resolve);
    const running = listen({
      host: config.host,
      port: config.port,
      webnowplayingPort: config.webnowplayingPort,
      clock,
      createServer: (port) =>
        createServer({
          metrics,
          settings: resolved,
          clock,
          log,
          accounts,
          store,
          vault,
          baseUrl: baseUrlOf(config, port),
          listeningAddress: listeningAddressOf(config, port),
          commands,
          artworkCache: createDiskCache(join(config.data, "covers"), MOST_COVER_BYTES),
          network: NETWORK,
          machine: THIS_MACHINE,
          random: Math.random,
          connectionsFrom: (stored) => stored,
          stopServer: () => stopping.resolve("the dashboard"),
          restartRestored: () => stopping.resolve(RESTORED),
        }),
    });
    const { server } = running;
    const baseUrl = baseUrlOf(config, running.port);
    accounts.rememberBaseUrl(baseUrl);
    const listeningAddress = listeningAddressOf(config, running.port);
    const { remindOfConsent } = server;
    const stopKeepingUp = keepUp({ accounts, log, store, remindOfConsent });

    // First: a start that finds this server asks for the owner's link at once.
    const added = await addFirstOwner(accounts, config);
    const control = listenForCommands({
      version: VERSION,
      clock,
      // Loaded with the first command.
      carryOut: async (request, lines, signal) => {
        const { carryOutServed } = await import("./served-commands.ts");
        const stop = () => stopping.resolve("marquee stop");
        const serving = { ...server.app.actionParts, settings: resolved, signal, stop };
        return carryOutServed(request, lines, serving);
      },
    });
    lock.publish({
      url: baseUrl,
      listens: listeningAddress,
      pid: process.pid,
      version: VERSION,
      control: { port: control.port, token: control.token },
    });
    const start = { accounts, added, settings: resolved, baseUrl, asJson, io, greeting, log };
    const loginUrl = greet({ ...start, isSeen: isTerminal });
    if (loginUrl) openBrowser(loginUrl, { ...io, open: config.open, asJson, isTerminal }, log);
    await server.app.start();
    // The executable starts with a late JIT, to start sooner with less memory. Now use the default.
    Bun.unsafe.setJITPolicy(1);
    if (isOpenToOthers(config)) {
      log.warn(
        "other machines are refused until --base-url or --allowed-hosts gives the name or address that they use",
      );
    }
    log.info("serving", { url: baseUrl, version: VERSION });

    const reason = await stopping.promise;
    log.info("stopping", { because: reason });
    const stopByMs = clock.monotonicMs() + STOP_WITHIN_MS;
    await running.stop(STOP_WITHIN_MS);
    await control.stop();
    stopKeepingUp();
    server.close();
    await writeWhatIsLeft(accounts, clock, stopByMs, log);
    return reason;
  }
}

/** Closes the folder after the work. A backup takes its place before another program can open it. */
async function whileOpen(
  config: Config,
  { store, lock }: { readonly store: Store; readonly lock: ServerLock },
  work: () => Promise<string>,
): Promise<string> {
  let because = "";
  try {
    dropUnfinished(config.data);
    because = await explained(config, work);
  } finally {
    store.close();
    try {
      if (because === RESTORED) putRestoredInPlace(config.data);
    } finally {
      lock.release();
    }
  }
  return because;
}

/** Says once what the disk cannot do for the data folder. */
function warnOfFolder(config: Config, key: KeyAccess, lock: ServerLock, log: Log): void {
  const data = resolve(config.data);
  if (!lock.isHeld) log.warn(UNLOCKABLE_WARNING, { folder: data });
  if (key === "private" || config.secretKey !== null) return;
  log.warn(key === "exposed" ? EXPOSED_KEY : ONCE_EXPOSED_KEY, { file: secretKeyPath(data) });
}

/** Whether other machines can connect, but would be refused because of the host name they use. */
function isOpenToOthers({ host, baseUrl, allowedHosts }: Config): boolean {
  return ["0.0.0.0", "::"].includes(host) && baseUrl === null && allowedHosts.length === 0;
}

/**
 * Resolves with the first signal to stop, in whichever start it comes. Later ones change nothing: without
 * a listener they would end the process in the middle of its stop.
 */
function firstSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => resolve(signal));
  }
  return promise;
}
