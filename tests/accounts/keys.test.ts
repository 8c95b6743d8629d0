import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createApiKey } from "../../src/accounts/credential.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import * as tables from "../../src/db/schema.ts";

const HOUR_MS = 3_600_000;

let world: TestAccounts;
let ada: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
});
afterEach(() => world.store.close());

const keys = () => world.accounts.keys;
const holderName = async (key: AddedUser["key"]) => keys().holderOf(key)?.user.name;
const firstKeyId = async () =>
  keys()
    .list(ada.user)
    .find(({ name }) => name === "first key")?.id ?? "";

describe("the holder of a key", () => {
  test("is the user it was made for", async () => {
    const grace = await world.add("grace");
    expect(await holderName(ada.key)).toBe("ada");
    expect(await holderName(grace.key)).toBe("grace");
  });

  test("is nobody for a well-formed key that was never issued", async () => {
    expect(keys().holderOf(createApiKey())).toBe(undefined);
  });

  test("comes with the key's id", async () => {
    expect(keys().holderOf(ada.key)?.keyId).toBe(await firstKeyId());
  });

  test("is the same for every key of a user", async () => {
    const another = await keys().add(ada.user, "chat bot");
    expect(await holderName(another.key)).toBe("ada");
    expect(await holderName(ada.key)).toBe("ada");
  });

  test("is known in memory only after it was asked for", async () => {
    expect(keys().cachedHolderOf(ada.key)).toBe(undefined);
    keys().holderOf(ada.key);
    expect(keys().cachedHolderOf(ada.key)?.user.name).toBe("ada");
  });

  test("is answered from memory until that is forgotten", async () => {
    keys().holderOf(ada.key);
    await world.store.queries.delete(tables.apiKeys);
    expect(await holderName(ada.key)).toBe("ada");
    keys().forget();
    expect(await holderName(ada.key)).toBe(undefined);
  });

  test("is nobody once the user is removed, even where it was in memory", async () => {
    keys().holderOf(ada.key);
    await world.accounts.users.remove("ada");
    expect(await holderName(ada.key)).toBe(undefined);
  });
});

describe("a revoked key", () => {
  test("works no longer, even where its holder was in memory", async () => {
    keys().holderOf(ada.key);
    await keys().revoke(ada.user, await firstKeyId());
    expect(await holderName(ada.key)).toBe(undefined);
  });

  test("works never again when the clock is set back", async () => {
    const another = await keys().add(ada.user, "chat bot");
    const issued = await keys().rotate(ada.user, another.id, 0);
    await keys().revoke(ada.user, await firstKeyId());
    world.clock.setWallMs(START_MS - HOUR_MS);
    expect(await holderName(ada.key)).toBe(undefined);
    expect(await holderName(another.key)).toBe(undefined);
    expect(await holderName(issued.key)).toBe("ada");
    const ends = keys()
      .list(ada.user)
      .map(({ revokedAt }) => revokedAt);
    expect(ends).toEqual([START_MS - HOUR_MS, START_MS - HOUR_MS, null]);
  });

  test("leaves the others working", async () => {
    const another = await keys().add(ada.user, "chat bot");
    await keys().revoke(ada.user, await firstKeyId());
    expect(await holderName(another.key)).toBe("ada");
  });

  test("stays on the list with the time of its end", async () => {
    await keys().revoke(ada.user, await firstKeyId());
    expect(keys().list(ada.user)).toMatchObject([{ name: "first key", revokedAt: START_MS }]);
  });

  test("cannot be revoked again", async () => {
    const id = await firstKeyId();
    await keys().revoke(ada.user, id);
    await expect(keys().revoke(ada.user, id)).rejects.toMatchObject({ reason: "key.unknown" });
  });
});

describe("revoking", () => {
  test("an unknown id is an error that names it", async () => {
    const revoking = keys().revoke(ada.user, "nothing1");
    await expect(revoking).rejects.toMatchObject({ reason: "key.unknown" });
  });

  test("another user's key is an error and leaves it working", async () => {
    const grace = await world.add("grace");
    const [hers] = keys().list(grace.user);
    await expect(keys().revoke(ada.user, hers?.id ?? "")).rejects.toMatchObject({
      reason: "key.unknown",
    });
    expect(await holderName(grace.key)).toBe("grace");
  });
});

