import { KEY_ID_BYTES } from "../db/sealed-values.ts";

/** What a sealed text is for. It cannot be opened for another purpose or user. */
export type SealPurpose =
  | "widget-token"
  | "show-token"
  | "connection-settings"
  | "inbox-secret"
  | "hook-settings"
  | "upstream-app"
  | "chat-account"
  // In cookies for a few minutes, never stored.
  | "pending-authorization"
  | "notice";

/** Used as the user id when a sealed text belongs to the whole server. */
export const THE_SERVER = 0;

/** Encrypts what has to be stored and shown again. */
export type Vault = ReturnType<typeof createVault>;

/** A secret cannot be read or made; the message says why and what to do, never the secret. */
export class SecretError extends Error {
  override readonly name = "SecretError";
}

/** For a page or a list, of which one damaged secret takes its own row alone. @throws any other error */
export function nothingIfUnreadable(error: unknown): undefined {
  if (!(error instanceof SecretError)) throw error;
  return undefined;
}

export const KEY_BYTES = 32;
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/** @param key 32 random bytes in base64 or base64url */
export function createVault(key: string) {
  const derive = derivation(key);
  const naming = derive("naming");
  let current = createCipher(key);
  const known = [current];

  const cipherOf = (sealed: Uint8Array): Cipher => {
    const cipher = known.find(({ hasSealed }) => hasSealed(sealed));
    if (cipher) return cipher;
    throw new SecretError(
      "The database was encrypted under another key. Put the secret.key that belongs to it back in the data folder.",
    );
  };

  return {
    /** The id of the key that `seal` uses now. */
    get keyId(): Uint8Array {
      return current.keyId;
    },
    /**
     * Seals under another key from now on. What was sealed under earlier keys can still be opened.
     * @param nextKey 32 random bytes in base64 or base64url
     */
    replaceKey(nextKey: string) {
      current = createCipher(nextKey);
      known.push(current);
    },
    /** Signs form tokens; never leaves the server. Unchanged when the key is replaced. */
    formSecret: Buffer.from(derive("forms")).toString("base64"),
    /** AES-256-GCM under a fresh nonce, bound to the user and the purpose. */
    seal: (purpose: SealPurpose, userId: number, text: string) =>
      current.seal(purpose, userId, text),
    /**
     * A keyed hash: equal texts give equal bytes, but only with the key.
     * It begins with the key's id, since another key gives other bytes.
     */
    fingerprint: (text: string) => current.fingerprint(text),
    /** @throws {SecretError} if the bytes were altered, moved or need another key */
    open: (purpose: SealPurpose, userId: number, sealed: Uint8Array) =>
      cipherOf(sealed).open(purpose, userId, sealed),
    /**
     * A name for `identity` that nobody can guess without the key: 128 bits, base64url. Unchanged
     * when the key is replaced: open pages use such names.
     */
    opaqueName: (identity: string) =>
      Buffer.from(new Bun.CryptoHasher("sha256", naming).update(identity).digest())
        .subarray(0, 16)
        .toString("base64url"),
  };
}

/** The `vault.keyId` of a key. */
export function keyIdOf(key: string): Buffer {
  return Buffer.from(derivation(key)("key id").subarray(0, KEY_ID_BYTES));
}

/** The key is uniformly random, so one HMAC per use is a sound key derivation. */
function derivation(key: string): (use: string) => Uint8Array<ArrayBuffer> {
  const material = Buffer.from(key.trim(), "base64");
  if (material.length !== KEY_BYTES) {
    throw new SecretError(`The secret key must be ${KEY_BYTES} bytes in base64.`);
  }
  return (use) =>
    new Uint8Array(new Bun.CryptoHasher("sha256", material).update(`marquee ${use}`).digest());
}

/** Seals and opens under one key. */
type Cipher = ReturnType<typeof createCipher>;

function createCipher(key: string) {
  const derive = derivation(key);
  const keyId = keyIdOf(key);
  const sealingKey = derive("sealing");
  const nonceIn = (header: Buffer) => header.subarray(1 + KEY_ID_BYTES);
  const boundTo = (header: Buffer, purpose: SealPurpose, userId: number) =>
    Buffer.concat([header, Buffer.from(`${purpose}:${userId}`)]);

  return {
    keyId,
    fingerprint: (text: string) =>
      Buffer.concat([
        keyId,
        new Bun.CryptoHasher("sha256", derive("fingerprints")).update(text).digest(),
      ]),
    /** @throws {SecretError} when these are not sealed bytes */
    hasSealed(sealed: Uint8Array) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== FORMAT) {
        throw new SecretError(DAMAGED);
      }
      return bytes.subarray(1, 1 + KEY_ID_BYTES).equals(keyId);
    },
    seal(purpose: SealPurpose, userId: number, text: string) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const header = Buffer.concat([Buffer.of(FORMAT), keyId, nonce]);
      const cipher = nodeCrypto().createCipheriv(ALGORITHM, sealingKey, nonceIn(header));
      cipher.setAAD(boundTo(header, purpose, userId));
      const sealed = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([header, ...sealed, cipher.getAuthTag()]);
    },
    open(purpose: SealPurpose, userId: number, sealed: Uint8Array) {
      const bytes = Buffer.from(sealed);
      const header = bytes.subarray(0, HEADER_BYTES);
      const decipher = nodeCrypto().createDecipheriv(ALGORITHM, sealingKey, nonceIn(header));
      decipher.setAAD(boundTo(header, purpose, userId));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const opened = decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES));
        return Buffer.concat([opened, decipher.final()]).toString("utf8");
      } catch {
        throw new SecretError(DAMAGED);
      }
    },
  };
}

/** Loaded when first needed: it takes milliseconds and memory that an idle server saves. */
const nodeCrypto = () => process.getBuiltinModule("node:crypto");

const ALGORITHM = "aes-256-gcm";
const DAMAGED = "A stored secret is damaged. Restore a backup, or make it anew.";
