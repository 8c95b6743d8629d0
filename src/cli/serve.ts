import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { createAccounts, type Accounts, type AddedUser } from "../accounts/accounts.ts";
import type { User } from "../accounts/users.ts";
import { UNDO_MS } from "../looks/removed-widgets.ts";
import { toUserName } from "../user-name.ts";
import { createDiskCache } from "../artwork/disk-cache.ts";
import { type Clock, systemClock } from "../clock.ts";
import { addressOfDatabase, type Config, type ResolvedConfig } from "../config.ts";
import { createServer } from "../create-server.ts";
import type { CommandDescription } from "../docs/commands-table.ts";
import { DatabaseError } from "../db/errors.ts";
import { languageOr } from "../languages.ts";
import { listen } from "../server.ts";
import { createLog, describeError, type Log } from "../log.ts";
import { alone } from "../cluster/alone.ts";
import { createMetrics, noMetrics } from "../metrics.ts";
import { THIS_MACHINE } from "../sources/here/found.ts";
import { NETWORK } from "../sources/upstream/index.ts";
import { RUN_FROM_SOURCE, VERSION } from "../version.ts";
import { SIGN_IN_PURPOSE } from "../accounts/magic-links.ts";
import {
  apiAddress,
  baseUrlOf,
  listeningAddressOf,
  signInAddress,
  widgetAddress,
} from "../addresses.ts";
import type { Io } from "./command.ts";
import { isOutputLogged, readOutputFacts } from "./logged-output.ts";
import { openBrowser } from "./open-browser.ts";
import { isFromSource } from "../own-program.ts";
import { isTerminal } from "./output.ts";
import { NO_LOCK } from "./server-lock.ts";
import { type DataFolder, openServedFolder } from "./workspace.ts";

/** The server answers no requests while it waits for another process's lock on the database. */
const LOCK_WAIT_MS = 250;
/** How soon the server applies the changes that other commands make. */
const LOOK_FOR_CHANGES_MS = 250;
/** A shared database tells of changes by itself; this finds out when it can no longer be heard. */
const LISTEN_FOR_CHANGES_MS = 1_000;
/** Of one server to a shared database, besides the one that listens. */
const CONNECTIONS = 8;
const FLUSH_KEY_USES_MS = 30_000;
const RETRY_WRITES_MS = 1_000;
const SHRINK_FILE_MS = 1_000;
/** How often a stopping server retries its remaining writes. */
const LAST_WRITES_EVERY_MS = 50;
const FORGET_SONGS_MS = 10 * 60_000;
const REMIND_OF_CONSENT_MS = 6 * 3_600_000;
/** So long after its start a node has its share of the users. */
const USERS_ARE_SHARED_MS = 60_000;
/** Limit for covers on disk. */
const MOST_COVER_BYTES = 64 * 1024 * 1024;
/** A stop takes at most this long, so that a service manager does not kill the process. */
const STOP_WITHIN_MS = 3_500;

/** Whether the owner gets a magic link on the first start only, or on each. */
export type Greeting = "first" | "always";

/**
 * `marquee serve`: runs until a signal or `marquee stop` ends it.
 * @param commands loads the program's commands for the documentation
 * @throws {AlreadyRunningError} when another server runs on the data folder
 */
export async function serve(...given: Parameters<typeof serveFolder>): Promise<void> {
  if (process.platform !== "win32") return serveFolder(...given);
  const { forbidQuickEdit } = await import("./windows-desktop.ts");
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
  const { store, vault, lock } = await openServedFolder(config, CONNECTIONS);
  try {
    shrink(() => store.file?.makeShrinkable());
    let isLost = false;
    store.network?.onReach((isReached) => {
      if (!isReached) log.error("the database cannot be reached, and Marquee keeps trying");
      else if (isLost) log.info("the database can be reached again");
      isLost = !isReached;
    });
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
    });
    const followSecretKey = createKeyFollower({ store, vault }, log);
    const stopping = stopSignal();
    accounts.onChange(async ({ concerns }) => {
      if (!concerns("server")) return;
      if (lock !== NO_LOCK && (await accounts.isAskedToStop())) stopping.stop("marquee stop");
      await followSecretKey();
    });
    const lookMs = store.network ? LISTEN_FOR_CHANGES_MS : LOOK_FOR_CHANGES_MS;
    const firstReminderMs = store.network ? USERS_ARE_SHARED_MS : 0;
    const stopKeepingUp = keepUp(accounts, log, lookMs, server.remindOfConsent, firstReminderMs);
    const shrinking = setInterval(() => shrink(() => store.file?.shrink()), SHRINK_FILE_MS);

    const loginUrl = await greet(accounts, resolved, baseUrl, asJson, io, greeting);
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
    clearInterval(shrinking);
    server.close();
    await cluster.close();
    await writeWhatIsLeft(accounts, clock, stopByMs, log);
  } finally {
    await store.close();
    lock.release();
  }
}

