import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ReportedStatus,
  FAILURE_REASONS,
  statusAt,
} from "../../src/music/connection-status.ts";
import { consentWarning } from "../../src/music/consent.ts";
import { createAccounts } from "../../src/accounts/accounts.ts";
import type { SettingsChange } from "../../src/music/settings-writes.ts";
import type { User } from "../../src/accounts/users.ts";
import type { Store } from "../../src/db/store.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { settle, START_MS } from "../fixtures/clock/fake-clock.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

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

let folder: ReturnType<typeof createTempFolder>;
let world: TestAccounts;
let ada: User;

beforeEach(async () => {
  folder = createTempFolder();
  world = await createTestAccounts(folder.path);
  ada = (await world.add("ada", { source: "spotify", settings: { refreshToken: "first" } })).user;
});
afterEach(async () => {
  await world.store.close();
  folder.remove();
});

const connections = () => world.accounts.connections;
const storedStatuses = async () =>
  world.store.queries.select().from(world.store.tables.connectionStatuses);
const connection = async () => {
  const found = await onlyConnection(connections(), ada.id);
  if (!found) throw new Error("ada is not connected");
  return found;
};
const health = async () => connections().statusOf(await connection());
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
    expect(hers && (await connections().statusOf(hers))).toEqual({ state: "untried" });
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

describe("settings that a source changes", () => {
  const ROTATED = "AQ-rotated-in-plain-sight-0123456789";
  const stored = (refreshToken: string | null, isRefused = false): SettingsChange => ({
    settings: { refreshToken },
    isRefused,
  });
  const change = async (settings: SettingsChange, id?: number) =>
    connections().changeSettings(id ?? (await connection()).id, () => settings);

  /** Another node on the same database. Before it writes, something else happens. */
  const nodeThatIsLate = async (before: () => Promise<unknown>) => {
    let isFirst = true;
    const store: Store = {
      ...world.store,
      async inBackground(build) {
        if (isFirst) await before();
        isFirst = false;
        return world.store.inBackground(build);
      },
    };
    const { vault, clock } = world;
    return (await createAccounts({ store, vault, wallMs: clock.wallMs })).connections;
  };

  test("replace the connection's, which stays the same one", async () => {
    const { id } = await connection();
    expect(await change(stored(ROTATED))).toEqual({ refreshToken: ROTATED });
    expect(await connection()).toMatchObject({ id, settings: { refreshToken: ROTATED } });
  });

  test("are those that it left, if it left them", async () => {
    const { id, settings } = await connection();
    expect(await connections().changeSettings(id, () => undefined)).toEqual(settings);
    expect(await connection()).toMatchObject({ id, settings });
  });

  test("leave the status as it is, and say whether they are refused", async () => {
    await note({ state: "ok", since: START_MS });
    await change(stored(ROTATED));
    expect(await health()).toEqual({ state: "ok", since: START_MS });
    await change(stored(null, true));
    expect(await connection()).toMatchObject({ refusedAt: START_MS });
    await world.clock.advance(1_000);
    await change(stored(null, true));
    expect(await connection()).toMatchObject({ refusedAt: START_MS });
    await change(stored(ROTATED));
    expect(await health()).toEqual({ state: "ok", since: START_MS });
  });

  test("of a connection that is gone come to nothing", async () => {
    const { id } = await connection();
    await connections().connect(ada, "spotify", { refreshToken: "second" });
    expect(await change(stored(ROTATED), id)).toBe(undefined);
    expect(await connection()).toMatchObject({ settings: { refreshToken: "second" } });
    await connections().disconnect(ada, "all");
    await change(stored(ROTATED), id);
    expect(await onlyConnection(connections(), ada.id)).toBe(undefined);
  });

  test("are made from the newer ones that another node stores at this moment", async () => {
    const { id } = await connection();
    const late = await nodeThatIsLate(() => change(stored("another node's")));
    const seen: unknown[] = [];
    const after = await late.changeSettings(id, (settings) => {
      seen.push(settings);
      return seen.length === 1 ? stored("too late") : undefined;
    });
    expect(seen).toEqual([expect.anything(), { refreshToken: "another node's" }]);
    expect(after).toEqual({ refreshToken: "another node's" });
    expect(await connection()).toMatchObject({ settings: after });
  });

  test("end a refusal that another node stores at this moment", async () => {
    const { id, settings } = await connection();
    const late = await nodeThatIsLate(() => connections().refuse(id, settings));
    await late.changeSettings(id, () => stored(ROTATED));
    expect(await connection()).toMatchObject({
      refusedAt: null,
      settings: { refreshToken: ROTATED },
    });
  });

  test("come to nothing when the user links again at this moment", async () => {
    const { id } = await connection();
    const late = await nodeThatIsLate(() =>
      connections().connect(ada, "spotify", { refreshToken: "second" }),
    );
    expect(await late.changeSettings(id, () => stored(ROTATED))).toBe(undefined);
    expect(await connection()).toMatchObject({ settings: { refreshToken: "second" } });
  });

  test("lose nothing when fifty change them at once", async () => {
    const { id } = await connection();
    await change({ settings: { count: 0 }, isRefused: false });
    const others = await Promise.all(Array.from({ length: 5 }, () => nodeThatIsLate(settle)));
    const changes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        others[index % others.length]?.changeSettings(id, (settings) => ({
          settings: { count: Number(Object(settings).count) + 1 },
          isRefused: false,
        })),
      ),
    );
    // Of those that one node has begun, the last one counts, and the others say that they do not.
    const { settings } = await connection();
    expect(Number(Object(settings).count)).toBe(others.length);
    const stored = changes.filter(({ status }) => status === "fulfilled");
    expect(stored).toHaveLength(others.length);
  });

  test("are refused only as long as they are stored", async () => {
    const { id, settings } = await connection();
    const late = await nodeThatIsLate(() => change(stored(ROTATED)));
    expect(await late.refuse(id, settings)).toBe(false);
    expect(await connections().refuse(id, settings)).toBe(false);
    expect(await connection()).toMatchObject({ refusedAt: null });
    expect(await connections().refuse(id, { refreshToken: ROTATED })).toBe(true);
    expect(await connection()).toMatchObject({ refusedAt: START_MS });
    // Whatever they are by now: the user has to connect again.
    await change(stored(null, true));
    expect(await connections().refuse(id, settings)).toBe(true);
    await connections().disconnect(ada, "all");
    expect(await connections().refuse(id, settings)).toBe(true);
  });

  test("lie in no file of the data folder as they are", async () => {
    const { id } = await connection();
    await connections().connect(ada, "spotify", { refreshToken: `${ROTATED}-linked` });
    await change(stored(ROTATED), id);
    await change(stored(ROTATED));
    world.file.copyTo(join(folder.path, "backup.db"));
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
