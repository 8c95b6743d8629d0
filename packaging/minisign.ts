import { ReleaseError } from "./released.ts";

const KEY_ID_BYTES = 8;

/**
 * Signs a file, as `minisign -S` does.
 * @param secretKey the second line of the file that `minisign -G -W` makes, a key without a password
 * @throws {ReleaseError} when the key cannot be used
 */
export async function sign(file: Uint8Array, secretKey: string, comment: string): Promise<string> {
  const key = Buffer.from(secretKey, "base64");
  // Algorithm, key derivation, checksum, salt and limits come first, then the key's id, seed and half.
  const at = 2 + 2 + 2 + 32 + 8 + 8;
  if (key.length !== at + KEY_ID_BYTES + 64 + 32 || key.toString("latin1", 0, 2) !== "Ed") {
    throw new ReleaseError("This is not a secret key of minisign.");
  }
  if (key.readUInt16LE(2) !== 0) {
    throw new ReleaseError("The secret key has a password. Make one without: minisign -G -W");
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
  const line = Buffer.concat([Buffer.from("ED"), id, own]).toString("base64");
  return `untrusted comment: signature of Marquee's checksums\n${line}\ntrusted comment: ${comment}\n${global.toString("base64")}\n`;
}
