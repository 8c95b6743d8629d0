import type { Texts } from "../actions/action.ts";
import { jsonIn } from "../decode-text.ts";
import { isRecord } from "../upstream/json.ts";

/** What a command and the running server say to each other: one request, and lines of JSON. */

/** Another number means that they do not understand each other, but for `stop`. */
export const PROTOCOL = 2;

export const CONTROL_PATH = "/command";

/** The longest request, in bytes: a file of 1 MB is the longest thing that a command takes. */
export const LONGEST_REQUEST = 2 * 1024 * 1024;

/** While a command takes its time, the server sends an empty line so often. */
export const SIGN_EVERY_MS = 5_000;

/** A command, as its words were read by the program that was called. */
export interface ControlRequest {
  /** The command's words, such as `key add`. */
  readonly command: string;
  /** What was entered, by the names of inputs. */
  readonly texts: Texts;
  readonly asJson: boolean;
}

/** One line of the answer: for standard output, for standard error, or the exit code. */
export type ControlLine =
  { readonly out: string } | { readonly error: string } | { readonly exit: number };

export const writeRequest = (request: ControlRequest): string =>
  JSON.stringify({ protocol: PROTOCOL, ...request });

/**
 * Reads a request; `undefined` for what is none. Every version writes and reads the protocol's number
 * and `stop` alike, so that a program can stop a server of any other version.
 */
export function readRequest(text: string): ControlRequest | "other protocol" | undefined {
  const request = jsonIn(text);
  if (!isRecord(request)) return undefined;
  const { protocol, command, texts, asJson } = request;
  if (typeof protocol !== "number" || typeof command !== "string") return undefined;
  if (command === "stop") return { command, texts: {}, asJson: false };
  if (protocol !== PROTOCOL) return "other protocol";
  return areTexts(texts) && typeof asJson === "boolean" ? { command, texts, asJson } : undefined;
}

const areTexts = (value: unknown): value is Texts =>
  isRecord(value) &&
  Object.values(value).every((text) =>
    Array.isArray(text) ? text.every((part) => typeof part === "string") : typeof text === "string",
  );

/** `undefined` for what is no line of an answer. */
export function readLine(text: string): ControlLine | undefined {
  const line = jsonIn(text);
  if (!isRecord(line)) return undefined;
  const { out, error, exit } = line;
  if (typeof out === "string") return { out };
  if (typeof error === "string") return { error };
  return typeof exit === "number" ? { exit } : undefined;
}
