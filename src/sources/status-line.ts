import { flagOf } from "../config.ts";
import type { FailureReason, StoredStatus } from "../music/connection-status.ts";
import type { Source } from "./source.ts";

/** A connection's status in English, for a terminal. */
export function statusLine(
  status: StoredStatus,
  { keySetting }: Pick<Source, "keySetting">,
): string {
  switch (status.state) {
    case "untried":
      return "not used yet";
    case "ok":
      return "ok";
    case "retrying":
      return `retrying since ${minuteOf(status.since)}: ${FAILURE_WORDS[status.reason]}${
        keySetting !== undefined && status.reason.startsWith("key")
          ? ` (${flagOf(keySetting)})`
          : ""
      }`;
    case "limited":
      return `limited until ${minuteOf(status.until)}`;
    case "needsLinking":
      return "has to be connected again";
  }
}

const FAILURE_WORDS: Readonly<Record<FailureReason, string>> = {
  unreachable: "cannot be reached",
  unexpected: "does not answer as expected",
  offAir: "no stream is at its address",
  fileMissing: "its file is not there, or may not be read",
  databaseLocked: "its database is locked",
  databaseUnknown: "its database is of a version that is not known, or damaged",
  limited: "too many calls",
  notOnAppList: "user is not on the app's list",
  noPremium: "the app's owner needs Premium",
  appRefused: "the app's ID or secret is refused",
  appMissing: "no app has been entered",
  keyMissing: "the server has no API key for it",
  keyRefused: "the server's API key is refused",
};

/** `2026-11-21 12:00` in UTC. */
const minuteOf = (unixMs: number): string =>
  `${new Date(unixMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
