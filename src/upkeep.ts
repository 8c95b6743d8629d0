import { UNDO_MS } from "./looks/removed-widgets.ts";
import type { Accounts } from "./accounts/accounts.ts";
import type { Clock } from "./clock.ts";
import { describeError, type Log } from "./log.ts";
import { createIdleMemory, type IdleMemoryDeps } from "./idle-memory.ts";
import type { ServerDeps, ServerParts } from "./create-server.ts";

/** What a server does beside its answers: it stores and forgets. */

/** How soon what could not be followed of a change is followed again. */
const FOLLOW_AGAIN_MS = 1_000;
const END_KEYS_MS = 60_000;
const FLUSH_KEY_USES_MS = 30_000;
const RETRY_WRITES_MS = 1_000;
const SHRINK_FILE_MS = 1_000;
/** How often a stopping server retries its remaining writes. */
const LAST_WRITES_EVERY_MS = 50;
const FORGET_SONGS_MS = 10 * 60_000;
const RELEASE_MEMORY_MS = 5_000;
const REMIND_OF_CONSENT_MS = 6 * 3_600_000;

type UpkeepDeps = Pick<ServerDeps, "accounts" | "log" | "store"> &
  Pick<ServerParts, "remindOfConsent">;

const THIS_PROCESS: IdleMemoryDeps = {
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  monotonicMs: () => performance.now(),
  release: () => Bun.shrink(),
};

/** Does its work at intervals from now on, until the function that it returns is called. */
export function keepUp({ accounts, log, store, remindOfConsent }: UpkeepDeps): () => void {
  const timers = [
    setInterval(() => tryToShrink(store.shrink), SHRINK_FILE_MS),
    setInterval(createIdleMemory(THIS_PROCESS), RELEASE_MEMORY_MS),
  ];
  /** Does `work` at intervals from now on. What it returns does it once more, and never throws. */
  const repeat = (work: string, everyMs: number, task: () => unknown) => {
    let isRunning = false;
    /** Why the last attempt failed, so that the log says it once. */
    let failure: string | undefined;
    const attempt = async () => {
      // A database that does not answer must not gather attempts.
      if (isRunning) return;
      isRunning = true;
      try {
        await task();
        failure = undefined;
      } catch (error) {
        // A full disk must not stop the server: the next attempt may succeed.
        const reason = describeError(error);
        if (reason !== failure) log.error("background work failed", { work, reason });
        failure = reason;
      } finally {
        isRunning = false;
      }
    };
    timers.push(setInterval(attempt, everyMs));
    return attempt;
  };
  const { keys, widgets, history, foundCovers } = accounts;
  repeat("follow changes again", FOLLOW_AGAIN_MS, accounts.followMissed);
  void repeat("end replaced keys", END_KEYS_MS, keys.endReplaced)();
  repeat("store uses of keys", FLUSH_KEY_USES_MS, keys.flushUses);
  repeat("store what is left", RETRY_WRITES_MS, accounts.retryWrites);
  repeat("forget removed overlays", UNDO_MS, widgets.forgetRemoved);
  repeat("forget found covers", FORGET_SONGS_MS, foundCovers.forgetOld);
  void repeat("forget old songs", FORGET_SONGS_MS, history.forgetOld)();
  void repeat("remind of consent", REMIND_OF_CONSENT_MS, remindOfConsent)();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** A full disk may have room again, so the writes are retried until the stop's time limit. */
export async function writeWhatIsLeft(
  { keys, retryWrites }: Accounts,
  clock: Clock,
  byMs: number,
  log: Log,
): Promise<void> {
  for (;;) {
    let reason = "the database takes no writes, or a service has not answered";
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
    await clock.sleep(LAST_WRITES_EVERY_MS);
  }
}

/** What a full disk prevents is tried again. */
function tryToShrink(attempt: () => void): void {
  try {
    attempt();
  } catch {
    // The file stays as large as it is, and works.
  }
}
