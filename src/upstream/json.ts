import { jsonIn } from "../decode-text.ts";
import { canBeSeen } from "../visible-text.ts";

/**
 * Reads values of type `unknown` from what other programs answer and push. A value of another type than
 * its field has is read as far as its meaning is certain: what cannot be read is left out, never the song
 * with it.
 */

/** An answer that does not match the upstream's documentation. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** The JSON in a text. @throws {UnreadableAnswer} when there is none */
export function parseJson(text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw new UnreadableAnswer("it is not JSON");
  return value;
}

/** What an object holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a JSON text; `undefined` when it is no JSON object. */
export function parseFields(text: string): Fields | undefined {
  const value = jsonIn(text);
  return isRecord(value) ? value : undefined;
}

export function recordOf(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new UnreadableAnswer(`${what} is not an object`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object, or of the only one in a list; none for anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return recordsOf(value)[0] ?? {};
}

/**
 * A name: a text without spaces around it, or a number as text. Of a list the first that is one.
 * `undefined` for a text of which nothing can be seen, and for anything else.
 */
export const textOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? textsOf(value)[0] : nameIn(value);

/** The names in a list, or a single one; what is no name is left out. */
export const textsOf = (value: unknown): string[] =>
  listOf(value).flatMap((one) => nameIn(one) ?? []);

/** The same for a list whose elements may be objects with a `name`. */
export const namesOf = (value: unknown): string[] =>
  listOf(value).flatMap((one) => (isRecord(one) ? textOf(one["name"]) : nameIn(one)) ?? []);

/**
 * An amount: a finite number, or one written in decimals as text. Of a list of one its element.
 * `undefined` for anything else.
 */
export const numberOf = (value: unknown): number | undefined => amountIn(onlyOf(value));

/** Whether something is so; some programs write that as a text or as a number. */
export function flagOf(value: unknown): boolean | undefined {
  const word = typeof value === "boolean" ? String(value) : textOf(value)?.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

/** An identifier; empty for what is none. */
export const identifierOf = (value: unknown): string => textOf(value) ?? "";

/** Whether nothing was sent for a single value: nothing at all, or a text of which nothing can be seen. */
export function isBlank(value: unknown): boolean {
  const one = onlyOf(value);
  return one === null || one === undefined || (typeof one === "string" && !canBeSeen(one));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** What a list of one holds; anything else as it is. */
const onlyOf = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

function nameIn(value: unknown): string | undefined {
  if (typeof value === "string") return canBeSeen(value) ? value.trim() : undefined;
  return typeof value === "bigint" || Number.isFinite(value) ? String(value) : undefined;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function amountIn(value: unknown): number | undefined {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const isAmount = isNumber || (typeof value === "string" && DECIMAL.test(value.trim()));
  const amount = isAmount ? Number(value) : Number.NaN;
  return Number.isFinite(amount) ? amount : undefined;
}

/** What an upstream sends as a list, as one object instead of a list of one, or not at all. */
export function recordsOf(value: unknown): Record<string, unknown>[] {
  return listOf(value).filter(isRecord);
}
