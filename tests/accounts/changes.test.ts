import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Accounts, type AddedUser, createAccounts } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import type { User } from "../../src/accounts/users.ts";
import type { Change } from "../../src/db/change.ts";
import { changes } from "../../src/db/schema.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const HIDDEN = { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] };

const revokeFirst = async ({ keys }: Accounts, user: User) =>
  keys.revoke(user, (await keys.list(user))[0]?.id ?? "");

/** Two processes on one data folder, as the server and a command are. */
let folder: ReturnType<typeof createTempFolder>;
let server: TestAccounts;
let command: TestAccounts;

beforeEach(async () => {
  folder = createTempFolder();
  server = await createTestAccounts(folder.path);
  command = await createTestAccounts(folder.path);
});
afterEach(async () => {
  await Promise.all([server.store.close(), command.store.close()]);
  folder.remove();
});

/** Whose changes the server was told of, in their order. */
function followedChanges(): (number | undefined)[] {
  const received: (number | undefined)[] = [];
  server.accounts.onChange(({ userId }) => void received.push(userId));
  return received;
}

/** What changes of whom when something is done to ada, by whichever process. */
const changesOf: {
  what: string;
  change: (by: TestAccounts, ada: AddedUser) => Promise<unknown>;
}[] = [
  { what: "a revoked key", change: ({ accounts }, { user }) => revokeFirst(accounts, user) },
  { what: "a new key", change: ({ accounts }, { user }) => accounts.keys.add(user, "bot") },
  {
    what: "a replaced key",
    change: ({ accounts }, { user }) => accounts.keys.rotate(user, undefined, 0),
  },
  {
    what: "a replaced widget address",
    change: ({ accounts }, { user }) => accounts.widgets.rotate(user),
  },
  {
    what: "another connection",
    change: ({ accounts }, { user }) => accounts.connections.connect(user, "mpd", {}),
  },
  {
    what: "an ended connection",
    change: ({ accounts }, { user }) => accounts.connections.disconnect(user, "all"),
  },
  {
    what: "a wish to be hidden",
    change: ({ accounts }, { user }) => accounts.privacy.change(user, HIDDEN),
  },
  {
    what: "a session that ends",
    change: ({ accounts }, { user }) => accounts.sessions.closeAll(user),
  },
  {
    what: "another language",
    change: ({ accounts }, { user }) => accounts.users.setLanguage(user, "de"),
  },
  {
    what: "a user's removal",
    change: ({ accounts }, { user }) => accounts.users.remove(user.name),
  },
];

describe.each(changesOf)("$what", ({ change }) => {
  let ada: AddedUser;
  beforeEach(async () => {
    await server.add("grace", { source: "demo", settings: null });
    ada = await server.add("ada", { source: "demo", settings: null });
    await server.accounts.sessions.open(ada.user, "a browser");
    await server.accounts.checkForChanges();
  });

  test("in another process is told once, with its user", async () => {
    const received = followedChanges();
    await change(command, ada);
    // A database on a server tells it by itself.
    if (server.store.file) expect(received).toEqual([]);
    await server.accounts.checkForChanges();
    await server.accounts.checkForChanges();
    expect(received).toEqual([ada.user.id]);
  });

  test("in this process is told at once, and once", async () => {
    const received = followedChanges();
    await change(server, ada);
    expect(received).toEqual([ada.user.id]);
    await command.accounts.rememberBaseUrl("http://127.0.0.1:4747");
    await server.accounts.checkForChanges();
    expect(received).toEqual([ada.user.id]);
  });
});

test("what changes of a connection that stays is told", async () => {
  const { user } = await server.add("ada");
  const { connections } = command.accounts;
  const mpd = await connections.connect(user, "mpd", {});
  const json = await connections.connect(user, "json", null);
  const secret = await connections.secretOf(json.id);
  await server.accounts.checkForChanges();
  const { accounts } = server;
  expect(await accounts.connections.inboxOf(secret)).toMatchObject({ connectionId: json.id });
  for (const change of [
    () => connections.order(user, [json.publicId]),
    () => connections.rename(user, mpd.publicId, "Kitchen"),
    () => connections.markRefused(mpd.id),
    () => connections.changeSettings(mpd.id, () => ({ settings: {}, isRefused: false })),
    () => connections.refuse(mpd.id, {}),
    () => connections.rotateSecret(json.id),
  ]) {
    const received = followedChanges();
    await change();
    await accounts.checkForChanges();
    expect(received).toEqual([user.id]);
  }
  expect(await accounts.connections.inboxOf(secret)).toBe(undefined);
});

