import type { Clock } from "../../clock.ts";
import { Refused } from "../../i18n/refused.ts";
import { describeError, type Log } from "../../log.ts";
import type { ChatAccount } from "../store.ts";
import type { BegunLink } from "./links.ts";

/** A link that a page shows until the user has decided, and then once what came of it. */
export interface PendingLink extends Pick<BegunLink, "userCode" | "link"> {
  /** `undefined` while the user has not decided. */
  readonly outcome: ChatAccount | Refused | undefined;
}

export interface PendingLinksDeps {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "error">;
}

/** A page that nobody has loaded for so long is closed. */
const PAGE_HOLDS_MS = 300_000;
/** How long the outcome of a link is shown. */
const OUTCOME_HOLDS_MS = 600_000;

interface Pending {
  readonly begun: BegunLink;
  readonly stop: AbortController;
  outcome: PendingLink["outcome"];
  cancelTimer(): void;
}

/** The links that pages wait for. */
export function createPendingLinks({ clock, log }: PendingLinksDeps) {
  const links = new Map<number, Pending>();

  const forget = (userId: number) => {
    const link = links.get(userId);
    link?.stop.abort();
    link?.cancelTimer();
    links.delete(userId);
  };
  const keepFor = (userId: number, link: Pending, ms: number) => {
    link.cancelTimer();
    link.cancelTimer = clock.after(ms, () => forget(userId));
  };
  const refusalIn = (error: unknown): Refused => {
    if (error instanceof Refused) return error;
    log.error("a chat could not be linked", { reason: describeError(error) });
    return new Refused("chat.uncertain");
  };

  return {
    forget,
    /** The user's one. Twitch is asked as long as the page calls this. */
    of(userId: number) {
      const link = links.get(userId);
      if (!link) return undefined;
      if (!link.outcome) keepFor(userId, link, PAGE_HOLDS_MS);
      const { begun, outcome } = link;
      return { userCode: begun.userCode, link: begun.link, outcome };
    },
    /** Waits for a link in place of the user's one before. */
    wait(userId: number, begun: BegunLink) {
      forget(userId);
      const stop = new AbortController();
      const link: Pending = { begun, stop, outcome: undefined, cancelTimer() {} };
      links.set(userId, link);
      keepFor(userId, link, PAGE_HOLDS_MS);
      void begun
        .wait(stop.signal)
        .catch(refusalIn)
        .then((outcome) => {
          link.outcome = outcome;
          if (links.get(userId) === link) keepFor(userId, link, OUTCOME_HOLDS_MS);
        });
    },
  };
}
