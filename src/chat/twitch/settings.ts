import { isRecord, numberOf, textOf } from "../../upstream/json.ts";
import type { TwitchTokens } from "./answers.ts";

/** What is stored, encrypted, of a linked account. */
export interface TwitchSettings extends TwitchTokens {
  /** The application that the user has linked through. */
  readonly clientId: string;
  /** Whose account it is. */
  readonly userId: string;
  /** In whose chat it answers. */
  readonly channelId: string;
  /** Set while the refresh token may be used up. */
  readonly mark?: RefreshMark | undefined;
}

/** Is stored before a refresh token is used, and goes with the answer. */
export interface RefreshMark {
  /** Who uses it: a name of this start of the program. */
  readonly by: string;
  /** Since when, as Unix time in milliseconds. */
  readonly since: number;
  /** How often this token has been used, this time included. */
  readonly attempt: number;
}

/** Reads stored settings; `undefined` when they are none. */
export function readSettings(stored: unknown): TwitchSettings | undefined {
  if (!isRecord(stored)) return undefined;
  const [clientId, userId, channelId, accessToken, refreshToken] = [
    textOf(stored["clientId"]),
    textOf(stored["userId"]),
    textOf(stored["channelId"]),
    textOf(stored["accessToken"]),
    textOf(stored["refreshToken"]),
  ];
  if (!clientId || !userId || !channelId || !accessToken || !refreshToken) return undefined;
  const mark = readMark(stored["mark"]);
  return { clientId, userId, channelId, accessToken, refreshToken, ...(mark && { mark }) };
}

function readMark(stored: unknown): RefreshMark | undefined {
  if (!isRecord(stored)) return undefined;
  const { since, attempt } = stored;
  return {
    by: textOf(stored["by"]) ?? "",
    since: numberOf(since) ?? 0,
    attempt: numberOf(attempt) ?? 1,
  };
}
