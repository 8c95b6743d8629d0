import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { addressesIn } from "../fixtures/http/html.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const BASE_URL = "https://example.org/music";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer({ baseUrl: BASE_URL, settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
  const artworks = [{ key: "cover", load: () => patternPicture("png", 8) }];
  await server.sourceOf(ada).says(aPlayback({ album: { name: "A", artworks } }));
});
afterEach(() => server.close());

/** Calls as the proxy does that speaks HTTPS with the world and HTTP with us. */
const ask = async (path: string, headers: Record<string, string> = {}) => {
  const request = new Request(`http://example.org${path}`, {
    headers: { host: "example.org", "x-api-key": ada.key, ...headers },
  });
  return server.app.elysia.handle(request);
};

describe("below a base URL with a path", () => {
  test.each([
    ["/livez", 200],
    ["/readyz", 200],
    ["/", 302],
    ["/en/", 200],
    ["/fr", 200],
    ["/api/v1/now-playing", 200],
    ["/api/v1/user", 200],
    ["/api/v1/openapi.json", 200],
    ["/api/v1/nothing", 404],
    ["/nothing/here", 404],
  ])("%s answers %i with the prefix and without it", async (path, status) => {
    const bare = await ask(path);
    const prefixed = await ask(`/music${path}`);
    expect(bare.status).toBe(status);
    expect(prefixed.status).toBe(status);
    expect(await prefixed.text()).toBe(await bare.text());
    expect([...prefixed.headers]).toEqual([...bare.headers]);
  });

  test("the prefix alone leads to a language, too", async () => {
    for (const path of ["/music", "/music/"]) {
      const response = await ask(path, { "accept-language": "de" });
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toBe("/music/de/");
    }
  });

  test("only the prefix itself is taken off", async () => {
    expect((await ask("/musical/livez")).status).toBe(404);
    expect((await ask("/music/music/livez")).status).toBe(404);
    expect((await ask("/musiclivez")).status).toBe(404);
  });

  test.each([
    ["/api", "/api/v1/openapi.json"],
    ["/en", "/en/docs"],
    ["/en", "/en"],
  ])("%s may be the beginning of a path of ours, too: %s", async (basePath, path) => {
    using other = await createTestServer({ baseUrl: `https://example.org${basePath}` });
    expect((await other.get(path)).status).toBe(basePath === path ? 302 : 200);
    expect((await other.get(basePath + path)).status).toBe(200);
  });

  test("the API's picture addresses carry it, and work with it and without", async () => {
    const { data } = await (await ask("/api/v1/now-playing")).json();
    const [{ url }] = data.album.images;
    expect(url).toStartWith(`${BASE_URL}/art/`);
    const { pathname } = new URL(url);
    expect((await ask(pathname)).status).toBe(200);
    expect((await ask(pathname.slice("/music".length))).status).toBe(200);
  });

  test.each(["/music/en/", "/music/es/nothing", "/en/"])(
    "every address on %s carries it",
    async (path) => {
      const addresses = await addressesIn(await ask(path));
      expect(addresses.length).toBeGreaterThan(4);
      const own = /^(https?:\/\/[^/]+)?\/music\//;
      expect(addresses.filter((one) => !own.test(one))).toEqual([]);
    },
  );

  test.each(["/music", ""])(
    "every address on the overlay at %j carries it and works",
    async (prefix) => {
      const page = await ask(`${prefix}/en/widget/${ada.widgetToken}`);
      const addresses = await addressesIn(page);
      // At least icon, styles, script and cover.
      expect(addresses.length).toBeGreaterThanOrEqual(4);
      for (const address of addresses) {
        expect(address).toStartWith("/music/");
        expect((await ask(address)).status).toBe(200);
        expect((await ask(address.slice("/music".length))).status).toBe(200);
      }
    },
  );

  test.each(["/music", ""])("a cover sent to the overlay at %j carries it", async (prefix) => {
    const port = openPort(server);
    const overlay = await openOverlay(`${port.origin}${prefix}/en/widget/${ada.widgetToken}/live`);
    expect(await overlay.next()).toMatchObject({
      state: { track: { art: expect.stringMatching(/^\/music\/art\/[\w-]{22}\/256\.webp$/) } },
    });
    await port.end();
  });

  test("the page of a wrong token is in the language after the prefix", async () => {
    for (const path of ["/music/de/widget/mqw_x", "/de/widget/mqw_x"]) {
      const response = await ask(path);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('<html lang="de"');
    }
  });

  test("the API's description names it as the server", async () => {
    const { servers } = await (await ask("/music/api/v1/openapi.json")).json();
    expect(servers).toEqual([{ url: BASE_URL }]);
  });
});
