import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connections as connectionsTable } from "../../src/db/schema.ts";
import type { User } from "../../src/accounts/users.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";

const SETTINGS = { address: "127.0.0.1:6600", password: "correct-horse-battery" };

let world: TestAccounts;
let ada: User;
let grace: User;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = (await world.add("ada")).user;
  grace = (await world.add("grace")).user;
});
afterEach(() => world.store.close());

const connections = () => world.accounts.connections;

/** Connects a user and answers the connection's id. */
const connect = async (user: User) => {
  await connections().connect(user, "mpd", SETTINGS);
  const id = await connections().workingIdOf(user.id);
  if (id === undefined) throw new Error(`${user.name} is not connected`);
  return id;
};

describe("a connection", () => {
  test("is its user's alone, with the settings as given", async () => {
    const id = await connect(ada);
    expect(await connections().of(ada.id)).toEqual({
      id,
      source: "mpd",
      settings: SETTINGS,
      refusedAt: null,
    });
    expect(await connections().of(grace.id)).toBe(undefined);
    expect(await connections().workingIdOf(grace.id)).toBe(undefined);
  });

  test("is sealed where it is stored", async () => {
    await connect(ada);
    const [row] = world.store.queries.select().from(connectionsTable).all();
    expect(row?.sealedSettings.toString("latin1")).not.toContain("correct-horse");
    expect(row?.sealedSettings.toString("latin1")).not.toContain("6600");
  });

  test("that replaces another has another id, and is the only one", async () => {
    const first = await connect(ada);
    await connections().connect(ada, "demo", null);
    expect(await connections().of(ada.id)).toMatchObject({ source: "demo", settings: null });
    expect(await connections().workingIdOf(ada.id)).not.toBe(first);
    expect(world.store.queries.select().from(connectionsTable).all()).toHaveLength(1);
  });

  test("has another id after disconnecting and connecting again", async () => {
    const first = await connect(ada);
    await connections().disconnect(ada);
    expect(await connect(ada)).not.toBe(first);
  });
});

describe("disconnecting", () => {
  test("forgets the connection and leaves other users'", async () => {
    await connect(ada);
    const hers = await connect(grace);
    expect(await connections().disconnect(ada)).toBe(true);
    expect(await connections().of(ada.id)).toBe(undefined);
    expect(await connections().workingIdOf(grace.id)).toBe(hers);
  });

  test("says so when there was nothing", async () => {
    expect(await connections().disconnect(ada)).toBe(false);
  });
});

describe("a refused connection", () => {
  test("stays, with the time, but has no working id", async () => {
    const id = await connect(ada);
    await connections().markRefused(id);
    expect(await connections().of(ada.id)).toMatchObject({ id, refusedAt: START_MS });
    expect(await connections().workingIdOf(ada.id)).toBe(undefined);
  });

  test("does not touch another user's", async () => {
    const hers = await connect(grace);
    await connections().markRefused(await connect(ada));
    expect(await connections().workingIdOf(grace.id)).toBe(hers);
  });

  test("is over when the user connects again", async () => {
    await connections().markRefused(await connect(ada));
    await connect(ada);
    expect(await connections().of(ada.id)).toMatchObject({ refusedAt: null });
  });

  test("that was replaced meanwhile leaves the new one working", async () => {
    const old = await connect(ada);
    const id = await connect(ada);
    await connections().markRefused(old);
    expect(await connections().workingIdOf(ada.id)).toBe(id);
  });
});
