import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createVault } from "../../src/vault/vault.ts";
import { createAccounts } from "../../src/accounts/accounts.ts";
import type { User } from "../../src/accounts/users.ts";
import { connections as connectionsTable } from "../../src/db/schema.ts";
import { nextTurn } from "../../src/next-turn.ts";
import { noteAccounts } from "../../src/sources/connected-music.ts";
import { Refused } from "../../src/i18n/refused.ts";
import { defineSource } from "../../src/sources/source.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { createConsentReminder } from "../../src/sources/consent-reminder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const ENDS = 1_800_000_000_000;

/** A source whose settings are the id of an account. */
const source = defineSource({
  id: "linked",
  name: "Linked",
  delivery: "streamed",
  facts: { runs: "anywhere", calls: [] },
  options: {},
  parseSettings(input) {
    if (typeof input !== "string") throw new Refused("connection.settings");
    return input;
  },
  account: (id) => ({ id, linkedUntil: ENDS }),
  async *watch() {},
});

let world: TestAccounts;
beforeEach(async () => {
  world = await createTestAccounts();
});
afterEach(() => world.store.close());

const names = (users: readonly User[]) => users.map(({ name }) => name);
const note = () => noteAccounts(source, world.accounts);
const connect = async (name: string, settings: unknown, id = source.id) =>
  (await world.add(name, { source: id, settings })).user;

describe("an account that was noted", () => {
  test("finds the users who have linked it, whatever else there is", async () => {
    await connect("ada", "one");
    await connect("grace", "other");
    await connect("linus", "one");
    await connect("bob", "one", "elsewhere");
    await note();
    const { connections } = world.accounts;
    expect(names(connections.usersOf(source.id, "one"))).toEqual(["ada", "linus"]);
    expect(connections.usersOf(source.id, "none")).toEqual([]);
    expect(connections.usersOf("elsewhere", "one")).toEqual([]);
  });

  test("is forgotten with what the user was connected to", async () => {
    const ada = await connect("ada", "one");
    await note();
    await world.accounts.connections.connect(ada, source.id, "other");
    await note();
    const { connections } = world.accounts;
    expect(connections.usersOf(source.id, "one")).toEqual([]);
    expect(names(connections.usersOf(source.id, "other"))).toEqual(["ada"]);
  });

  test("tells whose consent ends, but for those who have to connect again anyway", async () => {
    await connect("ada", "one");
    const grace = await connect("grace", "other");
    await note();
    const { connections } = world.accounts;
    expect(names(connections.usersWhoseConsentEnds(ENDS))).toEqual(["ada", "grace"]);
    expect(connections.usersWhoseConsentEnds(ENDS - 1)).toEqual([]);
    await connections.markRefused((await onlyConnection(connections, grace.id))?.id ?? 0);
    expect(names(connections.usersWhoseConsentEnds(ENDS))).toEqual(["ada"]);
  });

  test("names a user once who has linked several, and is remembered of each that ends", async () => {
    const ada = await connect("ada", "one");
    const { connections } = world.accounts;
    await connections.connect(ada, source.id, "one", "Second");
    const refused = await connections.connect(ada, source.id, "one", "Third");
    await note();
    await connections.markRefused(refused.id);
    expect(names(connections.usersOf(source.id, "one"))).toEqual(["ada"]);
    expect(names(connections.usersWhoseConsentEnds(ENDS))).toEqual(["ada"]);
    const warned: unknown[] = [];
    const remind = createConsentReminder({
      accounts: world.accounts,
      sources: { all: [], byId: (id) => (id === source.id ? source : undefined) },
      clock: { wallMs: () => ENDS - 1 },
      log: { warn: (_, fields) => void warned.push(fields?.["user"]) },
    });
    await remind();
    await remind();
    expect(warned).toEqual(["ada", "ada"]);
  });

  test("is found in a database of any size, and read but once", async () => {
    await world.accounts.add(
      Array.from({ length: 120 }, (_, at) => `user-${at}`),
      { source: source.id, settings: "shared" },
    );
    await connect("ada", { not: "readable" });
    await connect("last", "one");
    await note();
    const { connections } = world.accounts;
    expect(connections.usersOf(source.id, "shared")).toHaveLength(120);
    expect(names(connections.usersOf(source.id, "one"))).toEqual(["last"]);
    expect(connections.withoutAccount(source.id, 0).map(({ settings }) => settings)).toEqual([
      { not: "readable" },
    ]);
  });

  test("is noted after another, with others answered in between", async () => {
    for (const name of ["ada", "grace", "linus"]) await connect(name, "one");
    const noted = note();
    const found: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      found.push(world.accounts.connections.usersOf(source.id, "one").length);
    }
    await noted;
    expect(found).toEqual([1, 2, 3]);
  });

  test("is noted anew under another secret key, and names nobody to who has none", async () => {
    await connect("ada", "one");
    await note();
    const rows = () => world.store.queries.select().from(connectionsTable).all();
    expect(JSON.stringify(rows())).not.toContain("one");
    const vault = createVault(Buffer.alloc(32, 9).toString("base64"));
    const { connections } = createAccounts({ ...world, vault, wallMs: world.clock.wallMs });
    expect(connections.usersOf(source.id, "one")).toEqual([]);
    expect(connections.withoutAccount(source.id, 0)).toHaveLength(1);
  });
});
