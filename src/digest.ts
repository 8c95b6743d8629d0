/** A short name for something that several texts tell apart: 22 characters, 128 bits of a SHA-256. */
export const digestOf = (parts: readonly (string | undefined)[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
