import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createConnectionFinder, DEMO_LISTENERS } from "../../src/channels/connection-finder.ts";
import { describedSources } from "../../src/sources/index.ts";
import { defineSource } from "../../src/sources/source.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { watchContext } from "../fixtures/sources/watch-context.ts";

let world: TestAccounts;
let ada: AddedUser;
let warnings: unknown[];

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
  warnings = [];
});
afterEach(() => world.store.close());

const finder = (demoForAll = false) =>
  createConnectionFinder(world.accounts, describedSources(), demoForAll, {
    warn: (message, fields) => void warnings.push({ message, ...fields }),
  });
const idsIn = async (connectionsOf: ReturnType<typeof finder>) =>
  connectionsOf(ada.user.id).map(({ connectionId }) => connectionId);

test("a user's connections are found in the user's order", async () => {
  const { connections } = world.accounts;
  const mpd = await connections.connect(ada.user, "mpd", {});
  const demo = await connections.connect(ada.user, "demo", null);
  expect(await idsIn(finder())).toEqual([mpd.id, demo.id]);
  await connections.order(ada.user, [demo.publicId]);
  expect(await idsIn(finder())).toEqual([demo.id, mpd.id]);
});

test("one that has to be connected again leaves the others, and is logged once", async () => {
  const { connections } = world.accounts;
  const refused = await connections.connect(ada.user, "mpd", {}, "refused");
  await connections.connect(ada.user, "mpd", { address: ":" }, "wrong");
  await connections.connect(ada.user, "gramophone", null);
  const good = await connections.connect(ada.user, "mpd", {});
  await connections.markRefused(refused.id);
  const one = finder();
  expect(await idsIn(one)).toEqual([good.id]);
  expect(await idsIn(one)).toEqual([good.id]);
  const again = { message: "music has to be connected again", user: ada.user.id };
  expect(warnings).toEqual([
    { ...again, source: "mpd", reason: expect.any(String) },
    {
      ...again,
      source: "gramophone",
      reason: "This version of Marquee doesn’t know “gramophone”.",
    },
  ]);
});

test("a refusal is stored until the user connects again", async () => {
  const { connections } = world.accounts;
  await connections.connect(ada.user, "mpd", {});
  const [before] = finder()(ada.user.id);
  await before?.refuse?.();
  expect(await idsIn(finder())).toEqual([]);
  const { id } = await connections.connect(ada.user, "mpd", {});
  expect(await idsIn(finder())).toEqual([id]);
});

test("a source changes what is stored of the connection it watches", async () => {
  const { connections } = world.accounts;
  const { id } = await connections.connect(ada.user, "counting", { count: 1 });
  const seen: unknown[] = [];
  const counting = defineSource({
    id: "counting",
    name: "Counting",
    delivery: "streamed",
    facts: { runs: "anywhere", calls: [] },
    options: {},
    parseSettings: (settings: unknown) => settings,
    async *watch(settings, { connection }) {
      seen.push(connection.id, settings);
      await connection.storeSettings({ count: 2 });
    },
  });
  const connectionsOf = createConnectionFinder(world.accounts, { byId: () => counting }, false, {
    warn() {},
  });
  const [found] = connectionsOf(ada.user.id);
  const { signal } = new AbortController();
  const context = watchContext({ signal, clock: world.clock });
  for await (const _ of found?.watch(context) ?? []) throw new Error("it reports nothing");
  expect(seen).toEqual([id, { count: 1 }]);
  expect(connections.allOf(ada.user.id)).toMatchObject([{ settings: { count: 2 } }]);
});

test("a user without connections plays the demo only where everybody does", async () => {
  expect(await idsIn(finder())).toEqual([]);
  expect(await idsIn(finder(true))).toEqual([undefined]);
  for (const listener of DEMO_LISTENERS) {
    expect(finder()(listener)).toHaveLength(1);
  }
  expect(finder()(Math.min(...DEMO_LISTENERS) - 1)).toEqual([]);
  const { id } = await world.accounts.connections.connect(ada.user, "mpd", {});
  expect(await idsIn(finder(true))).toEqual([id]);
  await world.accounts.connections.markRefused(id);
  expect(await idsIn(finder(true))).toEqual([]);
});
