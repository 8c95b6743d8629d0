import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { systemClock } from "../src/clock.ts";
import { listen, ListenError } from "../src/server.ts";
import type { AddedUser } from "../src/accounts/accounts.ts";
import { openOverlay } from "./fixtures/http/overlay-socket.ts";
import { aPlayback } from "./fixtures/sources/playback.ts";
import { openPort, type RealPort } from "./fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "./fixtures/servers/test-server.ts";
import { inTime, until } from "./fixtures/clock/waiting.ts";
import { isThorough } from "./fixtures/thorough.ts";

/** https://caddyserver.com/docs/caddyfile/directives/reverse_proxy#keepalive */
const KEPT_BY_CADDY_MS = 120_000;

let server: TestServer;
let port: RealPort;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  port = openPort(server);
  ada = await server.addUser("ada");
});
afterEach(async () => {
  await port.end();
  server.close();
});

const openLive = () => openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);

describe("listening", () => {
  const listenOn = (host: string, number: number) => () =>
    listen({ host, port: number, clock: systemClock, createServer: () => server });

  test("takes a free port when asked for port 0", async () => {
    expect(port.port).toBeGreaterThan(0);
    expect(await (await fetch(`${port.origin}/livez`)).text()).toBe("ok\n");
  });

  test("on a taken port fails with a sentence that says what to do", () => {
    const attempt = listenOn("127.0.0.1", port.port);
    expect(attempt).toThrow(ListenError);
    expect(attempt).toThrow(new RegExp(`Port ${port.port} on 127\\.0\\.0\\.1 is taken`));
    expect(attempt).toThrow(/--port or MARQUEE_PORT/);
  });

  // A name with an empty part is looked for nowhere.
  test.each(["192.0.2.1", "nobody..invalid"])(
    "on %s, which is not this machine's, fails with a sentence that says what to do",
    (host) => {
      const attempt = listenOn(host, port.port);
      expect(attempt).toThrow(ListenError);
      expect(attempt).toThrow(
        `${host} is not an address of this machine. Choose another with --host`,
      );
    },
  );
});

describe("a proxy's connection", () => {
  test.if(isThorough)(
    "is open for longer than it is kept for the next request",
    async () => {
      const closed = Promise.withResolvers<"closed">();
      const answered = Promise.withResolvers<void>();
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: port.port,
        socket: {
          open: (opened) => void opened.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"),
          data: () => answered.resolve(),
          close: () => closed.resolve("closed"),
        },
      });
      await inTime("an answer", answered.promise);
      const kept = Bun.sleep(KEPT_BY_CADDY_MS).then(() => "open");
      expect(await Promise.race([closed.promise, kept])).toBe("open");
      socket.end();
    },
    KEPT_BY_CADDY_MS + 30_000,
  );
});

describe("a body of more than 64 KiB", () => {
  const post = async (path: string, bytes: number) => {
    const body = "x".repeat(bytes);
    const response = await fetch(`${port.origin}${path}`, { method: "POST", body });
    return { status: response.status, text: await response.text() };
  };

  test("is refused with 413, whoever sends it", async () => {
    for (const path of ["/en/dashboard/music", "/livez", "/nothing"]) {
      expect((await post(path, 65_537)).status).toBe(413);
    }
    expect((await post("/en/dashboard/music", 65_536)).status).toBe(401);
    expect((await post("/livez", 2_000_000)).status).toBe(413);
  });

  test("is answered in its form to a program that pushes", async () => {
    expect(await post("/audioscrobbler/np", 65_537)).toEqual({
      status: 200,
      text: "FAILED the body is larger than 64 KiB\n",
    });
  });
});

describe("stopping", () => {
  /** Sends a request that waits for a source's first word; its status to be awaited by name. */
  const askSlowly = async () => {
    const headers = { "x-api-key": ada.key };
    const status = fetch(`${port.origin}/api/v1/now-playing`, { headers }).then(
      (response) => response.status,
      () => "no answer",
    );
    await until(() => (server.sourceOf(ada).listeners() > 0 ? true : undefined));
    return { status };
  };

  test("lets a request under way finish", async () => {
    const slow = await askSlowly();
    const stopped = port.stop(10_000);
    await server.sourceOf(ada).says(null);
    expect(await slow.status).toBe(200);
    await stopped;
  });

  test("says that no more requests should come", async () => {
    const stopped = port.stop(10_000);
    expect((await server.get("/readyz")).status).toBe(503);
    await stopped;
  });

  test("takes no new connection", async () => {
    const stopped = port.stop(10_000);
    await expect(fetch(`${port.origin}/livez`)).rejects.toThrow();
    await stopped;
  });

  test("asks overlays to come back later", async () => {
    const overlays = await Promise.all([openLive(), openLive(), openLive()]);
    const stopped = port.stop(10_000);
    expect(await Promise.all(overlays.map(({ closed }) => closed))).toEqual([1012, 1012, 1012]);
    await stopped;
    expect(server.app.gauges.overlays?.()).toBe(0);
  });

  test("does not wait longer than it may for a request that never ends", async () => {
    const slow = await askSlowly();
    await port.stop(50);
    expect(await slow.status).toBe("no answer");
  });
});

describe("a client that never reads", () => {
  /** Becomes an overlay and reads nothing more. */
  const openSilent = async () => {
    const opened = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: port.port,
      socket: {
        open: (opening) => void opening.write(handshake()),
        data(reading) {
          reading.pause();
          opened.resolve();
        },
        close() {},
        error: (_, error) => opened.reject(error),
      },
    });
    await inTime("an open socket", opened.promise);
    return socket;
  };
  const handshake = () =>
    [
      `GET /en/widget/${ada.widgetToken}/live HTTP/1.1`,
      "Host: 127.0.0.1",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13",
      "\r\n",
    ].join("\r\n");

  test("is let go, and those who read go on", async () => {
    const { overlays = () => NaN } = server.app.gauges;
    const silent = await Promise.all([openSilent(), openSilent(), openSilent()]);
    const reader = await openLive();
    await until(() => (overlays() === 4 ? true : undefined));
    // The largest playback that may enter, until the kernel's buffers and ours are full.
    const artists = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(1_000, "x"));
    let changes = 0;
    while (overlays() > 1 && changes < 1_000) {
      changes += 1;
      const track = { id: `${changes}`, title: "Long", durationMs: 1, explicit: false };
      await server.sourceOf(ada).says(aPlayback({ track, artists }));
      await reader.next();
    }
    expect(overlays()).toBe(1);
    await server.sourceOf(ada).says(null);
    expect(await reader.next()).toMatchObject({ type: "state", state: { kind: "idle" } });
    for (const socket of silent) socket.end();
  });
});