describe("rotating a key", () => {
  test("without grace ends the old one at once", async () => {
    keys().holderOf(ada.key);
    const issued = await keys().rotate(ada.user, undefined, 0);
    expect(await holderName(ada.key)).toBe(undefined);
    expect(await holderName(issued.key)).toBe("ada");
  });

  test("with grace lets both work until it ends, and then the new one alone", async () => {
    const issued = await keys().rotate(ada.user, undefined, HOUR_MS);
    await world.clock.advance(HOUR_MS - 1);
    expect(await holderName(ada.key)).toBe("ada");
    expect(await holderName(issued.key)).toBe("ada");
    await world.clock.advance(1);
    expect(await holderName(ada.key)).toBe(undefined);
    expect(keys().cachedHolderOf(ada.key)).toBe(undefined);
    expect(await holderName(issued.key)).toBe("ada");
  });

  test("with grace ends the old one for good, even when the clock is set back after it", async () => {
    const issued = await keys().rotate(ada.user, undefined, HOUR_MS);
    await keys().endReplaced();
    expect(await holderName(ada.key)).toBe("ada");
    await world.clock.advance(HOUR_MS);
    await keys().endReplaced();
    world.clock.setWallMs(START_MS);
    expect(keys().cachedHolderOf(ada.key)).toBe(undefined);
    expect(await holderName(ada.key)).toBe(undefined);
    expect(await holderName(issued.key)).toBe("ada");
  });

  test("keeps its name under a fresh id", async () => {
    const bot = await keys().add(ada.user, "chat bot");
    const issued = await keys().rotate(ada.user, bot.id, 0);
    expect(issued.id).not.toBe(bot.id);
    const record = keys()
      .list(ada.user)
      .find(({ id }) => id === issued.id);
    expect(record?.name).toBe("chat bot");
  });

  test("needs its id when the user has several, and changes nothing without it", async () => {
    const another = await keys().add(ada.user, "chat bot");
    await expect(keys().rotate(ada.user, undefined, 0)).rejects.toMatchObject({
      reason: "key.several",
      isMisuse: true,
    });
    expect(await holderName(ada.key)).toBe("ada");
    expect(await holderName(another.key)).toBe("ada");
    expect(keys().list(ada.user)).toHaveLength(2);
  });

  test("needs no id when the user's other keys have ended", async () => {
    const first = await keys().rotate(ada.user, undefined, 0);
    const second = await keys().rotate(ada.user, undefined, 0);
    expect(await holderName(first.key)).toBe(undefined);
    expect(await holderName(second.key)).toBe("ada");
  });

  test("in its grace does not prolong it", async () => {
    const oldId = await firstKeyId();
    await keys().rotate(ada.user, oldId, HOUR_MS);
    await keys().rotate(ada.user, oldId, 24 * HOUR_MS);
    await world.clock.advance(HOUR_MS);
    expect(await holderName(ada.key)).toBe(undefined);
  });

  test("by an unknown id is an error", async () => {
    await expect(keys().rotate(ada.user, "nothing1", 0)).rejects.toMatchObject({
      reason: "key.unknown",
    });
  });

  test("by another user's id is an error and leaves that key working", async () => {
    const grace = await world.add("grace");
    const [hers] = keys().list(grace.user);
    await expect(keys().rotate(ada.user, hers?.id, 0)).rejects.toMatchObject({
      reason: "key.unknown",
    });
    expect(await holderName(grace.key)).toBe("grace");
  });

  test("is an error when the user has none left", async () => {
    await keys().revoke(ada.user, await firstKeyId());
    await expect(keys().rotate(ada.user, undefined, 0)).rejects.toMatchObject({
      reason: "key.none",
    });
  });
});

describe("fifty working keys", () => {
  const fill = async () => {
    while (keys().list(ada.user).length < 50) await keys().add(ada.user, "bot");
  };

  test("are the most a user can have, and the error says what to do", async () => {
    await fill();
    const adding = keys().add(ada.user, "one more");
    await expect(adding).rejects.toMatchObject({ reason: "key.tooMany" });
    expect(keys().list(ada.user)).toHaveLength(50);
    expect(await holderName(ada.key)).toBe("ada");
  });

  test("of one user leave another free to make keys", async () => {
    const grace = await world.add("grace");
    await fill();
    expect(await holderName((await keys().add(grace.user, "bot")).key)).toBe("grace");
  });

  test("make room when one is revoked", async () => {
    await fill();
    await keys().revoke(ada.user, await firstKeyId());
    expect(await holderName((await keys().add(ada.user, "bot")).key)).toBe("ada");
    await expect(keys().add(ada.user, "bot")).rejects.toMatchObject({ reason: "key.tooMany" });
  });

  test("can each be replaced at once, but not with a grace in which there would be more", async () => {
    await fill();
    const id = await firstKeyId();
    await expect(keys().rotate(ada.user, id, HOUR_MS)).rejects.toMatchObject({
      reason: "key.tooMany",
    });
    expect(await holderName(ada.key)).toBe("ada");
    expect(await holderName((await keys().rotate(ada.user, id, 0)).key)).toBe("ada");
    expect(await holderName(ada.key)).toBe(undefined);
  });

  test("count those whose grace has not ended", async () => {
    await keys().rotate(ada.user, undefined, HOUR_MS);
    await fill();
    await expect(keys().add(ada.user, "bot")).rejects.toMatchObject({ reason: "key.tooMany" });
    await world.clock.advance(HOUR_MS);
    expect(await holderName((await keys().add(ada.user, "bot")).key)).toBe("ada");
  });
});