test("what concerns everybody is told without a user", async () => {
  const received = followedChanges();
  await command.accounts.upstreams.enterApp("spotify", { clientId: "id", clientSecret: null });
  await server.accounts.checkForChanges();
  await command.store.sealed.changeKey(undefined, Buffer.of(1, 2, 3, 4));
  await command.store.sealed.changeKey(Buffer.of(1, 2, 3, 4), Buffer.of(4, 3, 2, 1));
  await server.accounts.checkForChanges();
  expect(received).toEqual([undefined, undefined]);
});

test("several users' changes are each told once, the latest last", async () => {
  const ada = await server.add("ada");
  const grace = await server.add("grace");
  const received = followedChanges();
  for (const { user } of [ada, grace, ada]) await command.accounts.widgets.rotate(user);
  await server.accounts.checkForChanges();
  expect(received).toEqual([grace.user.id, ada.user.id]);
});

test("nothing is told of uses of keys, connections' statuses, renewed tokens and upstreams' pauses", async () => {
  const { user, key } = await server.add("ada", { source: "demo", settings: null });
  const { keys, connections, upstreams } = command.accounts;
  await upstreams.enterApp("spotify", { clientId: "id", clientSecret: null });
  const { keyId = "" } = (await keys.holderOf(key)) ?? {};
  const { id = 0 } = (await onlyConnection(connections, user.id)) ?? {};
  await server.accounts.checkForChanges();
  const received = followedChanges();
  keys.noteUse(keyId);
  await keys.flushUses();
  await connections.storeStatus(id, { state: "ok", since: 1 });
  await connections.changeSettings(id, () => ({
    settings: { token: "renewed" },
    isRefused: false,
  }));
  await upstreams.rememberPause("spotify", { from: 1, until: 2 });
  await server.accounts.checkForChanges();
  expect(received).toEqual([]);
});

test("rules that two processes change at the same moment are both kept", async () => {
  const { user } = await server.add("ada");
  const { privacy } = server.accounts;
  await command.accounts.checkForChanges();
  await command.accounts.privacy.change(user, { pausedUntil: 5 });
  // This process has not heard of it yet.
  await privacy.change(user, { hiddenTitles: ["secret"] });
  await privacy.reload(undefined);
  expect(privacy.of(user.id)).toMatchObject({ pausedUntil: 5, hiddenTitles: ["secret"] });
  await privacy.change(user, { pausedUntil: null });
  await privacy.reload(undefined);
  expect(privacy.of(user.id)).toMatchObject({ pausedUntil: null, hiddenTitles: ["secret"] });
});

test("another user's keys and rules stay in memory", async () => {
  const ada = await server.add("ada");
  const grace = await server.add("grace");
  const { keys, privacy } = server.accounts;
  await privacy.change(grace.user, HIDDEN);
  const rules = privacy.of(grace.user.id);
  for (const { key } of [ada, grace]) await keys.holderOf(key);
  await command.accounts.privacy.change(ada.user, HIDDEN);
  await command.accounts.keys.add(ada.user, "bot");
  await server.accounts.checkForChanges();
  expect(keys.cachedHolderOf(ada.key)).toBe(undefined);
  expect(keys.cachedHolderOf(grace.key)?.user.name).toBe("grace");
  expect(privacy.of(ada.user.id)).toEqual(HIDDEN);
  expect(privacy.of(grace.user.id)).toBe(rules);
});

