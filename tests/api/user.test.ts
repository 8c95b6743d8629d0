import { afterEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/api/v1/user";

let server: TestServer;
afterEach(() => server.close());

async function start(settings: Record<string, string | true> = {}): Promise<void> {
  server = await createTestServer({ settings: { rateLimitSeconds: "0", ...settings } });
}
const dataFor = async (user: AddedUser) => (await (await server.getAs(user, PATH)).json()).data;

describe("GET /api/v1/user", () => {
  test("answers exactly the specified fields", async () => {
    await start();
    const ada = await server.addUser("ada");
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
    await connections.markRefused((await connections.of(ada.user.id))?.id ?? 0);
    expect((await dataFor(ada)).music_connected).toBe(false);
    await connections.connect(ada.user, "mpd", {});
    expect((await dataFor(ada)).music_connected).toBe(true);
  });

  test("says false after the user has disconnected", async () => {
    await start();
    const ada = await server.addUser("ada");
    await server.accounts.connections.disconnect(ada.user);
    expect(await dataFor(ada)).toMatchObject({ music_connected: false, music_display_name: null });
  });

  test("goes on saying true while the source cannot be reached", async () => {
    await start();
    const ada = await server.addUser("ada");
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.getAs(ada, "/api/v1/now-playing");
    expect((await dataFor(ada)).music_connected).toBe(true);
  });

  test("names the fields about music as the setting says", async () => {
    await start({ musicPrefix: "branded" });
    const ada = await server.addUser("ada");
    expect(await dataFor(ada)).toEqual({
      username: "ada",
      branded_connected: true,
      branded_display_name: "MPD",
      branded_product: null,
      created_at: "2026-11-21 12:00:00",
    });
  });

  test("says that everybody hears the demo where the server is set to it", async () => {
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
    await connections.markRefused((await connections.of(ada.user.id))?.id ?? 0);
    expect(await dataFor(ada)).toMatchObject({ music_connected: false, music_display_name: "MPD" });
  });
});
