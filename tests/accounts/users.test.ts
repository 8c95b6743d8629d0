import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isUserName, toUserName } from "../../src/user-name.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";
import * as tables from "../../src/db/schema.ts";

let world: TestAccounts;
beforeEach(async () => {
  world = await createTestAccounts();
});
afterEach(() => world.store.close());

const names = async () => world.accounts.users.list().map(({ name }) => name);

describe("adding users", () => {
  test("makes them in the order given, each with a working key and widget token", async () => {
    const { accounts } = world;
    const added = await accounts.add(["ada", "grace"]);
    expect(added.map(({ user }) => user.name)).toEqual(["ada", "grace"]);
    for (const { user, key, widgetToken } of added) {
      expect(accounts.keys.holderOf(key)?.user).toEqual(user);
      expect(accounts.widgets.find(widgetToken)?.user).toEqual(user);
    }
  });

  test("makes the first of all the owner, and nobody else", async () => {
    await world.accounts.add(["ada", "grace"]);
    await world.add("edsger");
    const roles = world.accounts.users.list().map(({ role }) => role);
    expect(roles).toEqual(["owner", "member", "member"]);
    expect(world.accounts.users.owner()?.name).toBe("ada");
  });

  test("remembers when", async () => {
    expect((await world.add("ada")).user.createdAt).toBe(START_MS);
  });

  test("connects them all when a connection is given", async () => {
    const { accounts } = world;
    const added = await accounts.add(["ada", "grace"], { source: "demo", settings: null });
    for (const { user } of added) {
      expect(await onlyConnection(accounts.connections, user.id)).toMatchObject({
        source: "demo",
        settings: null,
      });
    }
  });

  test("connects them to nothing otherwise", async () => {
    const { user } = await world.add("ada");
    expect(await onlyConnection(world.accounts.connections, user.id)).toBe(undefined);
  });

  test("names every bad, taken and repeated name at once and adds none", async () => {
    await world.add("ada");
    const adding = world.accounts.add(["grace", "Bad Name", "ada", "twin", "twin", "-dash"]);
    await expect(adding).rejects.toMatchObject({
      reason: "user.several",
      values: { names: "Bad Name, -dash, twin, ada" },
      isMisuse: true,
    });
    expect(await names()).toEqual(["ada"]);
  });

  test.each([
    ["user.name", ["Linus & <b>"], "Linus & <b>", true],
    ["user.name", [""], "", true],
    ["user.name", [], "", true],
    ["user.twice", ["grace", "grace"], "grace", true],
    ["user.taken", ["grace", "ada"], "ada", false],
  ] as const)("is refused as %s for %j", async (reason, typed, refused, isMisuse) => {
    await world.add("ada");
    const refusal = { reason, values: { names: refused }, field: "names", isMisuse };
    await expect(world.accounts.add(typed)).rejects.toMatchObject(refusal);
    expect(await names()).toEqual(["ada"]);
  });

  test("leaves no key or token behind when it fails", async () => {
    const { accounts, store } = world;
    await expect(accounts.add(["ada", "ada"])).rejects.toMatchObject({ reason: "user.twice" });
    expect(await store.queries.select().from(tables.apiKeys)).toEqual([]);
    expect(await store.queries.select().from(tables.widgets)).toEqual([]);
  });

  test("at the same moment gives each the secrets that are theirs", async () => {
    const { accounts } = world;
    const added = (await Promise.all([accounts.add(["ada"]), accounts.add(["grace"])])).flat();
    for (const { user, widgetToken } of added) {
      expect(await accounts.widgets.overlayTokenOf(user)).toBe(widgetToken);
    }
  });

  test("at the same moment under one name adds one of them", async () => {
    const adding = [1, 2].map(() => world.accounts.add(["linus"]));
    const outcomes = (await Promise.allSettled(adding)).map(({ status }) => status);
    expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await names()).toEqual(["linus"]);
  });
});

describe("removing a user", () => {
  test("takes keys, widget token and connection along, and leaves the others'", async () => {
    const { accounts, store, add } = world;
    await add("ada", { source: "demo", settings: null });
    const grace = await add("grace", { source: "demo", settings: null });
    await accounts.users.remove("ada");
    expect(await names()).toEqual(["grace"]);
    const { apiKeys, widgets, connections } = tables;
    for (const table of [apiKeys, widgets, connections]) {
      expect(await store.queries.select({ userId: table.userId }).from(table)).toEqual([
        { userId: grace.user.id },
      ]);
    }
  });

  test("makes the next one the owner when it was the owner, and nobody otherwise", async () => {
    const { accounts, add } = world;
    await accounts.add(["ada", "grace", "edsger"]);
    await accounts.users.remove("edsger");
    expect(accounts.users.owner()?.name).toBe("ada");
    await accounts.users.remove("ada");
    expect(accounts.users.owner()?.name).toBe("grace");
    await accounts.users.remove("grace");
    expect(accounts.users.owner()).toBe(undefined);
    expect((await add("barbara")).user.role).toBe("owner");
  });

  test("never lets a later user have the same id", async () => {
    const ada = await world.add("ada");
    await world.accounts.users.remove("ada");
    expect((await world.add("ada")).user.id).not.toBe(ada.user.id);
  });
});

test("a name that nobody has is refused, whatever is wanted of it", async () => {
  const refusal = { reason: "user.unknown", values: { user: "nobody" }, isMisuse: false };
  await expect(world.accounts.users.remove("nobody")).rejects.toMatchObject(refusal);
  expect(() => world.accounts.users.named("nobody")).toThrow(expect.objectContaining(refusal));
});

describe("where the server was last reached", () => {
  test("is unknown at first", async () => {
    expect(world.accounts.lastBaseUrl()).toBe(undefined);
  });

  test("is what was remembered last", async () => {
    world.accounts.rememberBaseUrl("http://127.0.0.1:4747");
    world.accounts.rememberBaseUrl("https://music.example.org");
    expect(world.accounts.lastBaseUrl()).toBe("https://music.example.org");
  });
});

describe("a user name", () => {
  const aLetterOrDigit = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789");
  const aFurtherCharacter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789_-");
  const aName = fc
    .tuple(aLetterOrDigit, fc.string({ unit: aFurtherCharacter, maxLength: 31 }))
    .map((parts) => parts.join(""));

  test("is 1 to 32 of a-z, 0-9, _ and -, starting with a letter or digit", () => {
    fc.assert(fc.property(aName, isUserName));
  });

  test.each(["", "-a", "_a", "A", "é", "a b", "a\n", "\na", "a.b", "a/b", "a".repeat(33), "ａ"])(
    "is not %p",
    (text) => expect(isUserName(text)).toBe(false),
  );

  test("is made of any text", () => {
    const anything = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(anything, (text) => isUserName(toUserName(text))),
      { numRuns: 1_000 },
    );
  });

  test("stays as it is when it is valid and does not end in a dash", () => {
    fc.assert(
      fc.property(aName, (name) => {
        fc.pre(!name.endsWith("-"));
        expect(toUserName(name)).toBe(name);
      }),
    );
  });

  test.each([
    ["Ada Lovelace", "ada-lovelace"],
    ["José", "jose"],
    ["EXAMPLE\\ada", "example-ada"],
    ["_www", "www"],
    ["ada!", "ada"],
    ["a".repeat(40), "a".repeat(32)],
    ["山田", "owner"],
    ["", "owner"],
  ])("is made of %p as %p", (text, name) => expect(toUserName(text)).toBe(name));
});
