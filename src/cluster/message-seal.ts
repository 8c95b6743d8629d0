import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Vault } from "../vault/vault.ts";
import { KEY_ID_BYTES } from "../db/sealed-values.ts";

/**
 * Encrypts what nodes send to each other (AES-256-GCM): any role that may connect to the database
 * can listen to notices and send them. It works at once, so that messages keep their order.
 */
export interface MessageSeal {
  /** @param context what stands beside it in the clear, and cannot be changed either */
  seal(context: string, text: string): string;
  /** `undefined` for what was altered, or sealed under a key that is not known here. */
  open(context: string, sealed: string): string | undefined;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many bytes a sealed text is longer, before base64. */
export const SEAL_BYTES = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** A node that was away may lack the key in force: it is looked for at most so often. */
const LOOK_FOR_KEY_EVERY_MS = 5_000;

export function createMessageSeal(
  vault: Pick<Vault, "messageKeys" | "follow">,
  monotonicMs: () => number,
): MessageSeal {
  let lookedAtMs = -Infinity;
  const lookForKey = () => {
    const nowMs = monotonicMs();
    if (nowMs - lookedAtMs < LOOK_FOR_KEY_EVERY_MS) return;
    lookedAtMs = nowMs;
    void vault.follow().catch(() => {});
  };

  return {
    seal(context, text) {
      const [key] = vault.messageKeys();
      if (!key) throw new Error("there is no key for messages");
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key.messageKey, nonce).setAAD(Buffer.from(context));
      const sealed = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([key.keyId, nonce, ...sealed, cipher.getAuthTag()]).toString("base64");
    },
    open(context, text) {
      const bytes = Buffer.from(text, "base64");
      if (bytes.length < SEAL_BYTES) return undefined;
      const key = vault
        .messageKeys()
        .find(({ keyId }) => bytes.subarray(0, KEY_ID_BYTES).equals(keyId));
      if (!key) {
        lookForKey();
        return undefined;
      }
      const start = KEY_ID_BYTES + NONCE_BYTES;
      const nonce = bytes.subarray(KEY_ID_BYTES, start);
      const decipher = createDecipheriv(ALGORITHM, key.messageKey, nonce);
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const opened = decipher.update(bytes.subarray(start, -TAG_BYTES));
        return Buffer.concat([opened, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
