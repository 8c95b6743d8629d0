export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** Writes one finished line, given without its newline. */
  write(line: string): void;
  /** Unix time in milliseconds. */
  wallMs(): number;
}

/**
 * What is removed from every line: Marquee's keys, tokens and secrets, OAuth parameters, any text
 * after `api_key=`, any part of a path that can be a token or a secret, also one that is
 * percent-encoded, and the values of headers and settings that hold secrets.
 */
const REDACTIONS: readonly [pattern: RegExp, replacement: string][] = [
  [/mq[wlsi]?_[0-9A-Za-z]+/g, "[redacted]"],
  [/(api_key=)[^&#\s]*/gi, "$1[redacted]"],
  [/(:\/\/)[^/?#\s]+@/g, "$1[redacted]@"],
  [
    /(\/(?:in|widget|show|hide|text|card|sign-in(?!\/with\/)|connect\/[^/?#\s]+)\/)[^/?#\s]+/gi,
    "$1[redacted]",
  ],
  [/((?:access|refresh)_token=|[?&](?:code|state)=|bearer )[^&#\s"']+/gi, "$1[redacted]"],
  // The values of these two headers contain spaces and semicolons.
  [/((?:authorization|cookie)["']?\s*[:=]\s*)[^\r\n]+/gi, "$1[redacted]"],
  [
    /((?:api[_-]?key|password|secret[_-]?key)["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;&]+)/gi,
    "$1[redacted]",
  ],
];

/** A field whose whole value is a secret. */
const SECRET_FIELD = /(?:api[_-]?key|authorization|cookie|password|secret[_-]?key)$/i;

/** Replaces every secret in `text` by `[redacted]`. */
export function redact(text: string): string {
  let result = text;
  for (const [pattern, replacement] of REDACTIONS) result = result.replace(pattern, replacement);
  return result;
}

/** Writes one structured line per call, and always redacts secrets. */
export function createLog(options: LogOptions) {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const enabled = (level: LogLevel) => LOG_LEVELS.indexOf(level) <= threshold;
  const format = options.format === "json" ? jsonLine : textLine;
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (!enabled(level)) return;
      const time = new Date(options.wallMs()).toISOString();
      options.write(format(time, level, message, fields));
    };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug"), enabled };
}

export type Log = ReturnType<typeof createLog>;

/** The messages of an error and of its causes, without stack traces. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Drizzle's message has the values that were to be stored.
  if ("params" in error && error.cause !== undefined) return describeError(error.cause);
  return error.cause === undefined
    ? error.message
    : `${error.message} (${describeError(error.cause)})`;
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const line = JSON.stringify({ time, level, message: redact(message), ...cleanFields(fields) });
  return line.replace(
    LINE_BREAKERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const words = Object.entries(cleanFields(fields))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${textValue(value)}`);
  const line = `${time} ${level.padEnd(5)} ${[redact(message), ...words].join(" ")}`;
  return line.replace(LINE_BREAKERS, " ");
}

/** Characters that could make data look like a separate log line, or like other data, in a terminal. */
const LINE_BREAKERS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Of each field, in code points: what it holds may come from anywhere. */
const LONGEST_FIELD = 300;

function cleanFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      // What is cut before it is redacted could be half a secret, which no longer looks like one.
      return [name, SECRET_FIELD.test(name) ? "[redacted]" : cut(redact(value))];
    }),
  );
}

/** A field's beginning, with a sign where something is left out. */
function cut(text: string): string {
  // A code point is at most two UTF-16 units.
  const points = [...text.slice(0, 2 * (LONGEST_FIELD + 1))];
  return points.length <= LONGEST_FIELD ? text : `${points.slice(0, LONGEST_FIELD).join("")}…`;
}

function textValue(value: LogFields[string]): string {
  const text = String(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
