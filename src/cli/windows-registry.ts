import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSystemProgram } from "./system-program.ts";

/** The values of a key of Windows' registry; none where there is no such key. */
export async function readValues(
  key: string,
  run: RunSystemProgram,
): Promise<ReadonlyMap<string, string>> {
  // `reg query` prints in the console's code page, and loses letters.
  const file = join(tmpdir(), `marquee-${process.pid}-${crypto.randomUUID()}.reg`);
  const { code } = await run(["reg.exe", "export", key, file, "/y"]);
  if (code !== 0) return new Map();
  try {
    return valuesIn(readFileSync(file, "utf16le"));
  } finally {
    rmSync(file, { force: true });
  }
}

/** The command that sets a text in the registry. */
export const settingText = (key: string, name: string, text: string): readonly string[] => [
  "reg.exe",
  "add",
  key,
  "/v",
  name,
  "/t",
  "REG_SZ",
  "/d",
  text,
  "/f",
];

/** The values of an exported key: texts as they are, bytes as `03,00,…`. */
export function valuesIn(exported: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  // A long value of bytes goes on in the next line.
  for (const line of exported.replaceAll(/\\\r?\n\s*/g, "").split(/\r?\n/)) {
    const [, name, text, bytes] =
      /^"((?:[^"\\]|\\.)*)"=(?:"((?:[^"\\]|\\.)*)"|hex:([\da-f,]*))$/i.exec(line) ?? [];
    if (name !== undefined)
      values.set(unescape(name), text === undefined ? (bytes ?? "") : unescape(text));
  }
  return values;
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, "$1");
