import { describe, expect, test } from "bun:test";
import { type Change, createChanges } from "../../src/db/changes.ts";
import { users } from "../../src/db/schema.ts";
import { openMemoryStore } from "../fixtures/data/memory-store.ts";

describe("a change", () => {
  test("names whose data it is about, and what", async () => {
    const { onChange, publish } = createChanges();
    const seen: Change[] = [];
    onChange((change) => void seen.push(change));
    await publish({ userId: 7, what: "widgets" });
    await publish({ what: "upstreams" });
    expect(seen.map(({ userId }) => userId)).toEqual([7, undefined]);
    expect(seen.map(({ concerns }) => concerns("keys", "widgets"))).toEqual([true, false]);
  });

  test("is followed by all, one after the other, before the writer goes on", async () => {
    const { onChange, publish } = createChanges();
    const order: string[] = [];
    onChange(async () => {
      await Promise.resolve();
      order.push("first");
    });
    onChange(() => void order.push("second"));
    await publish({ userId: 1, what: "keys" });
    expect(order).toEqual(["first", "second"]);
  });

  test("that one listener cannot follow is followed by the others, and later again", async () => {
    const { onChange, publish, followMissed } = createChanges();
    const followed: [number | undefined, boolean][] = [];
    let isFailing = true;
    onChange(({ userId, concerns }) => {
      if (isFailing && userId === 1) throw new Error("a query failed");
      followed.push([userId, concerns("privacy")]);
    });
    const others: (number | undefined)[] = [];
    onChange(({ userId }) => void others.push(userId));
    // It is stored, so the writer is not told that it failed.
    await publish({ userId: 1, what: "privacy" });
    await publish({ userId: 2, what: "privacy" });
    expect(others).toEqual([1, 2]);
    await expect(followMissed()).rejects.toThrow("a query failed");
    expect(followed).toEqual([[2, true]]);
    isFailing = false;
    await followMissed();
    expect(followed.slice(1)).toEqual([[1, true]]);
    await followMissed();
    expect(followed).toHaveLength(2);
  });
});

describe("a write", () => {
  const ada = { name: "ada", role: "owner", createdAt: 1 } as const;

  test("is stored whole or not at all, and nobody hears of one that failed", async () => {
    const store = openMemoryStore();
    const heard: unknown[] = [];
    store.onChange(({ userId }) => void heard.push(userId));
    const twoOwners = store.write({ userId: 1, what: "users" }, (tx) => {
      tx.insert(users).values(ada).run();
      tx.insert(users)
        .values({ ...ada, name: "grace" })
        .run();
    });
    await expect(twoOwners).rejects.toThrow();
    expect(store.queries.select().from(users).all()).toEqual([]);
    expect(heard).toEqual([]);
    store.close();
  });

  test("is done when the call returns, and followed when its promise resolves", async () => {
    const store = openMemoryStore();
    const heard: unknown[] = [];
    store.onChange(async ({ userId }) => {
      await Promise.resolve();
      heard.push(userId);
    });
    const written = store.write({ userId: 1, what: "users" }, (tx) =>
      tx.insert(users).values(ada).returning({ id: users.id }).get(),
    );
    expect(store.hasUsers()).toBe(true);
    expect(heard).toEqual([]);
    expect(await written).toEqual({ id: 1 });
    expect(heard).toEqual([1]);
    store.close();
  });
});
