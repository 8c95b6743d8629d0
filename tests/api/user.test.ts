import { afterEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const PATH = "/api/v1/user";

let server: TestServer;
afterEach(() => server.close());

async function start(settings: Record<string, string | true> = {}): Promise<void> {
  server = await createTestServer({ settings: { rateLimitSeconds: "0", ...settings } });
}
/** Stores that each of the user's connections has worked. */
async function allWork({ user }: AddedUser): Promise<void> {
  const { connections } = server.accounts;
  for (const { id } of connections.allOf(user.id)) {
    await connections.storeStatus(id, { state: "ok", since: 1 });
  }
}
const linked = (displayName: string, product: string | null) => ({
  clientId: "0123456789abcdef0123456789abcdef",
  refreshToken: "kept",
  consentedAt: Date.UTC(2026, 10, 21),
  accountId: displayName,
  displayName,
  product,
});
const dataFor = async (user: AddedUser) => (await (await server.getAs(user, PATH)).json()).data;

describe("GET /api/v1/user", () => {
  test("answers exactly the specified fields", async () => {
    await start();
    const ada = await server.addUser("ada");
    await allWork(ada);
    const response = await server.getAs(ada, PATH);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        username: "ada",
        music_connected: true,
        music_display_name: "MPD",
        music_product: null,
        created_at: "2026-11-21 12:00:00",
      },
    });
  });

  test("tells the time of creation in UTC wherever the server stands", async () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Pacific/Auckland";
    try {
      expect(new Date(0).getTimezoneOffset()).not.toBe(0);
      await start();
      await server.clock.advance(3_600_000 * 13 + 61_999);
      const bob = await server.addUser("bob");
      expect((await dataFor(bob)).created_at).toBe("2026-11-22 01:01:01");
    } finally {
      process.env["TZ"] = zone ?? "UTC";
    }
  });

  test("says false and null for a user who has connected nothing", async () => {
    await start();
    const bob = await server.addUser("bob", false);
    expect(await dataFor(bob)).toEqual({
      username: "bob",
      music_connected: false,
      music_display_name: null,
      music_product: null,
      created_at: "2026-11-21 12:00:00",
    });
  });

  test("says false once the upstream has refused the connection", async () => {
    await start();
    const ada = await server.addUser("ada");
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unauthorized" }, "no"));
    await server.getAs(ada, "/api/v1/now-playing");
    expect((await dataFor(ada)).music_connected).toBe(false);
  });

  test("says true again after the user has connected anew", async () => {
    await start();
    const ada = await server.addUser("ada");
    const { connections } = server.accounts;
    await connections.markRefused((await onlyConnection(connections, ada.user.id))?.id ?? 0);
    expect((await dataFor(ada)).music_connected).toBe(false);
    await connections.connect(ada.user, "mpd", {});
    expect((await dataFor(ada)).music_connected).toBe(false);
    await allWork(ada);
    expect((await dataFor(ada)).music_connected).toBe(true);
  });

  test("goes on saying true while the source cannot be reached", async () => {
    await start();
    const ada = await server.addUser("ada");
    await server.sourceOf(ada).says(null);
    await server.getAs(ada, "/api/v1/now-playing");
    await settle();
    expect((await dataFor(ada)).music_connected).toBe(true);
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.getAs(ada, "/api/v1/now-playing");
    expect((await dataFor(ada)).music_connected).toBe(true);
  });

  test("says false while the source has never been reached", async () => {
    await start();
    const ada = await server.addUser("ada");
    expect((await dataFor(ada)).music_connected).toBe(false);
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.getAs(ada, "/api/v1/now-playing");
    expect(await dataFor(ada)).toMatchObject({ music_connected: false, music_display_name: null });
  });

  test("says true at once for the demo and for an account that was linked", async () => {
    await start();
    const [ada, bob] = [await server.addUser("ada", false), await server.addUser("bob", false)];
    const { connections } = server.accounts;
    await connections.connect(ada.user, "demo", null);
    await connections.connect(bob.user, "spotify", linked("Bob", "premium"));
    expect(await dataFor(ada)).toMatchObject({ music_connected: true });
    expect(await dataFor(bob)).toMatchObject({ music_connected: true, music_product: "premium" });
  });

  test("names the first of several that works, in the user's order", async () => {
    await start();
    const ada = await server.addUser("ada");
    const { connections } = server.accounts;
    const { publicId } = await connections.connect(ada.user, "spotify", linked("Ada", "premium"));
    const names = async () => {
      const { music_display_name: name, music_product: product } = await dataFor(ada);
      return [name, product];
    };
    expect(await names()).toEqual(["Ada", "premium"]);
    await allWork(ada);
    expect(await names()).toEqual(["MPD", null]);
    await connections.order(ada.user, [publicId]);
    expect(await names()).toEqual(["Ada", "premium"]);
    const [{ id } = { id: 0 }] = connections.allOf(ada.user.id);
    await connections.markRefused(id);
    expect(await names()).toEqual(["MPD", null]);
    expect((await dataFor(ada)).music_connected).toBe(true);
  });

  test("names the fields about music as the setting says", async () => {
    await start({ musicPrefix: "branded" });
    const ada = await server.addUser("ada");
    await allWork(ada);
    expect(await dataFor(ada)).toEqual({
      username: "ada",
      branded_connected: true,
      branded_display_name: "MPD",
      branded_product: null,
      created_at: "2026-11-21 12:00:00",
    });
  });

  test("says that everybody plays the demo where the server is set to it", async () => {
    await start({ demo: true });
    const bob = await server.addUser("bob", false);
    expect(await dataFor(bob)).toMatchObject({
      music_connected: true,
      music_display_name: "Marquee Demo",
      music_product: null,
    });
  });

  test("says false for a refused connection although the demo is for everybody", async () => {
    await start({ demo: true });
    const ada = await server.addUser("ada");
    const { connections } = server.accounts;
    await connections.markRefused((await onlyConnection(connections, ada.user.id))?.id ?? 0);
    expect(await dataFor(ada)).toMatchObject({ music_connected: false, music_display_name: null });
  });
});
