import { beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import type { Topic } from "../../src/db/changes.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";

let world: TestAccounts;
let ada: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada", { source: "spotify", settings: { refreshToken: "first" } });
});

const HIDDEN = { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] };

/** What can be done to ada, and what of hers others then follow. */
const CHANGES: readonly {
  readonly what: string;
  readonly topic: Topic;
  change(): Promise<unknown>;
}[] = [
  {
    what: "a revoked key",
    topic: "keys",
    async change() {
      const [key] = world.accounts.keys.list(ada.user);
      await world.accounts.keys.revoke(ada.user, key?.id ?? "");
    },
  },
  { what: "a new key", topic: "keys", change: () => world.accounts.keys.add(ada.user, "bot") },
  {
    what: "a replaced key",
    topic: "keys",
    change: () => world.accounts.keys.rotate(ada.user, undefined, 0),
  },
  {
    what: "a replaced widget address",
    topic: "widgets",
    change: () => world.accounts.widgets.rotate(ada.user, 1),
  },
  {
    what: "another connection",
    topic: "connections",
    change: () => world.accounts.connections.connect(ada.user, "mpd", {}),
  },
  {
    what: "an ended connection",
    topic: "connections",
    change: () => world.accounts.connections.disconnect(ada.user, "all"),
  },
  {
    what: "a refused connection",
    topic: "connections",
    async change() {
      const [connection] = world.accounts.connections.allOf(ada.user.id);
      await world.accounts.connections.markRefused(connection?.id ?? 0);
    },
  },
  {
    what: "a wish to be hidden",
    topic: "privacy",
    change: () => world.accounts.privacy.change(ada.user, HIDDEN),
  },
  {
    what: "songs that are kept",
    topic: "history",
    change: () => world.accounts.history.change(ada.user, { keeps: "day", followsStreams: false }),
  },
  {
    what: "a session that ends",
    topic: "sessions",
    change: () => world.accounts.sessions.closeAll(ada.user),
  },
  {
    what: "another language",
    topic: "users",
    change: () => world.accounts.users.setLanguage(ada.user, "de"),
  },
  {
    what: "a user's removal",
    topic: "users",
    change: () => world.accounts.users.remove("ada"),
  },
];

describe.each([...CHANGES])("$what", ({ topic, change }) => {
  test("is followed as a change of that user alone, of just that", async () => {
    const others: readonly Topic[] = ["keys", "widgets", "connections", "privacy", "sessions"];
    const seen: unknown[] = [];
    world.accounts.onChange(({ userId, concerns }) => {
      seen.push([userId, concerns(topic), others.filter((one) => concerns(one))]);
    });
    await change();
    const expected = others.includes(topic) ? [topic] : [];
    expect(seen).toEqual([[ada.user.id, true, expected]]);
  });
});

test("users who are added are a change of each", async () => {
  const seen: (number | undefined)[] = [];
  world.accounts.onChange(({ userId }) => void seen.push(userId));
  const added = await world.accounts.add(["bea", "cleo"]);
  expect(seen).toEqual(added.map(({ user }) => user.id));
});

test("what a running server notes by itself is no change for anybody", async () => {
  const { keys, connections } = world.accounts;
  const seen: unknown[] = [];
  const [connection] = connections.allOf(ada.user.id);
  world.accounts.onChange((change) => void seen.push(change));
  keys.noteUse(ada.key);
  await keys.flushUses();
  await connections.storeStatus(connection?.id ?? 0, { state: "ok", since: 1 });
  await connections.storeSettings(connection?.id ?? 0, { refreshToken: "renewed" });
  expect(seen).toEqual([]);
});
