import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { until } from "../fixtures/clock/waiting.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { startMarquee } from "../fixtures/servers/marquee-process.ts";

const { marquee, path } = useCommandLine();

const MEGABYTE = 1024 * 1024;

test("a running server gives the disk back what was deleted", async () => {
  await marquee("user", "add", "ada");
  const file = path("data", "marquee.db");
  {
    using database = new Database(file);
    database.run("CREATE TABLE other (bytes BLOB)");
    database.run(`INSERT INTO other VALUES (randomblob(${3 * MEGABYTE}))`);
    database.run("DROP TABLE other");
  }
  expect(statSync(file).size).toBeGreaterThan(3 * MEGABYTE);
  const server = await startMarquee({
    folder: path(),
    arguments: ["--port", "0", "--data", path("data")],
  });
  try {
    await until(() => (statSync(file).size < 2 * MEGABYTE ? true : undefined));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.kill();
  }
});
