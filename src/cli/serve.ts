import { join, resolve } from "node:path";
import { createAccounts } from "../accounts/accounts.ts";
import { createDiskCache } from "../artwork/disk-cache.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Config, ResolvedConfig } from "../config.ts";
import { createServer } from "../create-server.ts";
import type { CommandDescription } from "../docs/commands-table.ts";
import { DatabaseError } from "../db/errors.ts";
import { listen } from "../server.ts";
import { createLog, type Log } from "../log.ts";
import { alone } from "../cluster/alone.ts";
import { createMetrics, noMetrics } from "../metrics.ts";
import { THIS_MACHINE } from "../sources/here/found.ts";
import { describedSources } from "../sources/index.ts";
import { NETWORK } from "../upstream/index.ts";
import { VERSION } from "../version.ts";
import { baseUrlOf, listeningAddressOf } from "../addresses.ts";
import type { Io } from "./command.ts";
import { greet, type Greeting } from "./greeting.ts";
import { openBrowser } from "./open-browser.ts";
import { isTerminal } from "./output.ts";
import { NO_LOCK, type ServerLock, UNLOCKABLE, UNLOCKABLE_WARNING } from "./process/server-lock.ts";
import { createKeyFollower, keepUp, tryToShrink, writeWhatIsLeft } from "./process/upkeep.ts";
import { EXPOSED_KEY, secretKeyPath } from "../vault/secret-key-files.ts";
import { type DataFolder, explained, type KeyAccess, openServedFolder } from "./workspace.ts";

const ONCE_EXPOSED_KEY =
  'others on this machine could read the secret key until this start: if anyone may have done so, replace it with "marquee secret rotate"';

/** The server answers no requests while it waits for another process's lock on the database. */
const LOCK_WAIT_MS = 250;
/** Of one server to a shared database, besides the one that listens. */
const CONNECTIONS = 8;
/** Limit for covers on disk. */
const MOST_COVER_BYTES = 64 * 1024 * 1024;
/** A stop takes at most this long, so that a service manager does not kill the process. */
const STOP_WITHIN_MS = 3_500;

/**
 * `marquee serve`: runs until a signal or `marquee stop` ends it.
 * @param commands loads the program's commands for the documentation
 * @throws {AlreadyRunningError} when another server runs on the data folder
 */
export async function serve(...given: Parameters<typeof serveFolder>): Promise<void> {
  if (process.platform !== "win32") return serveFolder(...given);
  const { forbidQuickEdit } = await import("./process/windows-desktop.ts");
  const allowQuickEdit = forbidQuickEdit();
  try {
    await serveFolder(...given);
  } finally {
    allowQuickEdit();
  }
}

