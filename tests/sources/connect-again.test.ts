import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createVault, type Vault } from "../../src/vault/vault.ts";
import type { Store } from "../../src/db/store.ts";
import { connections as connectionsTable } from "../../src/db/schema.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { onlyWorkingId } from "../fixtures/data/connections.ts";

// What is stored of a connection and cannot be used has one meaning wherever it is met: the user
// has to connect again, as after a refusal.

const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
const PURPOSE = "connection-settings";

/** What may be stored in place of an MPD connection's settings. */
const UNUSABLE: Readonly<Record<string, (vault: Vault, userId: number) => Buffer>> = {
  "another version's settings": (vault, userId) => vault.seal(PURPOSE, userId, '{"address":7}'),
  "an address that is not taken any more": (vault, userId) =>
    vault.seal(PURPOSE, userId, '{"address":"two words"}'),
  "no JSON": (vault, userId) => vault.seal(PURPOSE, userId, "{"),
  "bytes that were altered": (vault, userId) => {
    const sealed = vault.seal(PURPOSE, userId, "{}");
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    return sealed;
  },
  "another user's bytes": (vault, userId) => vault.seal(PURPOSE, userId + 1, "{}"),
  "bytes under another key": (_, userId) => createVault(OTHER_KEY).seal(PURPOSE, userId, "{}"),
  "nothing at all": () => Buffer.alloc(0),
};

const unusable = (how: string) => UNUSABLE[how] ?? (() => Buffer.alloc(0));

const put = (store: Store, userId: number, sealedSettings: Buffer) =>
  store.queries
    .update(connectionsTable)
    .set({ sealedSettings })
    .where(eq(connectionsTable.userId, userId))
    .run();

const HOUR_MS = 3_600_000;
const words = languages.en.dashboard;
const AGAIN = fill(words.health.needsLinking, { source: "MPD" });

describe("a connection that cannot be used", () => {
  let server: TestServer;
  let ada: AddedUser;
  let grace: AddedUser;
  let browser: SignedIn;

  beforeEach(async () => {
    server = await createTestServer({ realSources: true, settings: { rateLimitSeconds: "0" } });
    ada = await server.addUser("ada", false);
    grace = await server.addUser("grace", false);
    const { connections } = server.accounts;
    await connections.connect(grace.user, "demo", null);
    await connections.connect(ada.user, "mpd", { address: "127.0.0.1:1" });
    const id = (await onlyWorkingId(connections, ada.user.id)) ?? 0;
    await connections.storeStatus(id, { state: "ok", since: server.clock.wallMs() });
    await damage("no JSON");
    browser = await signIn(server, ada);
  });
  afterEach(() => server.close());

  const damage = async (how: string) =>
    put(server.store, ada.user.id, unusable(how)(server.vault, ada.user.id));

  const bodyOf = async (user: AddedUser, endpoint: string) => {
    const response = await server.getAs(user, `/api/v1/${endpoint}`);
    expect(response.status).toBe(200);
    return response.json();
  };

  test("is not connected at /api/v1/user", async () => {
    expect((await bodyOf(ada, "user")).data).toEqual({
      username: "ada",
      music_connected: false,
      music_display_name: null,
      music_product: null,
      created_at: "2026-11-21 12:00:00",
    });
  });

  test.each(Object.keys(UNUSABLE))(
    "with %s plays nothing, is never tried again by itself, and is one line of the log",
    async (how) => {
      await damage(how);
      const nothing = { success: true, data: null };
      expect(await bodyOf(ada, "now-playing")).toEqual(nothing);
      expect(server.clock.waiting()).toBe(1); // The end of the channel; no attempt is planned.
      for (let hour = 0; hour < 3; hour += 1) {
        expect(await bodyOf(ada, "now-playing")).toEqual(nothing);
        await server.hub.followConnections();
        await server.clock.advance(HOUR_MS);
      }
      expect(server.clock.waiting()).toBe(0);
      const lines = server.logged.filter((line) => / (warn|error) /.test(line));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("music has to be connected again user=1 source=mpd reason=");
    },
  );

  test("shows an overlay with nothing in it", async () => {
    const page = await server.get(`/en/widget/${ada.widgetToken}`);
    expect(page.status).toBe(200);
    expect(await attributeOf(page, "html", "data-np-state")).toBe("idle");
  });

  test("is named in the dashboard, and is to be connected again", async () => {
    const music = await browser.get("/en/dashboard/music");
    expect(await textOf(music.clone(), ".connected h2")).toBe("MPD");
    expect(await textOf(music, ".connected .status")).toBe(AGAIN);
    expect(await (await browser.get("/en/dashboard")).text()).toContain(AGAIN);
  });

  test("is exported with its source", async () => {
    const file = await (await browser.get("/en/dashboard/account/export")).json();
    expect(file.music).toEqual([
      {
        id: expect.any(Number),
        source: "mpd",
        name: "",
        position: 1,
        display_name: null,
        product: null,
        linked_until: null,
      },
    ]);
  });

  test("is over once the form that stands open is sent", async () => {
    const path = "/en/dashboard/music";
    const page = await browser.get(path);
    expect(await attributeOf(page, ".connected details", "open")).toBe("");
    const next = await browser.submit(path, {
      do: "connect",
      source: "mpd",
      "option-address": "127.0.0.1:1",
    });
    expect(await textOf(next.clone(), ".notice p")).toStartWith(
      "MPD is added, but can’t be reached",
    );
    expect(await (await browser.get(path)).text()).not.toContain(AGAIN);
    const id = (await onlyWorkingId(server.accounts.connections, ada.user.id)) ?? 0;
    await server.accounts.connections.storeStatus(id, { state: "ok", since: 1 });
    expect((await bodyOf(ada, "user")).data.music_connected).toBe(true);
  });

  test("leaves the other users and the whole server alone", async () => {
    expect((await bodyOf(grace, "user")).data.music_connected).toBe(true);
    expect((await bodyOf(grace, "now-playing")).data.is_playing).toBeBoolean();
    expect((await server.get("/readyz")).status).toBe(200);
    await server.remindOfConsent();
    expect(server.logged.join("\n")).not.toContain("linked again soon");
  });
});

