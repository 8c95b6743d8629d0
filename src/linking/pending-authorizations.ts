import { createBoundedMap } from "../bounded-map.ts";
import type { MagicLinkSecret } from "../accounts/credential.ts";
import { THE_SERVER } from "../vault/vault.ts";
import type { Language } from "../languages.ts";
import type { OpenAttempt } from "../sources/source.ts";
import { createSealedCookie, type SealedCookieDeps } from "../http/sealed-cookie.ts";
import type { Parts } from "../http/parts.ts";

/** The purpose of an OAuth linking. */
export type OAuthIntent =
  /** Opened by a magic link. */
  | { readonly kind: "connect"; readonly secret: MagicLinkSecret }
  /** A signed-in user connects music: a connection with this name, or the one without. */
  | { readonly kind: "dashboard"; readonly userId: number; readonly name: string }
  /** A user signs in. */
  | { readonly kind: "signIn" };

/** An OAuth linking whose browser has not yet returned from the upstream. */
export interface PendingAuthorization {
  readonly source: string;
  readonly intent: OAuthIntent;
  readonly language: Language;
  readonly attempt: OpenAttempt;
}

/** How long an upstream's page may stay open. */
const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** Linkings per browser at the same time: their cookies must fit into a request. */
const MOST_IN_A_BROWSER = 4;
/**
 * Limits how many used states are remembered. If an attacker forces one out, nothing is gained:
 * only its own browser has the cookie, and the upstream accepts each code only once.
 */
const MOST_USED = 10_000;

export type PendingAuthorizationsDeps = SealedCookieDeps & Pick<Parts, "cookies">;

/**
 * OAuth linkings in progress. Each is stored in a sealed cookie of the browser that began it, so
 * that other browsers' attempts cannot replace it. Each tab has its own cookie.
 */
export function createPendingAuthorizations(deps: PendingAuthorizationsDeps) {
  const { cookies } = deps;
  const sealed = createSealedCookie<PendingAuthorization>(
    deps,
    "pending-authorization",
    ATTEMPT_LIFETIME_MS,
  );
  const used = createBoundedMap<string, true>(MOST_USED);
  const cookieOf = (state: string) => cookies.forHost(`link-${state.slice(0, 8)}`);

  return {
    /** The `Set-Cookie` headers that store a linking in the browser that begins it. */
    begin(request: Request, link: PendingAuthorization) {
      const value = sealed.seal(THE_SERVER, link);
      const begun = cookieOf(link.attempt.state).set(value, ATTEMPT_LIFETIME_MS / 1000);
      const surplus = cookies.usesOf(request, "link-").slice(0, 1 - MOST_IN_A_BROWSER);
      return [begun, ...surplus.map((use) => cookies.forHost(use).drop())];
    },
    /** The linking of a returning browser. Works once, in that browser, before it expires. */
    claim(request: Request, state: string) {
      const link = sealed.open(THE_SERVER, cookieOf(state).of(request));
      if (!link || link.attempt.state !== state || used.get(state)) return undefined;
      used.set(state, true);
      return link;
    },
    /** The `Set-Cookie` header that removes a linking from its browser. */
    end: (state: string) => cookieOf(state).drop(),
  };
}
