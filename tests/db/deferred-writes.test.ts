import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { parseSessionToken } from "../../src/accounts/credential.ts";
import { createDeferredWrites } from "../../src/db/deferred-writes.ts";
import { apiKeys } from "../../src/db/schema.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

describe("a deferred write", () => {
  test("is done at once where nothing is in its way", async () => {
    const { write, waiting } = createDeferredWrites();
    let written = 0;
    await write("a", () => void (written += 1));
    expect(written).toBe(1);
    expect(waiting()).toBe(0);
  });

  test("that meets a lock says so, and is done with a later turn", async () => {
    const { write, retry, waiting } = createDeferredWrites();
    let locked = true;
    let written = 0;
    const tried = write("a", () => {
      if (locked) throw busy();
      written += 1;
    });
    await expect(tried).rejects.toThrow("locked");
    await retry();
    expect(waiting()).toBe(1);
    locked = false;
    await retry();
    expect([written, waiting()]).toEqual([1, 0]);
  });

  test("that is expected of some work is waited for until that ends, however it does", async () => {
    const { expect: expectWrite, waiting } = createDeferredWrites();
    const work = [Promise.withResolvers<number>(), Promise.withResolvers<number>()] as const;
    const [good, bad] = work.map(({ promise }) => expectWrite(promise));
    expect(waiting()).toBe(2);
    work[0].resolve(7);
    expect(await good).toBe(7);
    work[1].reject(new Error("no"));
    await expect(bad).rejects.toThrow("no");
    expect(waiting()).toBe(0);
  });

  test("gives way to a later one of its name", async () => {
    const { write, retry } = createDeferredWrites();
    let locked = true;
    const stored: string[] = [];
    const store = (text: string) => () => {
      if (locked) throw busy();
      stored.push(text);
    };
    await expect(write("a", store("first"))).rejects.toThrow("locked");
    await expect(write("a", store("second"))).rejects.toThrow("locked");
    locked = false;
    await retry();
    await write("a", store("third"));
    await retry();
    expect(stored).toEqual(["second", "third"]);
  });

  test("of a name that many call waits for the next calls, which it then stores too", async () => {
    const { writeSoon } = createDeferredWrites();
    let written = 0;
    const write = () => void (written += 1);
    await Promise.all(Array.from({ length: 50 }, () => writeSoon("a", write)));
    expect(written).toBe(1);
    const next = writeSoon("a", write);
    await new Promise<void>((resolve) => setImmediate(resolve));
    const later = writeSoon("a", write);
    await Promise.all([next, later]);
    expect(written).toBe(2);
  });

  test("that waits for its turn gives way to a later one of its name", async () => {
    const { writeSoon, waiting } = createDeferredWrites();
    const stored: string[] = [];
    const first = writeSoon("a", () => void stored.push("first"));
    await Promise.all([first, writeSoon("a", () => void stored.push("second"))]);
    expect(stored).toEqual(["second"]);
    expect(waiting()).toBe(0);
  });

  test("that waits for its turn is done by those who ask what is left", async () => {
    const { writeSoon, retry, waiting } = createDeferredWrites();
    let written = 0;
    const soon = writeSoon("a", () => void (written += 1));
    expect([written, waiting()]).toEqual([0, 1]);
    await retry();
    expect([written, waiting()]).toEqual([1, 0]);
    await soon;
    expect(written).toBe(1);
  });

  test("that can never succeed is not tried again", async () => {
    const { write, retry, waiting } = createDeferredWrites();
    let tries = 0;
    const tried = write("a", () => {
      tries += 1;
      throw new Error("no such table");
    });
    await expect(tried).rejects.toThrow("no such table");
    await retry();
    expect([tries, waiting()]).toEqual([1, 0]);
  });
});

