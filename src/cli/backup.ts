import { basename, join, resolve } from "node:path";
import { secretKeyPath } from "../vault/secret-key-files.ts";
import { DatabaseError } from "../db/errors.ts";
import { isForbidden } from "../db/data-folder.ts";
import { type Command, print } from "./command.ts";
import { withWorkspace } from "./workspace.ts";
import type { Cli } from "./cli.ts";

/** Declares `marquee backup`. */
export function declareBackup({ command, runs }: Cli): void {
  runs(
    command("backup", "copy the database while the server runs", [
      "marquee backup ./marquee-2026-11-21.db",
    ]).argument("<file>", "a file that does not exist yet"),
    (file: string) => backUp(file),
  );
}

/** `marquee backup FILE`: a consistent copy of the database, even while the server runs. */
function backUp(file: string): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async ({ store, actingAs }) => {
      if (!store.file) {
        throw new DatabaseError(
          `The database is not one of Marquee's files. Copy it with PostgreSQL's own program: pg_dump --format=custom --file=${basename(file)} "$ADDRESS"`,
        );
      }
      try {
        store.file.copyTo(resolve(file));
      } catch (error) {
        if (actingAs === undefined || !(error instanceof Error) || !isForbidden(error)) throw error;
        throw new DatabaseError(
          `${error.message}\nThe backup is written as user ${actingAs}, who owns the data folder. Write it to ${join(config.data, basename(file))}, and move it from there.`,
          { cause: error },
        );
      }
      const ofKey = `The secrets in it can only be read with ${secretKeyPath(config.data)}: keep a copy of that too, but somewhere else.`;
      print(
        io,
        asJson,
        [{ file: resolve(file) }],
        [`The database was copied to ${resolve(file)}.`, ofKey],
      );
      if (asJson) io.error(ofKey);
    });
}
