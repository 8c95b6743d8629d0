import { statusAt } from "../../music/connection-status.ts";
import { consentWarning } from "../../music/consent.ts";
import { fill, formatDay, formatTime, languages } from "../../i18n/index.ts";
import type { Language } from "../../languages.ts";
import { type ConnectedMusic, labelOf } from "../../sources/connected-music.ts";
import { isPushed } from "../../sources/source.ts";

/** A connection's status, in a sentence for its user. */
export interface StatusSentence {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
}

export function describeStatus(
  music: ConnectedMusic,
  language: Language,
  nowMs: number,
): StatusSentence {
  const { linkedUntil, ...stored } = music.status;
  const health = statusAt(stored, nowMs);
  const words = languages[language].dashboard.health;
  const names = { source: labelOf(music, languages[language]) };
  switch (health.state) {
    case "needsLinking":
      return { tone: "bad", text: fill(words.needsLinking, names) };
    case "limited": {
      const time = formatTime(language, health.until, nowMs);
      return { tone: "warn", text: fill(words.limited, { ...names, time }) };
    }
    case "retrying": {
      const time = formatTime(language, health.since, nowMs);
      const reason = fill(words.failures[health.reason], names);
      return {
        tone: "warn",
        text: `${reason} ${fill(words.retrying, { time })}`,
      };
    }
    case "ok":
    case "untried":
      break;
  }
  if (linkedUntil !== null && consentWarning(linkedUntil, nowMs) !== "none") {
    const day = formatDay(language, linkedUntil);
    return { tone: "warn", text: fill(words.endsSoon, { ...names, day }) };
  }
  const untried = isPushed(music.source) ? words.silent : words.untried;
  const text = fill(health.state === "untried" ? untried : words.ok, names);
  return { tone: "good", text };
}
