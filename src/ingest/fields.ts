import { isRecord, jsonIn } from "../upstream/json.ts";

/** Reads fields of messages that other programs send: each may be missing or of any type. */

export type Fields = Readonly<Record<string, unknown>>;

/** No track is longer, and no position later: about three months. */
const LONGEST_MS = 8_000_000_000;

/** The fields of a JSON text; `undefined` when it is no JSON object. */
export function parseFields(text: string): Fields | undefined {
  const value = jsonIn(text);
  return isRecord(value) ? value : undefined;
}

/** The nested object of that name; without fields when there is none. */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isRecord(value) ? value : {};
}

/** The text of a field without spaces around it; `null` when it is empty or no text. */
export function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return (typeof value === "string" && value.trim()) || null;
}

/** The texts of a list; other elements and empty texts are left out. */
export function textsIn(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => (typeof one === "string" && one.trim()) || []);
}

/** A time in milliseconds; `null` when it is no number, negative, or longer than any track. */
export function timeIn(fields: Fields, name: string, unitMs: number): number | null {
  const value = fields[name];
  return typeof value === "number" ? toTimeMs(value * unitMs) : null;
}

/** Whole milliseconds; `null` for a number that is no time of a track. */
export function toTimeMs(ms: number): number | null {
  return ms >= 0 && ms <= LONGEST_MS ? Math.round(ms) : null;
}

/** A duration in milliseconds; `null` when it is unknown, for which many programs send 0. */
export const durationIn = (fields: Fields, name: string, unitMs: number): number | null =>
  timeIn(fields, name, unitMs) || null;
