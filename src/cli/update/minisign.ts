import { CommandError } from "../../control/execution.ts";

/** Signatures in minisign's format: https://jedisct1.github.io/minisign/#signature-format */

const KEY_ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** A signature of the file's BLAKE2b hash. */
const PREHASHED = "ED";

/**
 * Checks a signature of a file, and returns its trusted comment.
 * @param keys public keys as `minisign -G` prints them, in base64
 * @throws {CommandError}
 */
export async function verifySignature(
  file: Uint8Array,
  signature: string,
  keys: readonly string[],
): Promise<string> {
  const [, encoded = "", trusted = "", encodedGlobal = ""] = signature.split(/\r?\n/);
  const [, comment] = /^trusted comment: (.*)$/.exec(trusted) ?? [];
  const parts = Buffer.from(encoded, "base64");
  const global = Buffer.from(encodedGlobal, "base64");
  const isWhole =
    parts.length === 2 + KEY_ID_BYTES + SIGNATURE_BYTES && global.length === SIGNATURE_BYTES;
  if (!isWhole || comment === undefined || parts.toString("latin1", 0, 2) !== PREHASHED) {
    throw new CommandError("The signature cannot be read.");
  }
  const key = keys
    .map((one) => Buffer.from(one, "base64"))
    .filter((one) => one.length === 2 + KEY_ID_BYTES + KEY_BYTES)
    .find((one) => one.subarray(2, 2 + KEY_ID_BYTES).equals(parts.subarray(2, 2 + KEY_ID_BYTES)));
  if (!key) throw new CommandError("The list is signed by a key that this program does not know.");
  const publicKey = await crypto.subtle.importKey(
    "raw",
    Uint8Array.from(key.subarray(2 + KEY_ID_BYTES)),
    "Ed25519",
    false,
    ["verify"],
  );
  const own = parts.subarray(2 + KEY_ID_BYTES);
  const hash = new Bun.CryptoHasher("blake2b512").update(file).digest();
  const isSigned = async (signed: Uint8Array, text: Uint8Array) =>
    crypto.subtle.verify("Ed25519", publicKey, Uint8Array.from(signed), Uint8Array.from(text));
  if (!(await isSigned(own, hash)))
    throw new CommandError("The list was changed after it was signed.");
  if (!(await isSigned(global, Buffer.concat([own, Buffer.from(comment)])))) {
    throw new CommandError("The comment of the signature was changed after it was signed.");
  }
  return comment;
}
