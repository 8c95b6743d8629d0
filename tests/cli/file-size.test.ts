import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { until } from "../fixtures/clock/waiting.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { startMarquee } from "../fixtures/servers/marquee-process.ts";

const { path } = useCommandLine();

const MEGABYTE = 1024 * 1024;

test("a running server gives the disk back what was deleted, in a file of an earlier version too", async () => {
  mkdirSync(path("data"));
  const file = path("data", "marquee.db");
  const earlier = new Database(file, { create: true });
  earlier.run("CREATE TABLE other (bytes BLOB)");
  earlier.run(`INSERT INTO other VALUES (randomblob(${3 * MEGABYTE}))`);
  const server = await startMarquee({
    folder: path(),
    arguments: ["--port", "0", "--data", path("data"), "--owner", "ada"],
    fromSource: true,
  });
  try {
    earlier.run("DELETE FROM other");
    await until(() => (statSync(file).size < 2 * MEGABYTE ? true : undefined));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    earlier.close();
    await server.kill();
  }
});
