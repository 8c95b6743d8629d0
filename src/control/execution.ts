import type { ActionParts } from "../actions/action.ts";

/** Exit codes: success, failure, wrong usage. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The parts of a command's environment that it may use. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line. */
  out(line: string): void;
  error(line: string): void;
}

/** The opened data folder. */
export type Workspace = Pick<ActionParts, "store" | "vault" | "accounts" | "sources">;

/**
 * Where a command is carried out: in the running server, with its settings, or in the program that was
 * called, where none runs.
 */
export interface Execution extends ActionParts {
  /** Aborts when nobody waits for the command any more. */
  readonly signal: AbortSignal;
  /** For standard error. */
  note(line: string): void;
  /** Writes each document as one line of JSON, or else the lines for people. */
  print(documents: readonly unknown[], lines: readonly string[]): void;
}

/** A command was called with wrong arguments; the message says how to call it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What a command was to do could not be done; the message says why, and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** What writes each document as one line of JSON, or else the lines for people. */
export const printTo =
  (io: Pick<Io, "out">, asJson: boolean): Execution["print"] =>
  (documents, lines) => {
    const printed = asJson ? documents.map((document) => JSON.stringify(document)) : lines;
    for (const line of printed) io.out(line);
  };

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
