/**
 * Reads the answers of id.twitch.tv. They deviate from RFC 6749: `scope` is an array, and errors have
 * a `message` instead of an `error`.
 */
import { jsonIn } from "../../decode-text.ts";
import { isRecord, numberOf, textOf } from "../../upstream/json.ts";

/** What the user needs to agree, and what we need to ask whether that has happened. */
export type DeviceCode = NonNullable<ReturnType<typeof readDeviceCode>>;

export interface TwitchTokens {
  readonly accessToken: string;
  /** Works once: see `tokens.ts`. */
  readonly refreshToken: string;
}

/** Whom an access token speaks for. */
export type Validation = NonNullable<ReturnType<typeof readValidation>>;

const USUAL_INTERVAL_S = 5;
const LONGEST_INTERVAL_S = 60;
const LONGEST_CODE_S = 3_600;
/** More of what Twitch says about a refusal is not shown. */
const LONGEST_MESSAGE = 300;

/** The answer of `device`; `undefined` when it is none. */
export function readDeviceCode(text: string, mayBeAtHome: boolean) {
  const body = jsonIn(text);
  if (!isRecord(body)) return undefined;
  const deviceCode = textOf(body["device_code"]);
  const userCode = textOf(body["user_code"]);
  const expiresInS = numberOf(body["expires_in"]);
  if (!deviceCode || !userCode || !/^[A-Z0-9-]{1,32}$/i.test(userCode) || !expiresInS) {
    return undefined;
  }
  const intervalS = Math.max(1, numberOf(body["interval"]) ?? USUAL_INTERVAL_S);
  return {
    /** Never leaves the server. */
    deviceCode,
    /** Eight letters, which the user may have to enter. */
    userCode,
    /** Where the user agrees; the code is in it. `undefined` if it is not a page of Twitch's. */
    link: linkIn(textOf(body["verification_uri"]) ?? "", mayBeAtHome),
    expiresInMs: Math.min(expiresInS, LONGEST_CODE_S) * 1000,
    intervalMs: Math.min(intervalS, LONGEST_INTERVAL_S) * 1000,
  };
}

/** Another host could ask for anything in Twitch's name. */
function linkIn(text: string, mayBeAtHome: boolean): string | undefined {
  const url = URL.parse(text);
  const isTwitch = url?.origin === "https://www.twitch.tv" && !url.username && !url.password;
  const isHome = mayBeAtHome && url?.hostname === "127.0.0.1";
  return url && (isTwitch || isHome) ? url.href : undefined;
}

/** The answer of `token`; `undefined` when it holds no tokens. */
export function readTokens(text: string): TwitchTokens | undefined {
  const body = jsonIn(text);
  if (!isRecord(body)) return undefined;
  const accessToken = textOf(body["access_token"]);
  const refreshToken = textOf(body["refresh_token"]);
  return accessToken && refreshToken ? { accessToken, refreshToken } : undefined;
}

/** The answer of `validate`; `undefined` when it is none. */
export function readValidation(text: string) {
  const body = jsonIn(text);
  if (!isRecord(body)) return undefined;
  const clientId = textOf(body["client_id"]);
  const login = textOf(body["login"]);
  const userId = textOf(body["user_id"]);
  const scopes = body["scopes"];
  if (!clientId || !login || !/^\w{1,64}$/.test(login) || !userId) return undefined;
  return {
    clientId,
    login: login.toLowerCase(),
    userId,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
    expiresInMs: (numberOf(body["expires_in"]) ?? 0) * 1000,
  };
}

/** Twitch's words for a refusal; empty if there are none. */
export function readMessage(text: string): string {
  const body = jsonIn(text);
  const message = isRecord(body) ? textOf(body["message"]) : undefined;
  return (message ?? "").slice(0, LONGEST_MESSAGE).toWellFormed();
}
