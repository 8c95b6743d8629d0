import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createFoundCovers, type FoundCovers } from "../../src/accounts/found-covers.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import * as tables from "../../src/db/schema.ts";

const DAY_MS = 86_400_000;
const MOST_ROWS = 5;

let parts: TestAccounts;
let covers: FoundCovers;
beforeEach(async () => {
  parts = await createTestAccounts();
  const { store, vault, clock } = parts;
  covers = createFoundCovers({ store, vault, wallMs: clock.wallMs }, MOST_ROWS);
});
afterEach(() => parts.store.close());

const FOUND = { service: "musicbrainz", cover: "https://coverartarchive.org/1" };
const NOTHING = { service: "", cover: null };
const rows = () => parts.store.queries.$count(tables.foundCovers);

describe("what a search for a cover has come to", () => {
  test.each([
    ["ninety days", FOUND, 90],
    ["seven days if it is nothing", NOTHING, 7],
  ])("counts for %s, then it is deleted", async (_, found, days) => {
    const until = parts.clock.wallMs() + days * DAY_MS;
    expect(covers.note("a song", found)).toEqual({ ...found, until });
    await parts.clock.advance(days * DAY_MS - 1);
    covers.forgetOld();
    expect(covers.find("a song")).toEqual({ ...found, until });
    expect(covers.find("another")).toBeUndefined();
    await parts.clock.advance(1);
    expect(covers.find("a song")).toBeUndefined();
    await parts.clock.advance(1);
    covers.forgetOld();
    expect(await rows()).toBe(0);
  });

  test("is replaced by what comes later", async () => {
    covers.note("a song", NOTHING);
    await parts.clock.advance(DAY_MS);
    covers.note("a song", FOUND);
    expect(covers.find("a song")).toMatchObject(FOUND);
    expect(await rows()).toBe(1);
  });

  test("is kept of the last songs only", async () => {
    for (let song = 0; song < 3 * MOST_ROWS; song++) {
      covers.note(`song ${song}`, FOUND);
      await parts.clock.advance(1_100);
    }
    covers.forgetOld();
    expect(await rows()).toBe(MOST_ROWS);
    expect(covers.find("song 9")).toBeUndefined();
    expect(covers.find("song 10")).toBeDefined();
  });

  test("is answered although the database does not take it at this moment", async () => {
    parts.store.queries.run("PRAGMA query_only = ON");
    expect(covers.note("a song", FOUND)).toMatchObject(FOUND);
    expect(covers.find("a song")).toBeUndefined();
  });
});
