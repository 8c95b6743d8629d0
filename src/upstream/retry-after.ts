import { numberOf } from "./json.ts";

/** The pause where a server asks for one without saying how long. */
const USUAL_PAUSE_MS = 30_000;
/** Longer than any pause seen so far: a larger value is not plausible. */
const LONGEST_PAUSE_MS = 7 * 86_400_000;
/** Each form of an HTTP date begins with the day's name: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? /;

/**
 * The pause in milliseconds that a `Retry-After` asks for, in seconds or as an HTTP date: at least one
 * second, at most seven days, and 30 seconds when it is missing or neither.
 * @param wallMs Unix time in milliseconds, with which a date is compared
 */
export function retryAfterMsOf(text: string | null, wallMs: number): number {
  const seconds = numberOf(text);
  const pauseMs = seconds === undefined ? dateIn(text ?? "") - wallMs : Math.ceil(seconds) * 1_000;
  const isPause = seconds === undefined ? Number.isFinite(pauseMs) : seconds >= 0;
  return isPause ? Math.min(Math.max(1_000, pauseMs), LONGEST_PAUSE_MS) : USUAL_PAUSE_MS;
}

/** The time of a server's answer by its own clock, which what it says of times goes by; else by ours. */
export function answeredAtMs(headers: Headers, wallMs: number): number {
  const date = dateIn(headers.get("date") ?? "");
  return Number.isNaN(date) ? wallMs : date;
}

/** Unix time in milliseconds; `NaN` for what is no HTTP date. All its forms mean GMT; one does not say so. */
function dateIn(text: string): number {
  const date = text.trim();
  if (!HTTP_DATE.test(date)) return Number.NaN;
  return Date.parse(date.endsWith("GMT") ? date : `${date} GMT`);
}