describe("while another program writes to the database,", () => {
  let folder: ReturnType<typeof createDataFolder>;
  let foreign: Database;
  let server: TestAccounts;
  let ada: AddedUser;

  beforeEach(async () => {
    folder = createDataFolder();
    server = await createTestAccounts(folder.path);
    ada = await server.add("ada", { source: "mpd", settings: { token: "old" } });
    server.store.queries.run("PRAGMA busy_timeout = 0");
    foreign = new Database(join(folder.path, "marquee.db"));
  });
  afterEach(() => {
    foreign.close(true);
    server.store.close();
    folder.remove();
  });

  const lock = () => foreign.run("BEGIN IMMEDIATE");
  const unlock = () => foreign.run("COMMIT");
  const connection = async () => {
    const found = await onlyConnection(server.accounts.connections, ada.user.id);
    if (!found) throw new Error("ada is connected to nothing");
    return found;
  };

  test("how hooks and chats went is kept, and stored once it lets go", async () => {
    const { hooks, chat, retryWrites } = server.accounts;
    const settings = { url: "https://example.org/", events: [], action: null };
    const hook = await hooks.add(ada.user, settings);
    const account = { service: "twitch", login: "ada", channel: "ada", settings: {} } as const;
    const { id } = await chat.link(ada.user, account);
    const changed: (number | undefined)[] = [];
    server.accounts.onChange(({ userId }) => void changed.push(userId));
    lock();
    await expect(hooks.note(hook.id, { failures: 1, off: "gone" })).rejects.toThrow("locked");
    await expect(chat.note(id, { answeredAt: 5 })).rejects.toThrow("locked");
    unlock();
    expect(await retryWrites()).toBe(true);
    expect(hooks.allOf(ada.user.id)).toMatchObject([{ failures: 1, off: "gone" }]);
    expect(chat.allOf(ada.user.id)).toMatchObject([{ answeredAt: 5 }]);
    expect(changed).toContain(ada.user.id);
  });

  test("renewed settings are kept, and stored once it lets go", async () => {
    const { connections, retryWrites } = server.accounts;
    const { id } = await connection();
    lock();
    await expect(connections.storeSettings(id, { token: "renewed" })).rejects.toThrow();
    expect(await retryWrites()).toBe(false);
    unlock();
    expect(await retryWrites()).toBe(true);
    expect((await connection()).settings).toEqual({ token: "renewed" });
  });

  test("health, a refusal and an upstream's pause are kept too", async () => {
    const { connections, upstreams, retryWrites } = server.accounts;
    const { id } = await connection();
    lock();
    const tried = await Promise.allSettled([
      connections.storeStatus(id, { state: "ok", since: 7 }),
      connections.markRefused(id),
      upstreams.rememberPause("spotify", { from: 1, until: 2 }),
    ]);
    expect(tried.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    unlock();
    expect(await retryWrites()).toBe(true);
    expect(await connection()).toMatchObject({
      hasWorked: true,
      refusedAt: server.clock.wallMs(),
    });
    expect(upstreams.pauseOf("spotify")).toEqual({ from: 1, until: 2 });
  });

  test("somebody who is signed in stays so, and is noted as seen once it lets go", async () => {
    const { sessions, retryWrites } = server.accounts;
    const token = parseSessionToken(sessions.open(ada.user, "a browser"));
    if (!token) throw new Error("no session was opened");
    await server.clock.advance(3_600_000);
    lock();
    expect((await sessions.of(token))?.user.name).toBe("ada");
    unlock();
    expect(await retryWrites()).toBe(true);
    const [seen] = sessions.list(ada.user);
    expect(seen?.lastSeenAt).toBe(server.clock.wallMs());
  });

  test("the last use of a key is kept for the next flush", async () => {
    const { keys } = server.accounts;
    const [key] = keys.list(ada.user);
    keys.noteUse(key?.id ?? "");
    lock();
    await expect(keys.flushUses()).rejects.toThrow("locked");
    unlock();
    await keys.flushUses();
    const stored = server.store.queries.select().from(apiKeys).get();
    expect(stored?.lastUsedAt).toBe(server.clock.wallMs());
  });

  test("a base URL that has not changed is not written", async () => {
    server.accounts.rememberBaseUrl("http://127.0.0.1:4747");
    lock();
    server.accounts.rememberBaseUrl("http://127.0.0.1:4747");
    unlock();
  });
});
