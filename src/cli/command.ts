import type { Config, ResolvedConfig } from "../config.ts";

/** Exit codes: success, failure, wrong usage. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The parts of a command's environment that it may use. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line. */
  out(line: string): void;
  error(line: string): void;
}

/** A command that already has its arguments and runs with the given settings. */
export type Command = (
  config: Config,
  asJson: boolean,
  io: Io,
  resolved: ResolvedConfig,
) => Promise<void>;

/** A command was called with wrong arguments; the message says how to call it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads a choice. @throws {UsageError} unless it is on or off */
export function readOnOff(choice: string): boolean {
  if (choice === "on" || choice === "off") return choice === "on";
  throw new UsageError(`${JSON.stringify(choice)} must be on or off.`);
}

/** Reads the id of something of a user. @throws {UsageError} that says where to find it */
export function readId(kind: "hook" | "widget", typed: string, userName: string): number {
  if (/^[1-9]\d{0,14}$/.test(typed)) return Number(typed);
  throw new UsageError(
    `${JSON.stringify(typed)} is not a ${kind}'s ID. "marquee ${kind} list ${userName}" shows them.`,
  );
}

/** Writes each document as one line of JSON, or else the lines for people. */
export function print(
  io: Io,
  asJson: boolean,
  documents: readonly unknown[],
  lines: readonly string[],
): void {
  if (asJson) for (const document of documents) io.out(JSON.stringify(document));
  else for (const line of lines) io.out(line);
}

/** Rows of text in columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  return rows.map((row) =>
    row
      .map(
        (cell, column) =>
          cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell))),
      )
      .join("  ")
      .trimEnd(),
  );
}