test("a look that is saved empties nobody's cached keys, and a key that ends still does", async () => {
  const { user, key } = await server.add("ada");
  const { keys } = server.accounts;
  const { keyId = "" } = (await keys.holderOf(key)) ?? {};
  await command.accounts.widgets.rotate(user);
  await server.accounts.checkForChanges();
  expect(keys.cachedHolderOf(key)?.keyId).toBe(keyId);
  await command.accounts.keys.revoke(user, keyId);
  await server.accounts.checkForChanges();
  expect(keys.cachedHolderOf(key)).toBe(undefined);
});

test("a change says which tables it concerns", async () => {
  const { user } = await server.add("ada");
  await server.accounts.checkForChanges();
  const followed: Change[] = [];
  server.accounts.onChange((change) => void followed.push(change));
  await command.accounts.widgets.rotate(user);
  await command.accounts.privacy.change(user, HIDDEN);
  await server.accounts.checkForChanges();
  const concerned = ["users", "api_keys", "widgets", "fonts", "connections", "privacy"] as const;
  const all = followed.flatMap(({ concerns }) => concerned.filter((table) => concerns(table)));
  expect(new Set(all)).toEqual(new Set(["widgets", "privacy"]));
});

test("a database holds no more of its changes than its users have tables", async () => {
  const { user } = await server.add("ada");
  await server.accounts.widgets.rotate(user);
  const count = () => server.store.queries.select().from(changes).all().length;
  const before = count();
  for (let at = 0; at < 20; at++) await server.accounts.widgets.rotate(user);
  expect(count()).toBe(before);
});

test("a key revoked by another process works no longer after a look", async () => {
  const { user, key } = await server.add("ada");
  const held = await server.accounts.keys.holderOf(key);
  await command.accounts.keys.revoke(user, held?.keyId ?? "");
  await server.accounts.checkForChanges();
  expect(await server.accounts.keys.holderOf(key)).toBe(undefined);
});

test("two processes that add users at the same moment give each the secrets that are theirs", async () => {
  const added = await Promise.all([server.add("ada"), command.add("grace")]);
  for (const { user, widgetToken } of added) {
    expect(await server.accounts.widgets.tokenOf(user)).toBe(widgetToken);
  }
  expect(added.map(({ user }) => user.role).toSorted()).toEqual(["member", "owner"]);
});

test("a rotation does not fail because another process writes at that moment", async () => {
  const { user } = await server.add("ada");
  const { store, vault, clock } = server;
  const other = new Database(join(folder.path, "marquee.db"));
  const wallMs = () => {
    try {
      other.run("INSERT OR REPLACE INTO server (id, checked_at) VALUES (1, 1)");
    } catch {
      // Whoever comes second has to wait.
    }
    return clock.wallMs();
  };
  const { keys } = await createAccounts({ store, vault, wallMs });
  const { key } = await keys.rotate(user, undefined, 0);
  expect((await keys.holderOf(key))?.user.name).toBe("ada");
  other.close();
});

test("a listener that fails does not keep a change from the others, and its error is thrown", async () => {
  server.accounts.onChange(() => Promise.reject(new Error("a listener failed")));
  const received = followedChanges();
  const [added] = await command.accounts.add(["ada"]);
  await expect(server.accounts.checkForChanges()).rejects.toThrow("a listener failed");
  expect(received).toContain(added?.user.id);
});

test("a change that a listener could not follow is followed again until it could", async () => {
  const { user } = await server.add("ada");
  const { user: other } = await server.add("grace");
  const followed: [number | undefined, boolean][] = [];
  let isFailing = true;
  server.accounts.onChange(({ userId, concerns }) => {
    if (isFailing && userId === user.id) throw new Error("a query was ended");
    followed.push([userId, concerns("privacy")]);
  });
  // It is stored, so the writer is not told that it failed.
  await server.accounts.privacy.change(user, HIDDEN);
  await expect(server.accounts.checkForChanges()).rejects.toThrow("a query was ended");
  await server.accounts.privacy.change(other, HIDDEN);
  expect(followed).toEqual([[other.id, true]]);
  isFailing = false;
  await server.accounts.checkForChanges();
  expect(followed.slice(1)).toEqual([[user.id, true]]);
  await server.accounts.checkForChanges();
  expect(followed).toHaveLength(2);
});
