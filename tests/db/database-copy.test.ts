import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabaseCopies } from "../../src/db/database-copy.ts";
import { DatabaseError } from "../../src/db/errors.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";

let folder: ReturnType<typeof createDataFolder>;

beforeEach(() => {
  folder = createDataFolder();
  const database = new Database(join(folder.path, "marquee.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE songs (title TEXT)");
  database.run("INSERT INTO songs VALUES ('Paper Lanterns')");
  database.close();
});
afterEach(() => folder.remove());

const { signal } = new AbortController();
const copiesWith = (freeBytes = Infinity) => createDatabaseCopies(folder.path, () => freeBytes);
const left = () => readdirSync(folder.path).filter((name) => !name.startsWith("marquee.db"));

describe("a copy of the database to be sent", () => {
  test("is refused where the disk has no room for it", async () => {
    expect(await copiesWith(1024 * 1024)(signal)).toBe("full");
  });

  test("takes the room of one that a crash has left", async () => {
    writeFileSync(join(folder.path, "marquee-copy.db"), "half of one");
    const isLeft = () => left().length > 0;
    const takeCopy = createDatabaseCopies(folder.path, () => (isLeft() ? 0 : Infinity));
    const copy = await takeCopy(signal);
    if (typeof copy === "string") throw new Error(copy);
    await copy.cancel();
  });

  test("replaces one that a crash has left", async () => {
    writeFileSync(join(folder.path, "marquee-copy.db"), "half of one");
    const copy = await copiesWith()(signal);
    if (typeof copy === "string") throw new Error(copy);
    const bytes = await new Response(copy).bytes();
    expect(Database.deserialize(bytes).query("SELECT title FROM songs").values()).toEqual([
      ["Paper Lanterns"],
    ]);
    expect(left()).toEqual([]);
  });

  test("that fails leaves nothing behind, and the next one may be made", async () => {
    const takeCopy = copiesWith();
    writeFileSync(join(folder.path, "marquee.db"), "no database".repeat(1_000));
    for (let attempt = 0; attempt < 2; attempt++) {
      const failure = await takeCopy(signal).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DatabaseError);
    }
    expect(left()).toEqual([]);
  });

  test("is closed when its client leaves without having read it", async () => {
    const client = new AbortController();
    const takeCopy = copiesWith();
    await takeCopy(client.signal);
    expect(await takeCopy(signal)).toBe("running");
    client.abort();
    const next = await takeCopy(signal);
    if (typeof next === "string") throw new Error(next);
    await next.cancel();
  });

  test("ends with the client that wanted it", async () => {
    const client = new AbortController();
    const copied = copiesWith()(client.signal);
    client.abort();
    expect(await copied).toBe("left");
    expect(left()).toEqual([]);
  });
});
