import { createBoundedMap } from "../../bounded-map.ts";
import type { MagicLinkSecret } from "../../accounts/credential.ts";
import { THE_SERVER } from "../../accounts/secrets.ts";
import type { Language } from "../../languages.ts";
import type { OpenAttempt } from "../../sources/source.ts";
import { cookieNames, cookieOf, setCookie } from "../../http/cookies.ts";
import { createSealedCookie, type SealedCookieDeps } from "../../http/sealed-cookie.ts";

/** What a linking is for. */
export type OAuthIntent =
  /** Opened by a one-time link. */
  | { readonly kind: "connect"; readonly secret: MagicLinkSecret }
  /** A signed-in user connects music. */
  | { readonly kind: "dashboard"; readonly userId: number }
  /** Somebody shows who they are. */
  | { readonly kind: "signIn" };

/** A linking whose browser is away at the upstream. */
export interface PendingAuthorization {
  readonly source: string;
  readonly intent: OAuthIntent;
  readonly language: Language;
  readonly attempt: OpenAttempt;
}

/**
 * Linkings under way. Each is kept, sealed, by the browser that began it, so that nobody else's
 * attempts can push it out; tabs of one browser have a cookie each.
 */
export interface PendingAuthorizations {
  /** The `Set-Cookie` headers that keep a linking in the browser that begins it. */
  begin(request: Request, pending: PendingAuthorization): Promise<string[]>;
  /** The linking that a browser comes back for. Good for one answer, from that browser, in time. */
  claim(request: Request, state: string): Promise<PendingAuthorization | undefined>;
  /** The `Set-Cookie` header that takes a linking away from its browser. */
  end(state: string): string;
}

/** As long as an upstream's page may stay open. */
const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** Tabs that a browser may have at an upstream: its cookies must fit into a request. */
const MOST_IN_A_BROWSER = 4;
/**
 * Bounds the memory of states that were used. A stranger who pushes one out gains nothing: only its
 * own browser holds the cookie it belongs to, and the upstream takes no code twice.
 */
const MOST_USED = 10_000;

/** @param secure whether the server is reached by https */
export function createPendingAuthorizations(
  deps: SealedCookieDeps,
  secure: boolean,
): PendingAuthorizations {
  const sealed = createSealedCookie<PendingAuthorization>(
    deps,
    "pending-authorization",
    ATTEMPT_LIFETIME_MS,
  );
  const used = createBoundedMap<string, true>(MOST_USED);
  const prefix = secure ? "__Host-marquee-link-" : "marquee-link-";
  const nameOf = (state: string) => prefix + state.slice(0, 8);
  const takeAway = (name: string) => setCookie(name, "", { secure, maxAgeSeconds: 0 });

  return {
    async begin(request, link) {
      const value = await sealed.seal(THE_SERVER, link);
      const maxAgeSeconds = ATTEMPT_LIFETIME_MS / 1000;
      const begun = setCookie(nameOf(link.attempt.state), value, { secure, maxAgeSeconds });
      const surplus = cookieNames(request, prefix).slice(0, 1 - MOST_IN_A_BROWSER);
      return [begun, ...surplus.map(takeAway)];
    },
    async claim(request, state) {
      const link = await sealed.open(THE_SERVER, cookieOf(request, nameOf(state)));
      if (!link || link.attempt.state !== state || used.get(state)) return undefined;
      used.set(state, true);
      return link;
    },
    end: (state) => takeAway(nameOf(state)),
  };
}
