import { Refused } from "../../../i18n/refused.ts";
import { isRecord, textOf } from "../../../upstream/json.ts";

/** The stored settings of a linked account. */
export interface SpotifySettings {
  /** The app through which the account was linked: the tokens work only with this app. */
  readonly clientId: string;
  /** `null` after Spotify has refused it. */
  readonly refreshToken: string | null;
  /** When the user agreed (Unix ms). */
  readonly consentedAt: number;
  readonly accountId: string | null;
  readonly displayName: string | null;
  readonly product: string | null;
  /** The latest access token, so that a restarted server needs no refresh. */
  readonly access: StoredAccess | null;
}

/** An access token, with times by the wall clock (Unix ms). */
interface StoredAccess {
  readonly token: string;
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** @throws {Refused} */
export function parseSpotifySettings(input: unknown): SpotifySettings {
  const given = isRecord(input) ? input : {};
  const clientId = textOf(given["clientId"]);
  const consentedAt = given["consentedAt"];
  if (clientId === undefined || typeof consentedAt !== "number") {
    throw new Refused("connection.settings");
  }
  return {
    clientId,
    refreshToken: textOf(given["refreshToken"]) ?? null,
    consentedAt,
    accountId: textOf(given["accountId"]) ?? null,
    displayName: textOf(given["displayName"]) ?? null,
    product: textOf(given["product"]) ?? null,
    access: parseAccess(given["access"]),
  };
}

function parseAccess(input: unknown): StoredAccess | null {
  if (!isRecord(input)) return null;
  const { askedAt, expiresAt } = input;
  const token = textOf(input["token"]);
  const isWhole = typeof askedAt === "number" && typeof expiresAt === "number";
  return token !== undefined && isWhole ? { token, askedAt, expiresAt } : null;
}

/** Spotify ends an app's access six months after the user agreed, even if tokens are refreshed. */
const CONSENT_MONTHS = 6;

/** When the consent ends, as Unix milliseconds. */
export function consentEndsAt({ consentedAt }: Pick<SpotifySettings, "consentedAt">): number {
  const end = new Date(consentedAt);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + CONSENT_MONTHS);
  // 31 August plus six months is the last day of February, not 3 March.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  return end.getTime();
}
