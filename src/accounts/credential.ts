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

const API_KEY_PREFIX = "mq_";
const WIDGET_TOKEN_PREFIX = "mqw_";
const LINK_SECRET_PREFIX = "mql_";
const SESSION_TOKEN_PREFIX = "mqs_";
const INBOX_SECRET_PREFIX = "mqi_";
/** As sessions' have: a cookie is no address, and each is looked up among its own. */
const SHOW_TOKEN_PREFIX = "mqs_";

export const createApiKey = (): ApiKey => (API_KEY_PREFIX + randomBody()) as ApiKey;
export const createWidgetToken = (): WidgetToken =>
  (WIDGET_TOKEN_PREFIX + randomBody()) as WidgetToken;

export const createMagicLinkSecret = (): MagicLinkSecret =>
  (LINK_SECRET_PREFIX + randomBody()) as MagicLinkSecret;

export const createSessionToken = (): SessionToken =>
  (SESSION_TOKEN_PREFIX + randomBody()) as SessionToken;

export const createInboxSecret = (): InboxSecret =>
  (INBOX_SECRET_PREFIX + randomBody()) as InboxSecret;

export const createShowToken = (): ShowToken => (SHOW_TOKEN_PREFIX + randomBody()) as ShowToken;

/** The text as a key if its form and checksum are right. The key may still be unknown. */
export function parseApiKey(text: string): ApiKey | undefined {
  return isWellFormed(API_KEY_PREFIX, text) ? (text as ApiKey) : undefined;
}

/** The text as a widget token when its form and checksum are right. */
export function parseWidgetToken(text: string): WidgetToken | undefined {
  return isWellFormed(WIDGET_TOKEN_PREFIX, text) ? (text as WidgetToken) : undefined;
}

/** The text as a link's secret if its form and checksum are right. */
export function parseMagicLinkSecret(text: string): MagicLinkSecret | undefined {
  return isWellFormed(LINK_SECRET_PREFIX, text) ? (text as MagicLinkSecret) : undefined;
}

/** The text as a session's token when its form and checksum are right. */
export function parseSessionToken(text: string): SessionToken | undefined {
  return isWellFormed(SESSION_TOKEN_PREFIX, text) ? (text as SessionToken) : undefined;
}

/** The text as a connection's secret if its form and checksum are right. */
export function parseInboxSecret(text: string): InboxSecret | undefined {
  return isWellFormed(INBOX_SECRET_PREFIX, text) ? (text as InboxSecret) : undefined;
}

/** The text as what shows an overlay when its form and checksum are right. */
export function parseShowToken(text: string): ShowToken | undefined {
  return isWellFormed(SHOW_TOKEN_PREFIX, text) ? (text as ShowToken) : undefined;
}

/** SHA-256, as stored. A plain hash is safe: the body has 190 random bits. */
export function hashCredential(
  credential: ApiKey | WidgetToken | MagicLinkSecret | SessionToken | ShowToken | InboxSecret,
): Buffer {
  return Buffer.from(new Bun.CryptoHasher("sha256").update(credential).digest());
}

/** A short public name for a key, such as `k4Rz81Qm`. */
export const createKeyId = (): string => randomText(8);

/** What makes a font's public address unguessable: 131 random bits. */
export const createFontId = (): string => randomText(22);

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
