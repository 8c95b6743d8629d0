import { isRecord, textOf } from "../../upstream/json.ts";
import type { TwitchTokens } from "./answers.ts";

/** What is stored, encrypted, of a linked account. */
export interface TwitchSettings extends TwitchTokens {
  /** The application that the user has linked through. */
  readonly clientId: string;
  /** Whose account it is. */
  readonly userId: string;
  /** In whose chat it answers. */
  readonly channelId: string;
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
  return { clientId, userId, channelId, accessToken, refreshToken };
}
