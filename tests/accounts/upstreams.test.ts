import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAccounts } from "../../src/accounts/accounts.ts";
import { createVault } from "../../src/vault/vault.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import * as tables from "../../src/db/schema.ts";

const APP = { clientId: "0123456789abcdef", clientSecret: "swordfish-of-the-app" };
const PAUSE = { from: START_MS, until: START_MS + 48_925_000 };

let world: TestAccounts;

beforeEach(async () => {
  world = await createTestAccounts();
});
afterEach(() => world.store.close());

const upstreams = () => world.accounts.upstreams;

describe("the app of an upstream", () => {
  test("is unknown until it is entered, and then what was entered", async () => {
    expect(upstreams().appOf("spotify")).toBe(undefined);
    await upstreams().enterApp("spotify", APP);
    expect(upstreams().appOf("spotify")).toEqual(APP);
  });

  test("does without a secret", async () => {
    await upstreams().enterApp("spotify", { ...APP, clientSecret: null });
    expect(upstreams().appOf("spotify")).toEqual({ ...APP, clientSecret: null });
  });

  test("is replaced by another", async () => {
    await upstreams().enterApp("spotify", APP);
    await upstreams().enterApp("spotify", { clientId: "another", clientSecret: null });
    expect(upstreams().appOf("spotify")).toEqual({ clientId: "another", clientSecret: null });
    expect(await world.store.queries.select().from(tables.upstreams)).toHaveLength(1);
  });

  test("is that upstream's alone", async () => {
    await upstreams().enterApp("spotify", APP);
    expect(upstreams().appOf("another")).toBe(undefined);
  });

  test("does not open under another key, which is logged once", async () => {
    await upstreams().enterApp("spotify", APP);
    expect(upstreams().appOf("spotify")).toEqual(APP);
    const logged: unknown[] = [];
    const other = createAccounts({
      store: world.store,
      vault: createVault(Buffer.alloc(32, 8).toString("base64")),
      wallMs: world.clock.wallMs,
      log: { error: (message, fields) => void logged.push([message, fields]) },
    });
    expect(other.upstreams.appOf("spotify")).toBe(undefined);
    expect(other.upstreams.appOf("spotify")).toBe(undefined);
    const message = "the stored app of a service is damaged: enter it again";
    expect(logged).toEqual([[message, { source: "spotify" }]]);
  });
});

describe("the pause that an upstream asked for", () => {
  test("is remembered with its beginning and its end", async () => {
    expect(upstreams().pauseOf("spotify")).toBe(undefined);
    await upstreams().rememberPause("spotify", PAUSE);
    expect(upstreams().pauseOf("spotify")).toEqual(PAUSE);
  });

  test("is the last one", async () => {
    await upstreams().rememberPause("spotify", PAUSE);
    const later = { from: PAUSE.until, until: PAUSE.until + 5_000 };
    await upstreams().rememberPause("spotify", later);
    expect(upstreams().pauseOf("spotify")).toEqual(later);
  });

  test("leaves the app as it is, and the app leaves it", async () => {
    await upstreams().enterApp("spotify", APP);
    await upstreams().rememberPause("spotify", PAUSE);
    expect(upstreams().appOf("spotify")).toEqual(APP);
    await upstreams().enterApp("spotify", { ...APP, clientId: "another" });
    expect(upstreams().pauseOf("spotify")).toEqual(PAUSE);
  });

  test("alone is no app", async () => {
    await upstreams().rememberPause("spotify", PAUSE);
    expect(upstreams().appOf("spotify")).toBe(undefined);
  });
});
