/** Helpers that read values of type `unknown` from parsed answers. */

/** An answer that does not match the upstream's documentation. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** The JSON in a text; `undefined` when there is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON in a text. @throws {UnreadableAnswer} when there is none */
export function parseJson(text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw new UnreadableAnswer("it is not JSON");
  return value;
}

export function recordOf(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new UnreadableAnswer(`${what} is not an object`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** An identifier, which some servers write as a number; empty for anything else. */
export const identifierOf = (value: unknown): string =>
  textOf(value) ?? numberOf(value)?.toString() ?? "";

/** What an upstream sends as a list, as one object instead of a list of one, or not at all. */
export function recordsOf(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}
