import { SourceSettingsError } from "../source.ts";
import { isRecord, textOf } from "./json.ts";

/** What is stored of a linked account. */
export interface SpotifySettings {
  /** The app that the account was linked through: its tokens work with no other. */
  readonly clientId: string;
  /** `null` once Spotify has refused it. */
  readonly refreshToken: string | null;
  /** When the user agreed (Unix ms). */
  readonly consentedAt: number;
  readonly accountId: string | null;
  readonly displayName: string | null;
  readonly product: string | null;
}

/** @throws {SourceSettingsError} */
export function parseSpotifySettings(input: unknown): SpotifySettings {
  const given = isRecord(input) ? input : {};
  const clientId = textOf(given["clientId"]);
  const consentedAt = given["consentedAt"];
  if (clientId === undefined || typeof consentedAt !== "number") {
    throw new SourceSettingsError(
      'Spotify is linked in the browser: "marquee connect USER spotify" prints the address to open.',
    );
  }
  return {
    clientId,
    refreshToken: textOf(given["refreshToken"]) ?? null,
    consentedAt,
    accountId: textOf(given["accountId"]) ?? null,
    displayName: textOf(given["displayName"]) ?? null,
    product: textOf(given["product"]) ?? null,
  };
}

/** Spotify ends an app's access six months after the user agreed, refreshed or not. */
const CONSENT_MONTHS = 6;

/** The day the consent ends, as Unix milliseconds. */
export function consentEndsAt({ consentedAt }: Pick<SpotifySettings, "consentedAt">): number {
  const end = new Date(consentedAt);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + CONSENT_MONTHS);
  // The 31st of August and six months is the end of February, not the 3rd of March.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  return end.getTime();
}