/** @throws {DatabaseError} where several servers would give people different addresses */
function refuseWithoutBaseUrl({ database, baseUrl }: Config): void {
  if (database === null || baseUrl !== null) return;
  throw new DatabaseError(
    "With --database the public address must be given, the same for all servers: set --base-url or MARQUEE_BASE_URL.",
  );
}

/** Loaded only where several servers may share a database. */
async function joinCluster(url: string, clock: Clock, log: Log, vault: DataFolder["vault"]) {
  const { openCluster } = await import("../cluster/postgres/open-cluster.ts");
  return openCluster({ url, clock, log, vault });
}

/** What a locked database or a full disk prevents is tried again. */
function shrink(attempt: () => void): void {
  try {
    attempt();
  } catch {
    // The file stays as large as it is, and works.
  }
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

/** Regularly applies other commands' account changes, and stores when keys were last used. */
function keepUp(
  accounts: Accounts,
  log: Log,
  lookMs: number,
  remindOfConsent: () => Promise<void>,
  firstReminderMs: number,
): () => void {
  const attempt = (task: () => void | Promise<void>) => {
    let isRunning = false;
    return async () => {
      // A database that does not answer must not gather attempts.
      if (isRunning) return;
      isRunning = true;
      try {
        await task();
      } catch (error) {
        // A full disk must not stop the server: the next attempt may succeed.
        log.error("background work failed", { reason: describeError(error) });
      } finally {
        isRunning = false;
      }
    };
  };
  const retryWrites = async () => void (await accounts.retryWrites());
  const lookForChanges = attempt(accounts.checkForChanges);
  const timers = [
    setInterval(lookForChanges, lookMs),
    setInterval(attempt(accounts.keys.flushUses), FLUSH_KEY_USES_MS),
    setInterval(attempt(retryWrites), RETRY_WRITES_MS),
    setInterval(attempt(accounts.widgets.forgetRemoved), UNDO_MS),
    setInterval(attempt(accounts.history.forgetOld), FORGET_SONGS_MS),
    setInterval(attempt(accounts.foundCovers.forgetOld), FORGET_SONGS_MS),
    setInterval(attempt(remindOfConsent), REMIND_OF_CONSENT_MS),
  ];
  void lookForChanges();
  void attempt(accounts.history.forgetOld)();
  const firstReminder = setTimeout(attempt(remindOfConsent), firstReminderMs);
  return () => {
    clearTimeout(firstReminder);
    for (const timer of timers) clearInterval(timer);
  };
}

/** Switches to a secret key that a command has put in force. Logs each change or failure once. */
function createKeyFollower(
  { store, vault }: Pick<DataFolder, "store" | "vault">,
  log: Log,
): () => Promise<void> {
  let refused = false;
  return async () => {
    if (await store.sealed.isInForce(vault.keyId)) return;
    try {
      await vault.follow();
      log.info("the secret key was replaced, and the new one is in use");
      refused = false;
    } catch (error) {
      if (!refused) log.error("no secrets can be stored", { reason: describeError(error) });
      refused = true;
    }
  };
}

/** Another process may hold a lock, so the writes are retried until the stop's time limit. */
async function writeWhatIsLeft(
  { keys, retryWrites }: Accounts,
  clock: Clock,
  byMs: number,
  log: Log,
): Promise<void> {
  for (;;) {
    let reason = "the database takes no writes";
    try {
      await keys.flushUses();
      if (await retryWrites()) return;
    } catch (error) {
      reason = describeError(error);
    }
    if (clock.monotonicMs() >= byMs) {
      log.error("not everything could be stored before the stop", { reason });
      return;
    }
    await clock.sleep(LAST_WRITES_EVERY_MS, new AbortController().signal);
  }
}

/**
 * Prints the server's address, and on the first start everything needed to use it. Resolves with
 * the magic link of the first start.
 */
async function greet(
  accounts: Accounts,
  { config }: ResolvedConfig,
  baseUrl: string,
  asJson: boolean,
  io: Io,
  greeting: Greeting,
): Promise<string | undefined> {
  const knownOwner = await accounts.users.owner();
  const added = knownOwner ? undefined : await addOwner();
  const owner = knownOwner ?? added?.user ?? (await accounts.users.owner());
  const welcomed = greeting === "always" ? owner : added?.user;
  const loginUrl =
    welcomed &&
    signInAddress(
      baseUrl,
      languageOr(welcomed.language, "en"),
      await accounts.magicLinks.issue(welcomed, SIGN_IN_PURPOSE),
    );
  const text = asJson
    ? JSON.stringify({
        event: "ready",
        url: baseUrl,
        username: owner?.name ?? null,
        ...(added && credentialsOf(added, baseUrl)),
        ...(loginUrl && { login_url: loginUrl }),
      })
    : [
        "",
        ...greetingLines(
          baseUrl,
          config,
          owner,
          added,
          loginUrl,
          isOutputLogged(readOutputFacts(io.environment)),
        ),
        "",
      ].join("\n");
  try {
    // In one write: a reader that closes its pipe early must not stop the server.
    io.out(text);
  } catch (error) {
    // Credentials are shown only once, so they must be printed. The rest is also logged.
    if (added) throw error;
  }
  return loginUrl;

  function addOwner() {
    const name = config.owner ?? toUserName(systemUserName());
    return accounts.addOwner(name, { source: "demo", settings: null });
  }
}

function greetingLines(
  baseUrl: string,
  config: Config,
  owner: User | undefined,
  added: AddedUser | undefined,
  loginUrl: string | undefined,
  isLogged: boolean,
): string[] {
  const lines = added
    ? [
        "",
        ...signInLines(loginUrl),
        "",
        ...(isLogged ? whereSecretsAre(added) : secretsOf(added, baseUrl)),
      ]
    : [
        `  API        ${apiAddress(baseUrl, "now-playing")}`,
        `  Widget     ${ownCommand()} widget url ${owner?.name ?? "USER"}`,
        ...(loginUrl
          ? ["", ...signInLines(loginUrl)]
          : [`  Dashboard  ${ownCommand()} login ${owner?.name ?? "USER"}`]),
      ];
  return [
    `  Marquee ${VERSION} serves ${baseUrl}`,
    config.database === null
      ? `  Data       ${resolve(config.data)}`
      : `  Database   ${addressOfDatabase(config.database)}`,
    ...lines,
  ];
}

function credentialsOf({ key, widgetToken }: AddedUser, baseUrl: string) {
  return {
    api_key: key,
    widget_token: widgetToken,
    widget_url: widgetAddress(baseUrl, "en", widgetToken),
  };
}

function signInLines(loginUrl: string | undefined): string[] {
  if (!loginUrl) return [];
  return [
    "  Open this to set everything up in your browser. It works once, within half an hour:",
    `    ${loginUrl}`,
  ];
}

function secretsOf({ user, key, widgetToken }: AddedUser, baseUrl: string): string[] {
  return [
    `  User       ${user.name}, who gets the demo playlist for now`,
    `  API key    ${key}`,
    "             shown only once: keep it",
    "",
    "  Ask what is playing:",
    `    curl -H 'X-Api-Key: ${key}' ${apiAddress(baseUrl, "now-playing")}`,
    "",
    "  Put it on stream: add a browser source of 500 × 120 in OBS with this address:",
    `    ${widgetAddress(baseUrl, "en", widgetToken)}`,
  ];
}

/** A log keeps its text. A magic link expires soon, but an API key or widget address does not. */
function whereSecretsAre({ user }: AddedUser): string[] {
  return [
    "  This goes to a log, so neither API key nor widget address is shown. Get them in the dashboard,",
    "  or with these commands:",
    `    ${ownCommand()} key add ${user.name}`,
    `    ${ownCommand()} widget url ${user.name}`,
  ];
}

/** The command that runs this program: its own name, or the command that runs the sources. */
function ownCommand(): string {
  return isFromSource() ? RUN_FROM_SOURCE : "marquee";
}

/** In a container, the process's user may be missing from the list of users. */
function nameFromUserInfo(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** The operating system's name for the user who runs this. In a container there may be none. */
function systemUserName(): string {
  // Bun reads the name only from $USER, and returns "unknown" for services without that variable.
  const username = nameFromUserInfo();
  if (username !== "unknown") return username;
  const answer = Bun.which("id") ? Bun.spawnSync(["id", "-un"]).stdout.toString().trim() : "";
  return answer || "owner";
}
