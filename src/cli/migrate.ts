import { resolve } from "node:path";
import { secretKeyPath } from "../vault/secret-key-files.ts";
import { addressOfDatabase, type Config, settings } from "../config.ts";
import { type Command, print, UsageError } from "./command.ts";
import { withWorkspace } from "./workspace.ts";
import type { Cli } from "./cli.ts";

/** Declares `marquee migrate`. */
export function declareMigrate({ command, runs }: Cli): void {
  runs(
    command("migrate", "copy everything to an empty PostgreSQL database", [
      "marquee migrate --to postgres://marquee:password@db.example.org/marquee",
    ]).option("--to <url>", "the database; if left out, the one that --database names"),
    (options: { to?: string }) => migrateTo(options.to),
  );
}

/** `marquee migrate --to URL`: copies a data folder's database to a PostgreSQL server. */
function migrateTo(given: string | undefined): Command {
  return async (config, asJson, io) => {
    const url = readTarget(given, config);
    await withWorkspace({ ...config, database: null }, async ({ store }) => {
      if (!store.file) throw new Error("a data folder's database is a file");
      const { moveIn } = await import("../db/postgres/move-in.ts");
      const moved = await moveIn(store, store.file, url);
      const counts = {
        users: moved.users,
        keys: moved.apiKeys,
        widgets: moved.widgets,
        connections: moved.connections,
        sessions: moved.sessions,
      };
      const database = addressOfDatabase(url);
      const said = Object.entries(counts).map(
        ([what, many]) => `${many} ${many === 1 ? what.slice(0, -1) : what}`,
      );
      print(
        io,
        asJson,
        [{ database, ...counts }],
        [
          `Copied to ${database}: ${said.join(", ")}, and what belongs to them. The data folder was not changed.`,
          "Start every server with this database and the same secret key and public address:",
          "  MARQUEE_DATABASE_FILE   a file with the database's address",
          `  MARQUEE_SECRET_KEY_FILE ${config.secretKey === null ? `a copy of ${resolve(secretKeyPath(config.data))}` : "the same as now"}`,
          "  MARQUEE_BASE_URL        the address that people use",
          "Anything that a server with the data folder has stored since was not copied: if one was running, stop it, empty the database and copy again.",
        ],
      );
    });
  };
}

/** @throws {UsageError} */
function readTarget(given: string | undefined, { database }: Config): string {
  if (given === undefined) {
    if (database !== null) return database;
    throw new UsageError(
      "Give the database's address with --to, or set MARQUEE_DATABASE_FILE to a file with that address.",
    );
  }
  const url = settings.database.parse(given);
  if (url) return url;
  // What was given may hold a password.
  throw new UsageError(`--to must be ${settings.database.allowed}.`);
}
