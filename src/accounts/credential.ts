const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = ALPHABET.length;
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

export type ApiKey = string & { readonly kind: "api-key" };
export type WidgetToken = string & { readonly kind: "widget-token" };
/** The secret of a magic link. */
export type MagicLinkSecret = string & { readonly kind: "link-secret" };
/** The session cookie of a signed in browser. */
export type SessionToken = string & { readonly kind: "session-token" };
/** What shows and hides one overlay, and opens nothing else. */
export type ShowToken = string & { readonly kind: "show-token" };
/** The secret with which another program pushes to one connection. */
export type InboxSecret = string & { readonly kind: "inbox-secret" };

type Credential = ApiKey | WidgetToken | MagicLinkSecret | SessionToken | ShowToken | InboxSecret;

/** Makes credentials of one kind, and reads those whose form and checksum are right: they may still be unknown. */
const credential = <Kind extends Credential>(prefix: string) => ({
  create: () => (prefix + randomBody()) as Kind,
  parse: (text: string) => (isWellFormed(prefix, text) ? (text as Kind) : undefined),
});

export const { create: createApiKey, parse: parseApiKey } = credential<ApiKey>("mq_");
export const { create: createWidgetToken, parse: parseWidgetToken } =
  credential<WidgetToken>("mqw_");
export const { create: createMagicLinkSecret, parse: parseMagicLinkSecret } =
  credential<MagicLinkSecret>("mql_");
export const { create: createSessionToken, parse: parseSessionToken } =
  credential<SessionToken>("mqs_");
export const { create: createInboxSecret, parse: parseInboxSecret } =
  credential<InboxSecret>("mqi_");
/** Begins as a session's token does: a cookie is no address, and each is looked up among its own. */
export const { create: createShowToken, parse: parseShowToken } = credential<ShowToken>("mqs_");

/** SHA-256, as stored. A plain hash is safe: the body has 190 random bits. */
export function hashCredential(credential: Credential): Buffer {
  return Buffer.from(new Bun.CryptoHasher("sha256").update(credential).digest());
}

/** A short public name for a key, such as `k4Rz81Qm`. */
export const createKeyId = (): string => randomText(8);

/** What makes the public address of an uploaded file unguessable: 131 random bits. */
export const createFileId = (): string => randomText(22);

/** CRC32 (IEEE) of ASCII text as six base62 digits, most significant first. */
function checksumOf(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET.charAt(rest % BASE) + digits;
    rest = Math.floor(rest / BASE);
  }
  return digits;
}

function isWellFormed(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  if (!text.startsWith(prefix)) return false;
  const body = text.slice(prefix.length);
  if (!/^[0-9A-Za-z]+$/.test(body)) return false;
  return checksumOf(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

function randomBody(): string {
  const random = randomText(RANDOM_LENGTH);
  return random + checksumOf(random);
}

/** Uniformly random base62 text: bytes from `limit` up are dropped, to avoid a bias. */
function randomText(length: number): string {
  const limit = 256 - (256 % BASE);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < limit && text.length < length) text += ALPHABET.charAt(byte % BASE);
    }
  }
  return text;
}
