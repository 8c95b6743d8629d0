import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { parseConnectionId, type PublicConnectionId } from "../../src/music/connection-reads.ts";
import type { User } from "../../src/accounts/users.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { onlyConnection, onlyWorkingId } from "../fixtures/data/connections.ts";
import * as tables from "../../src/db/schema.ts";

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
  const id = await onlyWorkingId(connections(), user.id);
  if (id === undefined) throw new Error(`${user.name} is not connected`);
  return id;
};

describe("a connection", () => {
  test("is its user's alone, with the settings as given", async () => {
    const id = await connect(ada);
    expect(await onlyConnection(connections(), ada.id)).toEqual({
      id,
      source: "mpd",
      settings: SETTINGS,
      refusedAt: null,
      publicId: parseConnectionId(String(id))!,
      userId: ada.id,
      name: "",
      hasWorked: false,
      status: { state: "untried" },
    });
    expect(await onlyConnection(connections(), grace.id)).toBe(undefined);
    expect(await onlyWorkingId(connections(), grace.id)).toBe(undefined);
  });

  test("is sealed where it is stored", async () => {
    await connect(ada);
    const { queries } = world.store;
    const [row] = await queries.select().from(tables.connections);
    expect(row?.sealedSettings.toString("latin1")).not.toContain("correct-horse");
    expect(row?.sealedSettings.toString("latin1")).not.toContain("6600");
  });

  test("keeps what people know it by when its settings are replaced", async () => {
    const first = await connections().connect(ada, "mpd", SETTINGS);
    await connections().connect(ada, "json", null);
    const second = await connections().connect(ada, "mpd", { address: "[::1]:6600" });
    const third = await connections().connect(ada, "mpd", SETTINGS);
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect([second.publicId, third.publicId]).toEqual([first.publicId, first.publicId]);
    const [mpd, json, ...others] = connections().allOf(ada.id);
    expect(mpd).toEqual(third);
    expect(json).toMatchObject({ source: "json" });
    expect(others).toEqual([]);
  });

  test("has another id after disconnecting and connecting again", async () => {
    const first = await connect(ada);
    await connections().disconnect(ada, "all");
    expect(await connect(ada)).not.toBe(first);
  });
});

describe("disconnecting", () => {
  test("forgets the connection and leaves other users'", async () => {
    await connect(ada);
    const hers = await connect(grace);
    expect(await connections().disconnect(ada, "all")).toBe(true);
    expect(await onlyConnection(connections(), ada.id)).toBe(undefined);
    expect(await onlyWorkingId(connections(), grace.id)).toBe(hers);
  });

  test("says so when there was nothing", async () => {
    expect(await connections().disconnect(ada, "all")).toBe(false);
  });
});

describe("a refused connection", () => {
  test("stays, with the time, but has no working id", async () => {
    const id = await connect(ada);
    await connections().markRefused(id);
    expect(await onlyConnection(connections(), ada.id)).toMatchObject({ id, refusedAt: START_MS });
    expect(await onlyWorkingId(connections(), ada.id)).toBe(undefined);
  });

  test("does not touch another user's", async () => {
    const hers = await connect(grace);
    await connections().markRefused(await connect(ada));
    expect(await onlyWorkingId(connections(), grace.id)).toBe(hers);
  });

  test("is over when the user connects again", async () => {
    await connections().markRefused(await connect(ada));
    await connect(ada);
    expect(await onlyConnection(connections(), ada.id)).toMatchObject({ refusedAt: null });
  });

  test("that was replaced meanwhile leaves the new one working", async () => {
    const old = await connect(ada);
    const id = await connect(ada);
    await connections().markRefused(old);
    expect(await onlyWorkingId(connections(), ada.id)).toBe(id);
  });
});