/** All that is stored of connections but their settings. */
const storedOf = ({ store }: TestServer) =>
  store.queries
    .select()
    .from(connectionsTable)
    .all()
    .map((row) => ({ ...row, sealedSettings: null }));

describe("a connection whose settings can be used again", () => {
  test("is followed with the next change, and nothing of its trouble was stored", async () => {
    const server = await createTestServer({
      realSources: true,
      settings: { rateLimitSeconds: "0" },
    });
    const ada = await server.addUser("ada", false);
    await server.accounts.connections.connect(ada.user, "demo", null);
    const before = storedOf(server);
    put(server.store, ada.user.id, Buffer.from("damaged"));
    const leave = server.hub.subscribe(ada.user.id, () => {});
    await settle();
    expect(await server.hub.read(ada.user.id, 0)).toEqual({ kind: "unlinked" });
    put(server.store, ada.user.id, server.vault.seal(PURPOSE, ada.user.id, "null"));
    await server.hub.followConnections();
    await settle();
    expect((await server.hub.read(ada.user.id, 0)).kind).toBe("playback");
    expect(storedOf(server)).toEqual(before);
    leave();
    server.close();
  });
});

test("a damaged connection without fields can be connected again by its form", async () => {
  const server = await createTestServer({ realSources: true });
  const ada = await server.addUser("ada", false);
  await server.accounts.connections.connect(ada.user, "demo", null);
  put(server.store, ada.user.id, Buffer.from("damaged"));
  const browser = await signIn(server, ada);
  const path = "/en/dashboard/music";
  expect(await (await browser.get(path)).text()).toContain(
    fill(words.health.needsLinking, { source: "Demo" }),
  );
  const page = await browser.submit(path, { do: "connect", source: "demo" });
  expect(await textOf(page, ".connected .status")).toBe(words.music.waiting);
  server.close();
});

test("a linked account that cannot be used is linked again in the browser", async () => {
  const settings = { spotifyClientId: "0123456789abcdef0123456789abcdef" };
  const server = await createTestServer({ realSources: true, settings });
  const ada = await server.addUser("ada", false);
  await server.accounts.connections.connect(ada.user, "spotify", { clientId: 7 });
  const browser = await signIn(server, ada);
  const page = await browser.get("/en/dashboard/music");
  expect(await textOf(page.clone(), ".connected .status")).toBe(
    fill(words.health.needsLinking, { source: "Spotify" }),
  );
  expect(await attributeOf(page, ".connected a.button", "href")).toBe(
    "/en/dashboard/music/link/spotify",
  );
  server.close();
});
