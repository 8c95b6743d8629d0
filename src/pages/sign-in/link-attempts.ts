import type { LinkSecret } from "../../accounts/credential.ts";
import type { Clock } from "../../clock.ts";
import type { Language } from "../../i18n/index.ts";
import type { LinkAttempt } from "../../sources/source.ts";

/** What a linking is for. */
export type Errand =
  /** Opened by a one-time link. */
  | { readonly kind: "connect"; readonly secret: LinkSecret }
  /** A signed-in user connects music. */
  | { readonly kind: "dashboard"; readonly userId: number }
  /** Somebody shows who they are. */
  | { readonly kind: "signIn" };

/** A linking whose browser is away at the upstream. */
export interface PendingLink {
  readonly source: string;
  readonly errand: Errand;
  readonly language: Language;
  readonly attempt: LinkAttempt;
}

/** Linkings under way, each bound to the browser that began it. */
export interface LinkAttempts {
  begin(browser: string, pending: PendingLink): void;
  /** The linking that a browser comes back for. Good for one answer, from that browser, in time. */
  claim(browser: string | undefined, state: string): PendingLink | undefined;
}

/** As long as an upstream's page may stay open. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** Bounds the memory of attempts that nobody finishes. */
const MOST_ATTEMPTS = 1_000;

export function createLinkAttempts(clock: Pick<Clock, "monotonicMs">): LinkAttempts {
  const pending = new Map<string, { browser: string; expiresAtMs: number; link: PendingLink }>();
  return {
    begin(browser, link) {
      for (const [state, { expiresAtMs }] of pending) {
        const expired = expiresAtMs <= clock.monotonicMs();
        if (!expired && pending.size < MOST_ATTEMPTS) break;
        pending.delete(state);
      }
      const expiresAtMs = clock.monotonicMs() + ATTEMPT_LIFETIME_MS;
      pending.set(link.attempt.state, { browser, expiresAtMs, link });
    },
    claim(browser, state) {
      const found = pending.get(state);
      // Another browser's guess must not end the linking for the one that began it.
      if (!found || found.browser !== browser) return undefined;
      pending.delete(state);
      return found.expiresAtMs > clock.monotonicMs() ? found.link : undefined;
    },
  };
}
