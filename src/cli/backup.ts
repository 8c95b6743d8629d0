import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { copyDatabase } from "../db/copy.ts";
import { DATABASE_FILE } from "../db/data-folder.ts";
import { secretKeyPath } from "../vault/secret-key-files.ts";
import type { Settled } from "../control/carry-out.ts";
import { type Io, printTo, UsageError } from "../control/execution.ts";
import type { CommanderCli } from "./commander.ts";
import { refuseMissing } from "../control/data-folder.ts";

/** Declares `marquee backup`. */
export function declareBackup({ command, runs }: CommanderCli): void {
  runs(
    command("backup", "copy the database while the server runs", [
      "marquee backup ./marquee-2026-11-21.db",
    ]).argument("<file>", "a file that does not exist yet"),
    backUp,
  );
}

/** `marquee backup FILE`: a consistent copy of the database, even while the server runs. */
function backUp({ config, asJson }: Settled, io: Io, path: string): void {
  if (path === "")
    throw new UsageError("<file> must be the path of a file that does not exist yet.");
  refuseMissing(config);
  const file = resolve(path);
  copyDatabase(join(config.data, DATABASE_FILE), file);
  const ofKey = `The secrets in it can only be read with ${keyOf(config)}: keep a copy of that too, but somewhere else.`;
  printTo(io, asJson)([{ file }], [`The database was copied to ${file}.`, ofKey]);
  if (asJson) io.error(ofKey);
}

/** The key's file; the server may also be given its key by a setting, which is not known here. */
function keyOf({ data, secretKey }: Config): string {
  const path = secretKeyPath(data);
  return secretKey === null && existsSync(path)
    ? path
    : "the secret key that a setting gives the server";
}
