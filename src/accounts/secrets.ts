import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a sealed text is for; a text sealed for one purpose or user does not open for another. */
export type SealPurpose = "widget-token" | "connection-settings" | "upstream-app";

/** In a user's place where a sealed text belongs to the server as a whole. */
export const THE_SERVER = 0;

/** Encrypts what has to be stored and shown again. */
export interface Vault {
  /** AES-256-GCM under a fresh nonce, bound to the user and the purpose. */
  seal(purpose: SealPurpose, userId: number, text: string): Promise<Buffer>;
  /** Rejects with a {@link SecretError} when the bytes were altered, moved to another row, or sealed under another key. */
  open(purpose: SealPurpose, userId: number, sealed: Uint8Array): Promise<string>;
  /** @throws {SecretError} when the bytes were sealed under another key; the cheap half of `open`. */
  recognize(sealed: Uint8Array): void;
  /** Signs the tokens of forms; never leaves the server. */
  readonly formSecret: string;
  /** A name for `identity` that nobody without the key can guess: 128 bits, base64url. */
  opaqueName(identity: string): string;
}

/** A secret cannot be read or made; the message says why and what to do, never the secret. */
export class SecretError extends Error {
  override readonly name = "SecretError";
}

export const SECRET_KEY_FILE = "secret.key";

const KEY_BYTES = 32;
const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/** @param key 32 random bytes in base64 or base64url. */
export function createVault(key: string): Vault {
  const material = Buffer.from(key.trim(), "base64");
  if (material.length !== KEY_BYTES) {
    throw new SecretError(`The secret key must be ${KEY_BYTES} bytes in base64.`);
  }
  // The material is uniformly random, so one HMAC a use is a sound key derivation.
  const derive = (use: string) =>
    new Uint8Array(new Bun.CryptoHasher("sha256", material).update(`marquee ${use}`).digest());
  const keyId = derive("key id").subarray(0, KEY_ID_BYTES);
  const naming = derive("naming");
  // Made when first needed: a server that only waits does without the machinery.
  let sealing: Promise<CryptoKey> | undefined;
  const sealingKey = () => {
    sealing ??= crypto.subtle.importKey("raw", derive("sealing"), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
    return sealing;
  };
  const parameters = (header: Buffer, purpose: SealPurpose, userId: number) => ({
    name: "AES-GCM",
    iv: header.subarray(1 + KEY_ID_BYTES),
    additionalData: Buffer.concat([header, Buffer.from(`${purpose}:${userId}`)]),
  });

  const recognize = (sealed: Uint8Array) => {
    const bytes = Buffer.from(sealed);
    if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== FORMAT) {
      throw new SecretError(DAMAGED);
    }
    if (!bytes.subarray(1, 1 + KEY_ID_BYTES).equals(keyId)) {
      throw new SecretError(
        `The database was encrypted under another key. Put the ${SECRET_KEY_FILE} that belongs to it back in the data folder.`,
      );
    }
  };

  return {
    recognize,
    formSecret: Buffer.from(derive("forms")).toString("base64"),
    async seal(purpose, userId, text) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const header = Buffer.concat([Buffer.of(FORMAT), keyId, nonce]);
      const sealed = await crypto.subtle.encrypt(
        parameters(header, purpose, userId),
        await sealingKey(),
        Buffer.from(text, "utf8"),
      );
      return Buffer.concat([header, Buffer.from(sealed)]);
    },
    async open(purpose, userId, sealed) {
      recognize(sealed);
      const bytes = Buffer.from(sealed);
      const header = bytes.subarray(0, HEADER_BYTES);
      try {
        const text = await crypto.subtle.decrypt(
          parameters(header, purpose, userId),
          await sealingKey(),
          bytes.subarray(HEADER_BYTES),
        );
        return Buffer.from(text).toString("utf8");
      } catch {
        throw new SecretError(DAMAGED);
      }
    },
    opaqueName: (identity) =>
      Buffer.from(new Bun.CryptoHasher("sha256", naming).update(identity).digest())
        .subarray(0, 16)
        .toString("base64url"),
  };
}

const DAMAGED = "A stored secret is damaged. Restore a backup, or make it anew.";

/** Where a data folder's secret key lies. */
export const secretKeyPath = (folder: string): string => join(folder, SECRET_KEY_FILE);

/**
 * Reads a secret key, or answers `undefined` where there is none yet.
 * @throws {SecretError} when other users of the machine can read it, or it is not a key
 */
export function readSecretKey(path: string): string | undefined {
  try {
    // Windows has no such permission bits; its folders are private to the user by default.
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
      throw new SecretError(
        `${path} can be read by others on this machine. Run "chmod 600 ${path}", and if anyone may have read it, replace what it protects.`,
      );
    }
    const key = readFileSync(path, "utf8").trim();
    if (Buffer.from(key, "base64").length === KEY_BYTES) return key;
  } catch (error) {
    if (error instanceof SecretError) throw error;
    if (errorCode(error) === "ENOENT") return undefined;
    throw new SecretError(`${path} cannot be read. Check its owner and permissions.`, {
      cause: error,
    });
  }
  throw new SecretError(
    `${path} is not a secret key (${KEY_BYTES} bytes in base64). Restore it from where you keep it safe.`,
  );
}

/**
 * Makes a secret key that only this user can read. Another process may be doing the same: the
 * first one's key counts for both, and nobody ever sees half a file.
 */
export function createSecretKey(path: string): string {
  const key = randomText(KEY_BYTES, "base64");
  const draft = `${path}.${randomText(6, "hex")}`;
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
    linkSync(draft, path);
    return key;
  } catch (error) {
    const existing = errorCode(error) === "EEXIST" ? readSecretKey(path) : undefined;
    if (existing) return existing;
    throw new SecretError(`${path} cannot be created. Check that its folder is writable.`, {
      cause: error,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

function randomText(bytes: number, encoding: "base64" | "hex"): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString(encoding);
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
