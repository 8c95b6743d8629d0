import { SecretError, type SealPurpose, type Vault } from "../vault/vault.ts";
import type { Clock } from "../clock.ts";

export interface SealedCookieDeps {
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly clock: Pick<Clock, "wallMs">;
}

/**
 * Encrypted data in a browser's cookie: the browser cannot read or change it. Not stored here.
 * @param purpose unique to this kind of content, so that other kinds cannot be opened as it
 */
export function createSealedCookie<Content>(
  { vault, clock }: SealedCookieDeps,
  purpose: SealPurpose,
  lifetimeMs: number,
) {
  interface Sealed {
    readonly expiresAtMs: number;
    readonly content: Content;
  }
  return {
    /** The cookie's value. */
    seal(userId: number, content: Content) {
      const sealed: Sealed = { expiresAtMs: clock.wallMs() + lifetimeMs, content };
      return vault.seal(purpose, userId, JSON.stringify(sealed)).toString("base64url");
    },
    /** The content sealed for this user; `undefined` if damaged, too old or another user's. */
    open(userId: number, value: string | undefined) {
      if (value === undefined) return undefined;
      try {
        const text = vault.open(purpose, userId, Buffer.from(value, "base64url"));
        const sealed: Sealed = JSON.parse(text);
        return sealed.expiresAtMs > clock.wallMs() ? sealed.content : undefined;
      } catch (error) {
        if (error instanceof SecretError) return undefined;
        throw error;
      }
    },
  };
}