describe("revoked keys", () => {
  const makeAndRevoke = async (name: string) => {
    const { id } = await keys().add(ada.user, name);
    await keys().revoke(ada.user, id);
    await world.clock.advance(1_000);
  };
  const revokedNames = async () =>
    keys()
      .list(ada.user)
      .filter(({ revokedAt }) => revokedAt)
      .map(({ name }) => name);

  test("are forgotten but for the latest fifty", async () => {
    for (let at = 0; at < 60; at++) await makeAndRevoke(`bot ${at}`);
    await keys().add(ada.user, "last");
    expect(await revokedNames()).toEqual(Array.from({ length: 50 }, (_, at) => `bot ${at + 10}`));
    expect(await holderName(ada.key)).toBe("ada");
  });

  test("are forgotten after ninety days, and those of others are not touched", async () => {
    const grace = await world.add("grace");
    const [hers] = keys().list(grace.user);
    await keys().revoke(grace.user, hers?.id ?? "");
    await makeAndRevoke("old");
    await world.clock.advance(89 * 24 * HOUR_MS);
    await makeAndRevoke("young");
    expect(await revokedNames()).toEqual(["old", "young"]);
    await world.clock.advance(24 * HOUR_MS);
    await keys().add(ada.user, "bot");
    expect(await revokedNames()).toEqual(["young"]);
    expect(keys().list(grace.user)).toHaveLength(1);
  });
});

describe("the list of keys", () => {
  test("is that of one user alone, oldest first", async () => {
    await world.add("grace");
    await world.clock.advance(1_000);
    await keys().add(ada.user, "chat bot");
    const list = keys().list(ada.user);
    expect(list).toMatchObject([
      { name: "first key", createdAt: START_MS, lastUsedAt: null, revokedAt: null },
      { name: "chat bot", createdAt: START_MS + 1_000, lastUsedAt: null, revokedAt: null },
    ]);
  });
});

describe("the last use of a key", () => {
  const lastUsedAt = () => world.store.queries.select().from(tables.apiKeys).get()?.lastUsedAt;

  test("is listed before it is written", async () => {
    keys().noteUse(await firstKeyId());
    expect(keys().list(ada.user)[0]?.lastUsedAt).toBe(START_MS);
    expect(lastUsedAt()).toBe(null);
  });

  test("is written with the next flush", async () => {
    keys().noteUse(await firstKeyId());
    expect(lastUsedAt()).toBe(null);
    await keys().flushUses();
    expect(lastUsedAt()).toBe(START_MS);
  });

  test("is the latest of several", async () => {
    keys().noteUse(await firstKeyId());
    await world.clock.advance(5_000);
    keys().noteUse(await firstKeyId());
    await keys().flushUses();
    expect(lastUsedAt()).toBe(START_MS + 5_000);
  });

  test("is not written again by a flush without a use", async () => {
    keys().noteUse(await firstKeyId());
    await keys().flushUses();
    const { queries } = world.store;
    await queries
      .update(tables.apiKeys)
      .set({ lastUsedAt: 1 })
      .where(eq(tables.apiKeys.userId, ada.user.id));
    await keys().flushUses();
    expect(lastUsedAt()).toBe(1);
  });

  test("of a key that is gone does not keep the others from being written", async () => {
    keys().noteUse("gone");
    keys().noteUse(await firstKeyId());
    await keys().flushUses();
    expect(lastUsedAt()).toBe(START_MS);
  });

  test("is written in parts, between which others are answered", async () => {
    for (let other = 0; other < 200; other++) keys().noteUse(`other ${other}`);
    keys().noteUse(await firstKeyId());
    const flushed = keys().flushUses();
    expect(lastUsedAt()).toBe(null);
    await flushed;
    expect(lastUsedAt()).toBe(START_MS);
  });
});