describe("several connections", () => {
  const labels = async (user = ada) =>
    connections()
      .allOf(user.id)
      .map(({ source, name }) => `${source} ${name}`.trim());

  test("are told apart by source and name, and stand in the order they were made", async () => {
    await connections().connect(ada, "mpd", SETTINGS);
    await connections().connect(ada, "json", null);
    await connections().connect(ada, "mpd", { address: "kitchen" }, "Kitchen");
    await connections().connect(grace, "mpd", SETTINGS);
    await connections().connect(ada, "mpd", { address: "again" }, "Kitchen");
    expect(await labels()).toEqual(["mpd", "json", "mpd Kitchen"]);
    const all = connections().allOf(ada.id);
    expect(all.map(({ settings }) => settings)).toEqual([SETTINGS, null, { address: "again" }]);
    expect(await labels(grace)).toEqual(["mpd"]);
  });

  test("lose the demo when the first real one comes, and may get it back", async () => {
    await connections().connect(ada, "demo", null);
    await connections().connect(ada, "demo", null, "Second");
    await connections().connect(ada, "mpd", SETTINGS);
    expect(await labels()).toEqual(["mpd"]);
    await connections().connect(ada, "demo", null);
    await connections().connect(ada, "json", null);
    expect(await labels()).toEqual(["mpd", "demo", "json"]);
  });

  test("are at most ten, of which each can still be changed", async () => {
    for (let at = 1; at <= 10; at++) await connections().connect(ada, "json", at, `${at}`);
    const eleventh = connections().connect(ada, "mpd", SETTINGS);
    await expect(eleventh).rejects.toThrow("connection.tooMany");
    await connections().connect(ada, "json", "changed", "3");
    const all = connections().allOf(ada.id);
    expect(all.map(({ settings }) => settings)).toEqual([1, 2, "changed", 4, 5, 6, 7, 8, 9, 10]);
    await connections().connect(grace, "mpd", SETTINGS);
  });

  test("make room for the first real one although ten demos play", async () => {
    for (let at = 1; at <= 10; at++) await connections().connect(ada, "demo", at, `${at}`);
    await expect(connections().connect(ada, "demo", null)).rejects.toThrow("connection.tooMany");
    await connections().connect(ada, "mpd", SETTINGS);
    expect(await labels()).toEqual(["mpd"]);
  });

  test("are ordered by naming some: the others follow as they stood", async () => {
    const ids: PublicConnectionId[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      ids.push((await connections().connect(ada, "json", null, name)).publicId);
    }
    const [a, b, c, d] = ids;
    if (!a || !b || !c || !d) throw new Error("not connected");
    const idsNow = () =>
      connections()
        .allOf(ada.id)
        .map(({ id }) => id);
    const before = idsNow();
    await connections().order(ada, [d, b]);
    expect(await labels()).toEqual(["json d", "json b", "json a", "json c"]);
    await connections().order(ada, [c, a, b, d]);
    expect(await labels()).toEqual(["json c", "json a", "json b", "json d"]);
    const after = idsNow();
    expect(after).not.toEqual(before);
    expect(after.toSorted()).toEqual(before.toSorted());
    await connections().connect(ada, "json", "changed", "c");
    await connections().connect(ada, "mpd", SETTINGS);
    expect(await labels()).toEqual(["json c", "json a", "json b", "json d", "mpd"]);
  });

  test("are left as they stand by an order that names a stranger or one twice", async () => {
    const { publicId: mpd } = await connections().connect(ada, "mpd", SETTINGS);
    const { publicId: json } = await connections().connect(ada, "json", null);
    const { publicId: hers } = await connections().connect(grace, "mpd", SETTINGS);
    await expect(connections().order(ada, [json, hers])).rejects.toThrow("connection.unknown");
    await expect(connections().order(ada, [json, mpd, json])).rejects.toThrow("connection.twice");
    expect(await labels()).toEqual(["mpd", "json"]);
  });

  test("are ended one by one, or all at once", async () => {
    const { publicId } = await connections().connect(ada, "mpd", SETTINGS);
    await connections().connect(ada, "mpd", SETTINGS, "Kitchen");
    await connections().connect(ada, "json", null);
    const { publicId: hers } = await connections().connect(grace, "mpd", SETTINGS);
    // By the id that people know, although the settings were replaced since.
    await connections().connect(ada, "mpd", { address: "[::1]:6600" });
    expect(await connections().disconnect(ada, publicId)).toBe(true);
    expect(await labels()).toEqual(["mpd Kitchen", "json"]);
    await expect(connections().disconnect(ada, publicId)).rejects.toThrow("connection.unknown");
    await expect(connections().disconnect(ada, hers)).rejects.toThrow("connection.unknown");
    expect(await connections().disconnect(ada, "all")).toBe(true);
    expect(await labels()).toEqual([]);
    expect(await labels(grace)).toEqual(["mpd"]);
  });

  test("get other names, but not the same one at one source", async () => {
    const first = await connections().connect(ada, "mpd", SETTINGS);
    await connections().connect(ada, "mpd", SETTINGS, "Kitchen");
    await expect(connections().rename(ada, first.publicId, "Kitchen")).rejects.toThrow(
      "connection.nameTaken",
    );
    await connections().rename(ada, first.publicId, "Desk");
    expect(await labels()).toEqual(["mpd Desk", "mpd Kitchen"]);
    expect(connections().find(ada, first.publicId).id).toBe(first.id);
    await expect(connections().rename(grace, first.publicId, "Mine")).rejects.toThrow(
      "connection.unknown",
    );
  });

  test("have worked once they reported with the settings they have", async () => {
    const worked = async () =>
      connections()
        .allOf(ada.id)
        .map(({ hasWorked }) => hasWorked);
    const first = await connections().connect(ada, "mpd", SETTINGS);
    const second = await connections().connect(ada, "json", null);
    await connections().storeStatus(first.id, { state: "ok", since: 1 });
    await connections().storeStatus(second.id, { state: "retrying", since: 1, reason: "limited" });
    expect(await worked()).toEqual([true, false]);
    await connections().storeStatus(first.id, { state: "limited", since: 2, until: 3 });
    expect(await worked()).toEqual([true, false]);
    await connections().connect(ada, "mpd", SETTINGS);
    expect(await worked()).toEqual([false, false]);
  });

  test("have worked although they fail before that is stored", async () => {
    const { id } = await connections().connect(ada, "mpd", SETTINGS);
    const stored = connections().storeStatus(id, { state: "ok", since: 1 });
    await connections().storeStatus(id, { state: "retrying", since: 2, reason: "unreachable" });
    await stored;
    expect(connections().allOf(ada.id)).toMatchObject([{ hasWorked: true }]);
  });
});
