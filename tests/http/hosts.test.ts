import { afterEach, describe, expect, test } from "bun:test";
import { createHosts } from "../../src/http/hosts.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let port: RealPort;
const NOTHING_STARTED = async () => {};
let end = NOTHING_STARTED;

async function start(settings: Record<string, string> = {}, baseUrl?: string): Promise<void> {
  server = await createTestServer({ settings, ...(baseUrl !== undefined && { baseUrl }) });
  port = openPort(server);
  end = async () => {
    await port.end();
    server.close();
  };
}
afterEach(async () => {
  await end();
  end = NOTHING_STARTED;
});

/** A request with header lines as they are. */
const ask = (target: string, ...lines: string[]) =>
  port.sendRaw(`GET ${target} HTTP/1.1\r\n${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
const askHost = (target: string, host: string) => ask(target, `Host: ${host}`);

const HOSTILE = [
  "",
  "x",
  "a.b",
  "x:1",
  "evil.example",
  "evil.example:4747",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "evil-localhost",
  "evil.example@127.0.0.1",
  "127.0.0.1@evil.example",
  "127.0.0.1/x",
  "127.0.0.1?x",
  "127.0.0.1#x",
  "127.0.0.1\\x",
  "127.0.0.1, evil.example",
  "127.0.0.1 evil.example",
  "http://127.0.0.1",
  "localhost:port",
  "localhost:",
  "localhost:123456",
  "%6cocalhost",
  "localhost%00",
  "2130706433",
  "0x7f.1",
  "127.0.0.2",
  "0.0.0.0",
  "::1",
  "[::1",
  "[::1]x",
  "[::ffff:127.0.0.1]",
  "null",
  "/",
  "a".repeat(300),
];

/** Answered with 200 to anybody who asks by a name of ours. */
const OPEN = "/api/v1/openapi.json";

describe("a Host that is not ours", () => {
  test.each(HOSTILE)("is refused: %j", async (host) => {
    await start();
    for (const target of ["/", "/x/livez", "/x/api/v1/openapi.json", "/x/assets/../livez"]) {
      const { status, body } = await askHost(target, host);
      expect([400, 421]).toContain(status);
      expect(body).not.toBe("ok\n");
      expect(body).not.toContain("openapi");
    }
    expect(server.logged.filter((line) => line.includes(" error "))).toEqual([]);
  });

  test("is refused below /api/ with an envelope", async () => {
    await start();
    const { status, body } = await askHost("/api/v1/user", "evil.example");
    expect(status).toBe(421);
    expect(JSON.parse(body)).toEqual({ success: false, error: expect.any(String) });
  });

  test("is refused when there is none", async () => {
    await start();
    expect((await ask(OPEN)).status).toBe(400);
  });

  test("is refused when HTTP/1.0 sends none", async () => {
    await start();
    const { status } = await port.sendRaw(`GET ${OPEN} HTTP/1.0\r\n\r\n`);
    expect([400, 421]).toContain(status);
  });

  test.each([
    ["ours first", ["Host: 127.0.0.1", "Host: evil.example"]],
    ["ours last", ["Host: evil.example", "Host: 127.0.0.1"]],
    ["ours twice", ["Host: 127.0.0.1", "Host: 127.0.0.1"]],
  ])("is refused when there are two, %s", async (_, lines) => {
    await start();
    expect([400, 421]).toContain((await ask(OPEN, ...lines)).status);
  });

  test("cannot come in by X-Forwarded-Host", async () => {
    await start();
    const { status } = await ask(OPEN, "Host: evil.example", "X-Forwarded-Host: 127.0.0.1");
    expect(status).toBe(421);
  });

  test("keeps a working key out", async () => {
    await start();
    const { key } = await server.addUser("ada");
    const { status, body } = await ask("/api/v1/user", "Host: evil.example", `X-Api-Key: ${key}`);
    expect(status).toBe(421);
    expect(body).not.toContain("ada");
  });
});

describe("what monitors ask for", () => {
  const HEALTH = ["/livez", "/readyz", "/live%7A", "/readyz/", "/livez?from=balancer"];

  test.each([...HOSTILE, "10.244.0.5:4747"])("is answered, whatever the Host: %j", async (host) => {
    await start();
    for (const target of HEALTH) {
      const { status, body } = await askHost(target, host);
      expect([target, status, body]).toEqual([target, 200, "ok\n"]);
    }
    expect(server.logged.filter((line) => line.includes(" error "))).toEqual([]);
  });

  test("is answered to HTTP/1.0, which needs no Host, with and without a base path", async () => {
    await start({}, "https://example.org/music");
    for (const target of HEALTH.flatMap((path) => [path, `/music${path}`])) {
      const { status, body } = await port.sendRaw(`GET ${target} HTTP/1.0\r\n\r\n`);
      expect([target, status, body]).toEqual([target, 200, "ok\n"]);
      const head = await port.sendRaw(`HEAD ${target} HTTP/1.0\r\n\r\n`);
      expect([target, head.status, head.body]).toEqual([target, 200, ""]);
    }
  });

  test("is all that is answered so", async () => {
    await start({ metricsToken: "a-token-of-enough-characters" });
    const open = new Set<string>();
    for (const route of server.routes) {
      const path = route.slice(route.indexOf(" ") + 1).replace(":lang", "en");
      if ((await server.get(path, { headers: { host: "evil.example" } })).status !== 421) {
        open.add(path);
      }
    }
    expect([...open].toSorted()).toEqual(["/livez", "/readyz"]);
  });

  test("is not taken for another path by a Host that contains it", async () => {
    await start();
    for (const host of ["evil.example/livez?", "x/livez#", "livez", "/livez"]) {
      expect([400, 421]).toContain((await askHost(OPEN, host)).status);
    }
  });
});

describe("a target in absolute form", () => {
  test("leads to the route that its path names and to no other", async () => {
    await start();
    expect((await askHost("http://127.0.0.1/livez", "127.0.0.1")).body).toBe("ok\n");
    expect((await askHost("http://127.0.0.1/x/livez", "127.0.0.1")).status).toBe(404);
    expect((await askHost("http://x/y/livez", "127.0.0.1")).status).toBe(404);
  });

  test("does not make a foreign Host ours", async () => {
    await start();
    const { status } = await askHost(`http://127.0.0.1${OPEN}`, "evil.example");
    expect([400, 421]).toContain(status);
  });
});

