import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createSessionToken, parseSessionToken } from "../../src/accounts/credential.ts";
import { SESSION_LIFETIME_MS } from "../../src/accounts/sessions.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import * as tables from "../../src/db/schema.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let world: TestAccounts;
let ada: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
});
afterEach(() => world.store.close());

const sessions = () => world.accounts.sessions;
const open = (userAgent = "Browser", user = ada) => sessions().open(user.user, userAgent);
type Token = Awaited<ReturnType<typeof open>>;
const nameOf = async (token: Token) => (await sessions().of(token))?.user.name;
const rows = () => world.store.queries.select().from(tables.sessions);
const idOf = async (token: Token) => (await sessions().of(token))?.session.id ?? "";

describe("a session's token", () => {
  test("opens what its user may see, and nobody else's", async () => {
    const grace = await world.add("grace");
    const adas = open();
    const graces = open("Browser", grace);
    expect(await nameOf(adas)).toBe("ada");
    expect(await nameOf(graces)).toBe("grace");
  });

  test("opens nothing when it was never issued", async () => {
    open();
    expect(await sessions().of(createSessionToken())).toBe(undefined);
  });

  test("is stored as its SHA-256 alone", async () => {
    const token = open();
    const [row] = await rows();
    const hash = new Bun.CryptoHasher("sha256").update(token).digest();
    expect(Buffer.from(row?.hash ?? []).equals(Buffer.from(hash))).toBe(true);
    const stored = JSON.stringify(row, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(token.slice(4, 36));
  });

  test("is not the session's public name, which opens nothing", async () => {
    const token = open();
    const id = await idOf(token);
    expect(token).not.toContain(id);
    expect(parseSessionToken(id)).toBe(undefined);
  });
});

describe("a session lives", () => {
  test("until 30 days have passed without a visit", async () => {
    const token = open();
    const { id } = (await rows())[0] ?? { id: "" };
    world.clock.setWallMs(START_MS + 30 * DAY_MS - 1);
    expect(sessions().isOpen(id)).toBe(true);
    expect(sessions().list(ada.user)).toHaveLength(1);
    world.clock.setWallMs(START_MS + 30 * DAY_MS);
    expect(sessions().isOpen(id)).toBe(false);
    expect(await nameOf(token)).toBe(undefined);
    expect(sessions().list(ada.user)).toEqual([]);
  });

  test("for 30 days more from each visit", async () => {
    const token = open();
    for (let visit = 1; visit <= 12; visit++) {
      world.clock.setWallMs(START_MS + visit * 29 * DAY_MS);
      expect(await nameOf(token)).toBe("ada");
    }
    world.clock.setWallMs(START_MS + 12 * 29 * DAY_MS + 30 * DAY_MS);
    expect(await nameOf(token)).toBe(undefined);
  });

  test("on, though not every visit is written down", async () => {
    const token = open();
    world.clock.setWallMs(START_MS + 10 * MINUTE_MS);
    await sessions().of(token);
    expect((await rows())[0]?.lastSeenAt).toBe(START_MS);
    world.clock.setWallMs(START_MS + 10 * MINUTE_MS + 1);
    await sessions().of(token);
    expect((await rows())[0]?.lastSeenAt).toBe(START_MS + 10 * MINUTE_MS + 1);
  });

  test("no more once its user is removed", async () => {
    const token = open();
    await world.accounts.users.remove("ada");
    expect(await nameOf(token)).toBe(undefined);
    expect(await rows()).toEqual([]);
  });

  test("and leaves no row behind: a later one that opens sweeps up those that ended", async () => {
    open();
    world.clock.setWallMs(START_MS + 31 * DAY_MS);
    open();
    expect(await rows()).toHaveLength(1);
  });
});

describe("the list of sessions", () => {
  test("has what each browser called itself and when it came, the latest seen first", async () => {
    const first = open("First");
    world.clock.setWallMs(START_MS + DAY_MS);
    open("Second");
    world.clock.setWallMs(START_MS + 2 * DAY_MS);
    await sessions().of(first);
    expect(sessions().list(ada.user)).toMatchObject([
      { userAgent: "First", createdAt: START_MS, lastSeenAt: START_MS + 2 * DAY_MS },
      { userAgent: "Second", createdAt: START_MS + DAY_MS, lastSeenAt: START_MS + DAY_MS },
    ]);
  });

  test("is the user's own", async () => {
    const grace = await world.add("grace");
    open("Hers", grace);
    expect(sessions().list(ada.user)).toEqual([]);
  });

  test("keeps no more than 300 characters of what a browser calls itself", async () => {
    open("x".repeat(10_000));
    expect(sessions().list(ada.user)[0]?.userAgent).toBe("x".repeat(300));
  });
});

describe("closing", () => {
  test("one session ends that one alone", async () => {
    const one = open();
    const other = open();
    await sessions().close(ada.user, await idOf(one));
    expect(await nameOf(one)).toBe(undefined);
    expect(await nameOf(other)).toBe("ada");
    expect(sessions().list(ada.user)).toHaveLength(1);
  });

  test("somebody else's session does nothing", async () => {
    const grace = await world.add("grace");
    const hers = open("Hers", grace);
    const id = await idOf(hers);
    await sessions().close(ada.user, id);
    expect(await nameOf(hers)).toBe("grace");
    expect(sessions().isOpen(id)).toBe(true);
  });

  test("a session that is not there does nothing", async () => {
    const token = open();
    await sessions().close(ada.user, "nothing");
    await sessions().close(ada.user, "");
    expect(await nameOf(token)).toBe("ada");
  });

  test("all ends every one of the user's and nobody else's", async () => {
    const grace = await world.add("grace");
    const adas = [open(), open(), open()];
    const hers = open("Hers", grace);
    await sessions().closeAll(ada.user);
    for (const token of adas) expect(await nameOf(token)).toBe(undefined);
    expect(sessions().list(ada.user)).toEqual([]);
    expect(await nameOf(hers)).toBe("grace");
  });
});

describe("a user who signs in a hundred times", () => {
  test("signs out the browser that was not seen for longest with the next one, and nobody else's", async () => {
    const grace = await world.add("grace");
    const graces = open("Browser", grace);
    const first = open();
    await world.clock.advance(1_000);
    const second = open();
    await world.clock.advance(SESSION_LIFETIME_MS / 2);
    expect(await nameOf(first)).toBe("ada");
    for (let count = 2; count < 100; count++) open();
    const next = open();
    expect([await nameOf(first), await nameOf(second), await nameOf(next)]).toEqual([
      "ada",
      undefined,
      "ada",
    ]);
    expect(sessions().list(ada.user)).toHaveLength(100);
    expect(await nameOf(graces)).toBe("grace");
  });
});
