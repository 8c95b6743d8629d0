import type { Clock } from "../clock.ts";
import { isTaken } from "./delivery.ts";
import { testEvent } from "./message.ts";
import type { Sender } from "./sender.ts";
import type { Hook, Hooks } from "./store.ts";

/**
 * Sends a test; the HTTP status, or `null` where nobody answers. A success switches the hook on.
 * Whoever asks again within five seconds gets the same test's answer, or `too soon` for another
 * hook of the same user.
 */
export type SendTest = (hook: Hook) => Promise<number | null | "too soon">;

export interface TestSendingDeps {
  readonly clock: Clock;
  readonly hooks: Pick<Hooks, "note">;
  readonly send: Sender;
}

/** No host may be flooded with a user's tests. One lasts no longer than this. */
const TEST_PAUSE_MS = 5_000;

export function createTestSending({ clock, hooks, send }: TestSendingDeps): SendTest {
  const sendTest = async (hook: Hook): Promise<number | null> => {
    const status = await send(hook, testEvent(clock.wallMs())).catch(() => null);
    if (isTaken(status) && hook.off !== null) await hooks.note(hook.id, { failures: 0, off: null });
    return status;
  };
  /** The tests of the last moment, by the users' ids: a hook that is added anew is no way around. */
  const tests = new Map<number, { hookId: number; status: Promise<number | null> }>();
  return async (hook) => {
    const last = tests.get(hook.userId);
    if (last) return last.hookId === hook.id ? last.status : "too soon";
    const status = sendTest(hook);
    tests.set(hook.userId, { hookId: hook.id, status });
    clock.after(TEST_PAUSE_MS, () => tests.delete(hook.userId));
    return status;
  };
}
