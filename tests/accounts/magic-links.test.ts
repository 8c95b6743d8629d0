import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createMagicLinkSecret } from "../../src/accounts/credential.ts";
import { connectPurpose, LINK_LIFETIME_MS } from "../../src/accounts/magic-links.ts";
import type { User } from "../../src/accounts/users.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import * as tables from "../../src/db/schema.ts";

const PURPOSE = connectPurpose("spotify");

let world: TestAccounts;
let ada: User;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = (await world.add("ada")).user;
});
afterEach(() => world.store.close());

const links = () => world.accounts.magicLinks;
const rows = () => world.store.queries.select().from(tables.magicLinks);

describe("a link that works once", () => {
  test("knows its user, however often it is looked at", async () => {
    const secret = links().issue(ada, PURPOSE);
    for (let times = 0; times < 3; times++) {
      expect(links().userOf(secret, PURPOSE)).toMatchObject({ id: ada.id, name: "ada" });
    }
  });

  test("is used up by using it", async () => {
    const secret = links().issue(ada, PURPOSE);
    expect(links().use(secret, PURPOSE)).toMatchObject({ id: ada.id });
    expect(links().use(secret, PURPOSE)).toBe(undefined);
    expect(links().userOf(secret, PURPOSE)).toBe(undefined);
  });

  test("works for one of many who use it at once", async () => {
    const secret = links().issue(ada, PURPOSE);
    const users = await Promise.all(Array.from({ length: 9 }, () => links().use(secret, PURPOSE)));
    expect(users.filter((user) => user !== undefined)).toHaveLength(1);
  });

  test("works for nothing but its purpose, and is not used up by trying", async () => {
    const secret = links().issue(ada, PURPOSE);
    for (const other of [connectPurpose("mpd"), "spotify", "", "CONNECT SPOTIFY"]) {
      expect(links().userOf(secret, other)).toBe(undefined);
      expect(links().use(secret, other)).toBe(undefined);
    }
    expect(links().use(secret, PURPOSE)).toMatchObject({ id: ada.id });
  });

  test("works until half an hour is over, and then no more", async () => {
    expect(LINK_LIFETIME_MS).toBe(1_800_000);
    const secret = links().issue(ada, PURPOSE);
    await world.clock.advance(1_799_999);
    expect(links().userOf(secret, PURPOSE)).toMatchObject({ id: ada.id });
    await world.clock.advance(1);
    expect(links().userOf(secret, PURPOSE)).toBe(undefined);
    expect(links().use(secret, PURPOSE)).toBe(undefined);
  });

  test("leaves other links of the same user as they are", async () => {
    const [one, other] = [links().issue(ada, PURPOSE), links().issue(ada, PURPOSE)];
    links().use(one, PURPOSE);
    expect(links().use(other, PURPOSE)).toMatchObject({ id: ada.id });
  });

  test("is nobody's when nobody issued it", async () => {
    links().issue(ada, PURPOSE);
    expect(links().userOf(createMagicLinkSecret(), PURPOSE)).toBe(undefined);
    expect(links().use(createMagicLinkSecret(), PURPOSE)).toBe(undefined);
  });

  test("ends with its user", async () => {
    const { user } = await world.add("grace");
    const secret = links().issue(user, PURPOSE);
    await world.accounts.users.remove("grace");
    expect(links().userOf(secret, PURPOSE)).toBe(undefined);
    expect(await rows()).toEqual([]);
  });

  test("is stored as a hash alone", async () => {
    const secret = links().issue(ada, PURPOSE);
    const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
    expect((await rows()).map((row) => Buffer.from(row.hash).toString("hex"))).toEqual([hash]);
    expect(JSON.stringify(await rows())).not.toContain(secret);
  });

  test("is forgotten when another is issued after its end", async () => {
    links().issue(ada, PURPOSE);
    await world.clock.advance(LINK_LIFETIME_MS + 1);
    links().issue(ada, PURPOSE);
    expect(await rows()).toHaveLength(1);
  });
});
