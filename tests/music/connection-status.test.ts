import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ReportedStatus,
  FAILURE_REASONS,
  statusAt,
} from "../../src/music/connection-status.ts";
import { consentWarning } from "../../src/music/consent.ts";
import type { User } from "../../src/accounts/users.ts";
import { copyDatabase } from "../../src/db/copy.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";
import * as tables from "../../src/db/schema.ts";

const DAY_MS = 86_400_000;

test("a pause that has ended is over, even if nobody has listened since", () => {
  const limited = { state: "limited", since: START_MS, until: START_MS + 1_000 } as const;
  expect(statusAt(limited, START_MS + 999)).toBe(limited);
  expect(statusAt(limited, START_MS + 1_000)).toEqual({ state: "ok", since: START_MS + 1_000 });
});

describe("the warning that a consent ends", () => {
  test.each([
    [31, "none"],
    [30, "month"],
    [8, "month"],
    [7, "week"],
    [1, "week"],
    [0, "week"],
    [-1, "week"],
    [-100, "week"],
  ] as const)("with %i days left is %p", (daysLeft, warning) => {
    expect(consentWarning(START_MS + daysLeft * DAY_MS, START_MS)).toBe(warning);
  });

  test("begins to the millisecond", () => {
    expect(consentWarning(START_MS + 30 * DAY_MS + 1, START_MS)).toBe("none");
    expect(consentWarning(START_MS + 7 * DAY_MS + 1, START_MS)).toBe("month");
  });

  test("is none where consent does not end by itself", () => {
    expect(consentWarning(null, START_MS)).toBe("none");
  });
});

let folder: ReturnType<typeof createDataFolder>;
let world: TestAccounts;
let ada: User;

beforeEach(async () => {
  folder = createDataFolder();
  world = await createTestAccounts(folder.path);
  ada = (await world.add("ada", { source: "spotify", settings: { refreshToken: "first" } })).user;
});
afterEach(async () => {
  world.store.close();
  folder.remove();
});

const connections = () => world.accounts.connections;
const storedStatuses = async () => world.store.queries.select().from(tables.connectionStatuses);
const connection = async () => {
  const found = await onlyConnection(connections(), ada.id);
  if (!found) throw new Error("ada is not connected");
  return found;
};
const health = async () => (await connection()).status;
const note = async (observed: ReportedStatus) =>
  connections().storeStatus((await connection()).id, observed);

describe("the status of a connection", () => {
  test("is untried at first", async () => {
    expect(await health()).toEqual({ state: "untried" });
  });

  const OBSERVED: readonly ReportedStatus[] = [
    { state: "ok", since: START_MS },
    { state: "limited", since: START_MS, until: START_MS + 5_000 },
    ...FAILURE_REASONS.map((reason) => ({ state: "retrying", since: START_MS, reason }) as const),
  ];
  test.each(OBSERVED)("is what was noted last: %j", async (observed) => {
    await note({ state: "limited", since: START_MS - 9, until: START_MS - 1 });
    await note({ state: "retrying", since: START_MS - 1, reason: "unreachable" });
    await note(observed);
    expect(await health()).toEqual(observed);
  });

  test("is one row a connection", async () => {
    await note({ state: "ok", since: START_MS });
    await note({ state: "ok", since: START_MS + 1 });
    expect(await storedStatuses()).toHaveLength(1);
  });

  test("is a refusal once there was one, whatever was noted before or after", async () => {
    await note({ state: "ok", since: START_MS });
    await world.clock.advance(1_000);
    await connections().markRefused((await connection()).id);
    await note({ state: "retrying", since: START_MS + 2_000, reason: "unreachable" });
    expect(await health()).toEqual({ state: "needsLinking", since: START_MS + 1_000 });
  });

  test("is untried again after connecting again", async () => {
    await note({ state: "ok", since: START_MS });
    await connections().markRefused((await connection()).id);
    await connections().connect(ada, "spotify", { refreshToken: "second" });
    expect(await health()).toEqual({ state: "untried" });
  });

  test("is the connection's own", async () => {
    const grace = await world.add("grace", { source: "spotify", settings: {} });
    await note({ state: "limited", since: START_MS, until: START_MS + 5_000 });
    const hers = await onlyConnection(connections(), grace.user.id);
    expect(hers?.status).toEqual({ state: "untried" });
  });

  test("cannot be noted of a connection that is gone", async () => {
    const { id } = await connection();
    await connections().disconnect(ada, "all");
    await connections().storeStatus(id, { state: "ok", since: START_MS });
    expect(await storedStatuses()).toEqual([]);
  });

  test("noted late, of a connection that was replaced, is not the new one's", async () => {
    const { id } = await connection();
    await connections().connect(ada, "spotify", { refreshToken: "second" });
    await connections().storeStatus(id, { state: "ok", since: START_MS });
    expect(await health()).toEqual({ state: "untried" });
  });

  test("goes with its connection", async () => {
    await note({ state: "ok", since: START_MS });
    await connections().disconnect(ada, "all");
    expect(await storedStatuses()).toEqual([]);
  });
});

describe("settings that a source stores", () => {
  const ROTATED = "AQ-rotated-in-plain-sight-0123456789";
  const store = async (refreshToken: string | null, id?: number) =>
    connections().storeSettings(id ?? (await connection()).id, { refreshToken });

  test("replace the connection's, which stays the same one", async () => {
    const { id } = await connection();
    await store(ROTATED);
    expect(await connection()).toMatchObject({ id, settings: { refreshToken: ROTATED } });
  });

  test("leave the status as it is, and a refusal too", async () => {
    await note({ state: "ok", since: START_MS });
    await store(ROTATED);
    expect(await health()).toEqual({ state: "ok", since: START_MS });
    await connections().markRefused((await connection()).id);
    expect(await connection()).toMatchObject({ refusedAt: START_MS });
    await world.clock.advance(1_000);
    await store(null);
    await connections().markRefused((await connection()).id);
    expect(await connection()).toMatchObject({ refusedAt: START_MS });
  });

  test("of a connection that is gone come to nothing", async () => {
    const { id } = await connection();
    await connections().connect(ada, "spotify", { refreshToken: "second" });
    await store(ROTATED, id);
    expect(await connection()).toMatchObject({ settings: { refreshToken: "second" } });
    await connections().disconnect(ada, "all");
    await store(ROTATED, id);
    expect(await onlyConnection(connections(), ada.id)).toBe(undefined);
  });

  test("count in the order in which they were given", async () => {
    const { id } = await connection();
    await Promise.all(Array.from({ length: 50 }, (_, index) => store(`token ${index}`, id)));
    expect((await connection()).settings).toEqual({ refreshToken: "token 49" });
  });

  test("lie in no file of the data folder as they are", async () => {
    const { id } = await connection();
    await connections().connect(ada, "spotify", { refreshToken: `${ROTATED}-linked` });
    await store(ROTATED, id);
    await store(ROTATED);
    copyDatabase(join(folder.path, "marquee.db"), join(folder.path, "backup.db"));
    const files = readdirSync(folder.path);
    expect(files).toContain("marquee.db-wal");
    for (const file of files) {
      const bytes = readFileSync(join(folder.path, file)).toString("latin1");
      expect({ file, holds: /AQ-rotated|refreshToken/.test(bytes) }).toEqual({
        file,
        holds: false,
      });
    }
  });
});