describe("a target that is no path", () => {
  test.each(["livez", "*", "127.0.0.1:80", "", "?livez"])("is refused: %j", async (target) => {
    await start();
    const { status, body } = await askHost(target, "127.0.0.1");
    expect(status).toBeWithin(400, 500);
    expect(body).not.toBe("ok\n");
  });

  test.each(["//x/livez", "/\\x/livez", "/./x/livez", "/x//livez"])(
    "leads to no route that it does not name: %j",
    async (target) => {
      await start();
      expect((await askHost(target, "127.0.0.1")).status).toBe(404);
    },
  );
});

describe("a Host that is ours", () => {
  test.each(["localhost", "LOCALHOST:4747", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:4747"])(
    "is this machine's own name with any port: %s",
    async (host) => {
      await start();
      expect((await askHost(OPEN, host)).status).toBe(200);
    },
  );

  test.each(["http://nas", "http://a", "http://x:81", "http://a.b"])(
    "is the base URL's, and routes rightly although it is short: %s",
    async (baseUrl) => {
      await start({}, baseUrl);
      const { host } = new URL(baseUrl);
      expect((await askHost(OPEN, host)).status).toBe(200);
      expect((await askHost("/api/v1/user", host)).status).toBe(401);
      expect((await askHost("/api/v1/openapi.json?a=/livez", host)).body).toContain("openapi");
      expect((await askHost("/x/livez", host)).status).toBe(404);
      expect((await askHost("/x/api/v1/openapi.json", host)).status).toBe(404);
    },
  );

  test("is any that the operator lists, in any case", async () => {
    await start({ allowedHosts: "tv.example, Media.LAN" });
    expect((await askHost(OPEN, "tv.example:8080")).status).toBe(200);
    expect((await askHost(OPEN, "media.lan")).status).toBe(200);
    expect((await askHost(OPEN, "TV.EXAMPLE")).status).toBe(200);
    expect((await askHost(OPEN, "other.example")).status).toBe(421);
    expect((await askHost(OPEN, "sub.tv.example")).status).toBe(421);
  });

  test("is the address listened on", async () => {
    await start({ host: "192.0.2.7" });
    expect((await askHost(OPEN, "192.0.2.7:4747")).status).toBe(200);
  });

  test("is an IPv6 address listened on", async () => {
    await start({ host: "2001:DB8::7" });
    expect((await askHost(OPEN, "[2001:db8::7]:4747")).status).toBe(200);
  });

  test("stays refused after many of ours have been remembered, and the other way round", async () => {
    await start();
    for (let at = 1; at <= 100; at++) {
      expect((await askHost(OPEN, `localhost:${at}`)).status).toBe(200);
    }
    expect((await askHost(OPEN, "evil.example")).status).toBe(421);
    expect((await askHost(OPEN, "localhost:65535")).status).toBe(200);
  });
});

describe("a page's origin", () => {
  const HTTPS = "https://music.example";
  const LAN = "http://nas.lan:4747";
  const LOOPBACK = "http://127.0.0.1:4747";

  test.each([
    // The base URL's own host: exactly its origin, whatever the request is addressed to.
    [HTTPS, "https://music.example", "music.example", true],
    [HTTPS, "https://music.example", "127.0.0.1:4747", true],
    [HTTPS, "https://MUSIC.example:443", "music.example", true],
    [HTTPS, "http://music.example", "music.example", false],
    [HTTPS, "http://music.example:443", "music.example:443", false],
    [HTTPS, "https://music.example:8443", "music.example:8443", false],
    [HTTPS, "http://music.example:8080", "music.example:8080", false],
    [LAN, "http://nas.lan:4747", "nas.lan:4747", true],
    [LAN, "https://nas.lan:4747", "nas.lan:4747", false],
    [LAN, "http://nas.lan:8080", "nas.lan:8080", false],
    [LAN, "http://nas.lan", "nas.lan", false],
    ["https://localhost", "http://localhost", "localhost", false],
    ["https://localhost:4747", "https://localhost:8443", "localhost:8443", false],
    // Other names of this server: as the request is addressed.
    [HTTPS, "http://127.0.0.1:4747", "127.0.0.1:4747", true],
    [HTTPS, "http://127.0.0.1:4747", "127.0.0.1:4748", false],
    [HTTPS, "http://tv.example:8080", "tv.example:8080", true],
    [HTTPS, "https://tv.example", "tv.example", true],
    [HTTPS, "https://tv.example", "music.example", false],
    [LOOPBACK, "http://127.0.0.1:4747", "127.0.0.1:4747", true],
    [LOOPBACK, "http://127.0.0.1:8080", "127.0.0.1:8080", true],
    [LOOPBACK, "http://localhost:4747", "localhost:4747", true],
    [LOOPBACK, "http://127.0.0.1:8080", "127.0.0.1:4747", false],
    // Nobody's.
    [HTTPS, "https://evil.example", "evil.example", false],
    [HTTPS, "https://music.example.evil.example", "music.example", false],
    [HTTPS, "https://music.example@evil.example", "music.example", false],
    [HTTPS, "https://music.example, https://evil.example", "music.example", false],
    [HTTPS, "ftp://music.example", "music.example", false],
    [HTTPS, "chrome-extension://music.example", "music.example", false],
    [HTTPS, "null", "music.example", false],
    [HTTPS, "", "music.example", false],
    [HTTPS, "https://music.example", null, true],
  ])("below %s: %j, asked for at %j, is ours: %p", (baseUrl, origin, host, isOurs) => {
    const hosts = createHosts({ baseUrl, host: "127.0.0.1", allowedHosts: ["tv.example"] });
    const headers = { origin, ...(host !== null && { host }) };
    expect(hosts.isFromOwnPage(new Request(baseUrl, { headers }))).toBe(isOurs);
  });
});