async function serveFolder(
  resolved: ResolvedConfig,
  asJson: boolean,
  io: Io,
  commands: () => Promise<readonly CommandDescription[]>,
  greeting: Greeting = "first",
): Promise<void> {
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
  refuseWithoutBaseUrl(config);
  const { store, vault, lock, key } = await openServedFolder(config, CONNECTIONS);
  try {
    await explained(config, serveOpened);
  } finally {
    await store.close();
    lock.release();
  }

  async function serveOpened(): Promise<void> {
    tryToShrink(() => store.file?.makeShrinkable());
    let isLost = false;
    store.network?.onReach((isReached) => {
      if (!isReached) log.error("the database cannot be reached, and Marquee keeps trying");
      else if (isLost) log.info("the database can be reached again");
      isLost = !isReached;
    });
    warnOfFolder(config, key, lock, log);
    const accounts = await createAccounts({ store, vault, wallMs: clock.wallMs });
    const cluster =
      config.database === null
        ? alone(clock)
        : await joinCluster(config.database, clock, log, vault);
    const running = listen({
      host: config.host,
      port: config.port,
      webnowplayingPort: config.webnowplayingPort,
      clock,
      createServer: (port) =>
        createServer({
          metrics,
          cluster,
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
        }),
    });
    const { server } = running;
    const baseUrl = baseUrlOf(config, running.port);
    await accounts.rememberBaseUrl(baseUrl);
    await accounts.forgetStop();
    lock.publish({
      url: baseUrl,
      listens: listeningAddressOf(config, running.port),
      pid: process.pid,
      version: VERSION,
      playerHosts: config.playerHosts,
      keyless: keylessSources(config),
    });
    const followSecretKey = createKeyFollower({ store, vault }, log);
    const stopping = stopSignal();
    accounts.onChange(async ({ concerns }) => {
      if (!concerns("server")) return;
      if (lock !== NO_LOCK && (await accounts.isAskedToStop())) stopping.stop("marquee stop");
      await followSecretKey();
    });
    const { remindOfConsent } = server;
    const stopKeepingUp = keepUp({ accounts, log, store, remindOfConsent });

    const loginUrl = await greet(accounts, resolved, baseUrl, asJson, io, greeting, log);
    if (loginUrl) {
      const { platform } = process;
      const { environment } = io;
      const scene = { open: config.open, asJson, platform, environment, isTerminal };
      openBrowser(loginUrl, scene, log);
    }
    await server.app.start();
    store.file?.waitForLocks(LOCK_WAIT_MS);
    // The executable starts with a late JIT, to start sooner with less memory. Now use the default.
    Bun.unsafe.setJITPolicy(1);
    if (isOpenToOthers(config)) {
      log.warn(
        "other machines are refused until --base-url or --allowed-hosts gives the name or address that they use",
      );
    }
    log.info("serving", { url: baseUrl, version: VERSION });

    log.info("stopping", { because: await stopping.reason });
    const stopByMs = clock.monotonicMs() + STOP_WITHIN_MS;
    await Promise.all([
      running.stop(STOP_WITHIN_MS),
      // At once: others watch this node's users while its last requests end.
      cluster.release(),
    ]);
    stopKeepingUp();
    server.close();
    await cluster.close();
    await writeWhatIsLeft(accounts, clock, stopByMs, log);
  }
}

/** @throws {DatabaseError} where several servers would give people different addresses */
function refuseWithoutBaseUrl({ database, baseUrl }: Config): void {
  if (database === null || baseUrl !== null) return;
  throw new DatabaseError(
    "With --database the public address must be given, the same for all servers: set --base-url or MARQUEE_BASE_URL.",
  );
}

/** Says once what the disk cannot do for the data folder. */
function warnOfFolder(config: Config, key: KeyAccess, lock: ServerLock, log: Log): void {
  const data = resolve(config.data);
  if (lock === UNLOCKABLE) log.warn(UNLOCKABLE_WARNING, { folder: data });
  if (key === "private" || config.secretKey !== null) return;
  log.warn(key === "exposed" ? EXPOSED_KEY : ONCE_EXPOSED_KEY, { file: secretKeyPath(data) });
}

const keylessSources = (config: Config): string[] =>
  describedSources()
    .all.filter(({ keySetting }) => keySetting !== undefined && config[keySetting] === null)
    .map(({ id }) => id);

/** Loaded only where several servers may share a database. */
async function joinCluster(url: string, clock: Clock, log: Log, vault: DataFolder["vault"]) {
  const { openCluster } = await import("../cluster/postgres/open-cluster.ts");
  return openCluster({ url, clock, log, vault });
}

/** Whether other machines can connect, but would be refused because of the host name they use. */
function isOpenToOthers({ host, baseUrl, allowedHosts }: Config): boolean {
  return ["0.0.0.0", "::"].includes(host) && baseUrl === null && allowedHosts.length === 0;
}

/** Resolves with the first reason to stop: a signal, or what `stop` was called with. */
function stopSignal(): { readonly reason: Promise<string>; stop(reason: string): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => resolve(signal));
  }
  return { reason: promise, stop: resolve };
}
