/** Signatures in minisign's format: https://jedisct1.github.io/minisign/#signature-format */

/** A file is not signed by a key that is known. The message says why. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

const KEY_ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** A signature of the file's BLAKE2b hash. */
const PREHASHED = "ED";

/**
 * Checks a signature of a file, and returns its trusted comment.
 * @param keys public keys as `minisign -G` prints them, in base64
 * @throws {SignatureError}
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
    throw new SignatureError("The signature cannot be read.");
  }
  const key = keys
    .map((one) => Buffer.from(one, "base64"))
    .filter((one) => one.length === 2 + KEY_ID_BYTES + KEY_BYTES)
    .find((one) => one.subarray(2, 2 + KEY_ID_BYTES).equals(parts.subarray(2, 2 + KEY_ID_BYTES)));
  if (!key)
    throw new SignatureError("The list is signed by a key that this program does not know.");
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
    throw new SignatureError("The list was changed after it was signed.");
  if (!(await isSigned(global, Buffer.concat([own, Buffer.from(comment)])))) {
    throw new SignatureError("The comment of the signature was changed after it was signed.");
  }
  return comment;
}

/**
 * Signs a file, as `minisign -S` does.
 * @param secretKey the second line of the file that `minisign -G -W` makes, a key without a password
 * @throws {SignatureError} when the key cannot be used
 */
export async function sign(file: Uint8Array, secretKey: string, comment: string): Promise<string> {
  const key = Buffer.from(secretKey, "base64");
  // Algorithm, key derivation, checksum, salt and limits come first, then the key's id, seed and half.
  const at = 2 + 2 + 2 + 32 + 8 + 8;
  if (key.length !== at + KEY_ID_BYTES + 64 + 32 || key.toString("latin1", 0, 2) !== "Ed") {
    throw new SignatureError("This is not a secret key of minisign.");
  }
  if (key.readUInt16LE(2) !== 0) {
    throw new SignatureError("The secret key has a password. Make one without: minisign -G -W");
  }
  const id = key.subarray(at, at + KEY_ID_BYTES);
  const seed = key.subarray(at + KEY_ID_BYTES, at + KEY_ID_BYTES + 32);
  // The beginning of a PKCS #8 key: https://datatracker.ietf.org/doc/html/rfc8410#section-7
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  const signed = async (text: Uint8Array) =>
    Buffer.from(await crypto.subtle.sign("Ed25519", privateKey, Uint8Array.from(text)));
  const own = await signed(new Bun.CryptoHasher("blake2b512").update(file).digest());
  const global = await signed(Buffer.concat([own, Buffer.from(comment)]));
  const line = Buffer.concat([Buffer.from(PREHASHED), id, own]).toString("base64");
  return `untrusted comment: signature of Marquee's checksums\n${line}\ntrusted comment: ${comment}\n${global.toString("base64")}\n`;
}
