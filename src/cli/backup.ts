import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { copyDatabase } from "../db/copy.ts";
import { DATABASE_FILE } from "../db/data-folder.ts";
import { secretKeyPath } from "../vault/secret-key-files.ts";
import type { CommanderCli, OwnCommand } from "./commander.ts";
import { print } from "../control/execution.ts";
import { refuseMissing } from "../control/data-folder.ts";

/** Declares `marquee backup`. */
export function declareBackup({ command, runs }: CommanderCli): void {
  runs(
    command("backup", "copy the database while the server runs", [
      "marquee backup ./marquee-2026-11-21.db",
    ]).argument("<file>", "a file that does not exist yet"),
    (file: string) => backUp(file),
  );
}

/** `marquee backup FILE`: a consistent copy of the database, even while the server runs. */
function backUp(file: string): OwnCommand {
  return async (config, asJson, io) => {
    refuseMissing(config);
    copyDatabase(join(config.data, DATABASE_FILE), resolve(file));
    const ofKey = `The secrets in it can only be read with ${keyOf(config)}: keep a copy of that too, but somewhere else.`;
    print(
      io,
      asJson,
      [{ file: resolve(file) }],
      [`The database was copied to ${resolve(file)}.`, ofKey],
    );
    if (asJson) io.error(ofKey);
  };
}

/** The key's file; the server may also be given its key by a setting, which is not known here. */
function keyOf({ data, secretKey }: Config): string {
  const path = secretKeyPath(data);
  return secretKey === null && existsSync(path)
    ? path
    : "the secret key that a setting gives the server";
}
