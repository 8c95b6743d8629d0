import type { Clock } from "../../clock.ts";
import { Refused } from "../../i18n/refused.ts";
import { describeError, type Log } from "../../log.ts";
import type { ChatAccount } from "../store.ts";
import type { BegunLink } from "./links.ts";

/** A link that a page shows until the user has decided, and then once what came of it. */
export interface PendingLink {
  readonly begun: BegunLink;
  /** `undefined` while the user has not decided. */
  readonly outcome: ChatAccount | Refused | undefined;
}

export interface PendingLinksDeps {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly log: Pick<Log, "error">;
}

/**
 * Twitch is asked while the page is loaded so often: it reloads itself every five seconds. A phone stops that
 * while its user agrees in another tab; once the page is back, Twitch is asked again.
 */
const WATCHED_MS = 15_000;
/** A link whose page nobody has loaded for so long is given up, or what came of it is forgotten. */
const PAGE_HOLDS_MS = 300_000;

interface Held extends PendingLink {
  outcome: PendingLink["outcome"];
  readonly stop: AbortController;
  /** When the page was last loaded, in monotonic milliseconds. */
  loadedAtMs: number;
  cancelTimer(): void;
}

/** The links that pages wait for. */
export function createPendingLinks({ clock, log }: PendingLinksDeps) {
  const links = new Map<number, Held>();

  const forget = (userId: number) => {
    const link = links.get(userId);
    link?.stop.abort();
    link?.cancelTimer();
    links.delete(userId);
  };
  const hold = (userId: number, link: Held) => {
    link.loadedAtMs = clock.monotonicMs();
    link.cancelTimer();
    link.cancelTimer = clock.after(PAGE_HOLDS_MS, () => forget(userId));
  };
  const refusalIn = (error: unknown): Refused => {
    if (error instanceof Refused) return error;
    log.error("a chat could not be linked", { reason: describeError(error) });
    return new Refused("chat.uncertain");
  };

  return {
    forget,
    /** The user's one, for its page, which is loaded now. */
    of(userId: number): PendingLink | undefined {
      const link = links.get(userId);
      if (link) hold(userId, link);
      return link;
    },
    /** Waits for a link in place of the user's one before. */
    wait(userId: number, begun: BegunLink) {
      forget(userId);
      const stop = new AbortController();
      const link: Held = { begun, stop, outcome: undefined, loadedAtMs: 0, cancelTimer() {} };
      links.set(userId, link);
      hold(userId, link);
      void begun
        .wait(stop.signal, () => clock.monotonicMs() - link.loadedAtMs <= WATCHED_MS)
        .catch(refusalIn)
        .then((outcome) => {
          link.outcome = outcome;
        });
    },
  };
}
