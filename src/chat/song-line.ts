import { isSharingPaused } from "../accounts/privacy.ts";
import { BOT_WAITS_MS } from "../channels/first-answer.ts";
import { languageOr } from "../languages.ts";
import { lineOf, lineValuesBefore, lineValuesOf } from "../outputs/line.ts";
import { readTextOptions } from "../outputs/options.ts";
import { lineWords, USUAL_MOST } from "../outputs/text.ts";
import type { Question } from "./commands.ts";
import type { Parts } from "../http/parts.ts";

export type SongLineDeps = Pick<Parts, "accounts" | "hub" | "clock">;

/**
 * The line that answers a question about a user's music, as chat bots read it: the templates are those
 * of the user's first line of text. `undefined` while the user has paused sharing, and for an
 * announcement while nothing plays.
 */
export type SongLine = (
  userId: number,
  question: Question | "announcement",
) => Promise<string | undefined>;

export function createSongLine({ accounts, hub, clock }: SongLineDeps): SongLine {
  const isPaused = (userId: number) => isSharingPaused(accounts.privacy.of(userId), clock.wallMs());
  return async (userId, question) => {
    const user = accounts.users.withId(userId);
    if (!user || isPaused(userId)) return undefined;
    const widget = accounts.widgets.allOf(user).find(({ kind }) => kind === "text");
    const language = widget?.language ?? languageOr(user.language, "en");
    const reading = await hub.read(userId, BOT_WAITS_MS);
    // It may have been paused meanwhile.
    if (isPaused(userId)) return undefined;
    if (question === "announcement" && reading.kind !== "playback") return undefined;
    const [before] = hub.songsBefore(userId);
    const asksBefore = question === "last song" && (before || reading.kind === "playback");
    const values = asksBefore
      ? lineValuesBefore(before)
      : lineValuesOf(reading, clock.monotonicMs());
    const options = readTextOptions(widget?.options ?? {});
    return lineOf(values, { options, words: lineWords(language), most: USUAL_MOST });
  };
}
