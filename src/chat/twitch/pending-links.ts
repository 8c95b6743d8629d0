import type { User } from "../../accounts/users.ts";
import type { Clock } from "../../clock.ts";
import { describeError, type Log } from "../../log.ts";
import type { DeviceCode } from "./answers.ts";
import type { LinkOutcome, TwitchLinks } from "./links.ts";

/** A link that a user has begun on a page. */
export interface PendingLink {
  readonly userCode: string;
  readonly link: string | undefined;
  /** `undefined` while the user has not decided. */
  readonly outcome: LinkOutcome | undefined;
}

/** The links that users have begun on this node's pages. */
export interface PendingLinks {
  /** Begins one in place of the user's one before. Resolves with Twitch's words if it refuses. */
  begin(
    user: Pick<User, "id" | "name">,
    choice: { readonly clientId: string; readonly channel?: string },
  ): Promise<{ readonly refusal: string } | undefined>;
  /** The user's one. Twitch is asked as long as the page calls this. */
  of(userId: number): PendingLink | undefined;
  forget(userId: number): void;
}

export interface PendingLinksDeps {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "error">;
  readonly links: Pick<TwitchLinks, "begin" | "finish">;
}

/** The least time between two codes for a user. */
const PAUSE_MS = 10_000;
/** A page that nobody has loaded for so long is closed. */
const PAGE_HOLDS_MS = 300_000;
/** How long the outcome of a link is shown. */
const OUTCOME_HOLDS_MS = 600_000;

interface Pending {
  readonly code: DeviceCode;
  readonly stop: AbortController;
  outcome: LinkOutcome | undefined;
  cancelTimer(): void;
}

export function createPendingLinks({ clock, log, links }: PendingLinksDeps): PendingLinks {
  const pending = new Map<number, Pending>();
  /** What Twitch has answered a moment ago: whoever clicks again gets the same code. */
  const answers = new Map<string, ReturnType<TwitchLinks["begin"]>>();

  const forget = (userId: number) => {
    const known = pending.get(userId);
    known?.stop.abort();
    known?.cancelTimer();
    pending.delete(userId);
  };
  const keepFor = (userId: number, one: Pending, ms: number) => {
    one.cancelTimer();
    one.cancelTimer = clock.after(ms, () => forget(userId));
  };

  return {
    forget,
    of(userId) {
      const known = pending.get(userId);
      if (!known) return undefined;
      if (!known.outcome) keepFor(userId, known, PAGE_HOLDS_MS);
      const { code, outcome } = known;
      return { userCode: code.userCode, link: code.link, outcome };
    },
    async begin(user, choice) {
      const key = `${user.id} ${choice.clientId}`;
      const asked = answers.get(key) ?? links.begin(choice.clientId);
      if (!answers.has(key)) clock.after(PAUSE_MS, () => answers.delete(key));
      answers.set(key, asked);
      const answer = await asked;
      if (answer.kind === "refused") return { refusal: answer.message };
      if (answer.kind === "uncertain") return { refusal: "" };
      forget(user.id);
      const { code } = answer;
      const one: Pending = {
        ...{ code, stop: new AbortController(), outcome: undefined, cancelTimer() {} },
      };
      pending.set(user.id, one);
      keepFor(user.id, one, PAGE_HOLDS_MS);
      void links
        .finish(user, { ...choice, code }, one.stop.signal)
        .catch((error: unknown): LinkOutcome => {
          log.error("a chat could not be linked", { reason: describeError(error) });
          return { kind: "uncertain" };
        })
        .then((outcome) => {
          one.outcome = outcome;
          // Its code is used up.
          answers.delete(key);
          if (pending.get(user.id) === one) keepFor(user.id, one, OUTCOME_HOLDS_MS);
        });
      return undefined;
    },
  };
}
