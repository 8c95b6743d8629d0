import { afterEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { type EventReader, readEvents } from "../fixtures/http/event-reader.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const PATH = "/api/v1/now-playing/events";
const NOW_PLAYING = "/api/v1/now-playing";

let server: TestServer;
let ada: AddedUser;
let open: EventReader[] = [];

async function start(rateLimitSeconds = "0"): Promise<void> {
  server = await createTestServer({ settings: { rateLimitSeconds }, logLevel: "info" });
  ada = await server.addUser("ada");
}
afterEach(async () => {
  for (const reader of open) await reader.close();
  open = [];
  server?.close();
});

const plays = (title: string, of = ada) =>
  server.sourceOf(of).says(
    aPlayback({
      track: { id: title, title, durationMs: 200_000, explicit: false },
      observedAtMs: server.clock.monotonicMs(),
    }),
  );

async function openStream(key: string = ada.key): Promise<EventReader> {
  const response = await server.get(PATH, { headers: { "x-api-key": key } });
  expect(response.status).toBe(200);
  const reader = readEvents(response);
  open.push(reader);
  expect(await reader.next()).toEqual({ retry: "5000" });
  return reader;
}

const envelope = async () => (await server.getAs(ada, NOW_PLAYING)).json();

describe("GET /api/v1/now-playing/events", () => {
  test("sends what now-playing answers, on connect and at each change", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    const first = await stream.next();
    expect(first).toEqual({
      event: "now-playing",
      id: "1",
      data: JSON.stringify(await envelope()),
    });
    await server.clock.advance(7_000);
    await plays("Two");
    const second = await stream.next();
    expect(second).toEqual({
      event: "now-playing",
      id: "2",
      data: JSON.stringify(await envelope()),
    });
    await server.sourceOf(ada).says(null);
    expect(await stream.nextData()).toEqual({ success: true, data: null });
  });

  test("sends the position of the moment to whoever comes later", async () => {
    await start();
    await plays("One");
    await (await openStream()).next();
    await server.clock.advance(3_000);
    const later = await openStream();
    expect(await later.nextData()).toEqual(await envelope());
  });

  test("sends the failure of a source as now-playing says it, and the end of the failure", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    await stream.next();
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.clock.advance(30_000);
    const response = await server.getAs(ada, NOW_PLAYING);
    expect(response.status).toBe(503);
    let sent: unknown;
    do sent = await stream.nextData();
    while ((sent as { success: boolean }).success);
    expect(sent).toEqual(await response.json());
  });

  test("says after four seconds that a source has not answered yet", async () => {
    await start();
    const stream = await openStream();
    const sent = stream.nextData();
    await server.clock.advance(4_000);
    expect(await sent).toEqual({
      success: false,
      error: "Playback is temporarily unavailable",
    });
    await plays("One");
    expect(await stream.nextData()).toEqual(await envelope());
  });

  test("obeys the user's privacy", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    await stream.next();
    await server.accounts.privacy.change(ada.user, { ...NOTHING_HIDDEN, hiddenTitles: ["One"] });
    expect(await stream.nextData()).toEqual({ success: true, data: null });
  });

  test("keeps its channel watched until it is closed", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    await stream.next();
    await server.clock.advance(600_000);
    expect(server.hub.running()).toBe(1);
    await stream.close();
    await server.clock.advance(120_000);
    expect(server.hub.running()).toBe(0);
  });

  test("sends a beat every fifteen seconds", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    await stream.next();
    for (let beats = 0; beats < 3; beats++) {
      await server.clock.advance(15_000);
      expect(await stream.next()).toEqual({ comment: "beat" });
    }
  });

  test("carries the headers of the API, and keeps proxies from holding it back", async () => {
    await start("5");
    const { headers } = (await openStream()).response;
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("ratelimit-policy")).toBe('"default";q=1;w=5');
  });

  test("counts its opening against the limit of its own endpoint, but not its events", async () => {
    await start("5");
    await plays("One");
    expect((await server.getAs(ada, NOW_PLAYING)).status).toBe(200);
    const stream = await openStream();
    const refused = await server.getAs(ada, PATH);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8");
    for (const title of ["Two", "Three", "Four"]) await plays(title);
    await server.clock.advance(5_000);
    for (let events = 0; events < 4; events++) await stream.nextData();
    await openStream();
  });

  test("tells clients not to come back before the limit lets them", async () => {
    await start("60");
    const stream = readEvents(await server.getAs(ada, PATH));
    open.push(stream);
    expect(await stream.next()).toEqual({ retry: "60000" });
  });

  test("is refused to the eleventh client of a key, until one has left", async () => {
    await start();
    for (let streams = 0; streams < 10; streams++) await openStream();
    const refused = await server.getAs(ada, PATH);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      success: false,
      error: "Too many streams: a key may have 10 open at a time",
    });
    expect(refused.headers.get("retry-after")).toBe("5");
    const other = await server.accounts.keys.add(ada.user, "other");
    await openStream(other.key);
    await open[0]?.close();
    await openStream();
  });

  test("says that its key was revoked, and ends; other keys' streams go on", async () => {
    await start();
    await plays("One");
    const other = await server.accounts.keys.add(ada.user, "other");
    const [ended, going] = [await openStream(other.key), await openStream()];
    await Promise.all([ended.next(), going.next()]);
    await server.accounts.keys.revoke(ada.user, other.id);
    expect(await ended.next()).toEqual({
      event: "closed",
      data: '{"success":false,"error":"Invalid API key"}',
    });
    expect(await ended.next()).toBeUndefined();
    await plays("Two");
    expect(await going.nextData()).toEqual(await envelope());
  });

  test("ends when the grace period of a replaced key does", async () => {
    await start();
    await plays("One");
    const before = await openStream();
    await before.next();
    await server.accounts.keys.rotate(ada.user, undefined, 60_000);
    const during = await openStream();
    await during.next();
    await server.clock.advance(59_000);
    await plays("Two");
    for (const stream of [before, during]) expect(await stream.nextData()).toHaveProperty("data");
    await server.clock.advance(1_000);
    for (const stream of [before, during]) {
      expect(await stream.next()).toHaveProperty("event", "closed");
      expect(await stream.next()).toBeUndefined();
    }
  });

  test("ends when its user is removed", async () => {
    await start();
    await plays("One");
    const stream = await openStream();
    await stream.next();
    await server.accounts.users.remove("ada");
    expect(await stream.next()).toHaveProperty("event", "closed");
    expect(await stream.next()).toBeUndefined();
  });

  test("does not tell one user what another one plays", async () => {
    await start();
    const bob = await server.addUser("bob");
    await plays("One");
    await plays("Secret", bob);
    const stream = await openStream();
    expect(JSON.stringify(await stream.nextData())).not.toContain("Secret");
    await plays("Secret too", bob);
    await plays("Two");
    expect(JSON.stringify(await stream.nextData())).toContain("Two");
  });

  test("answers HEAD with its headers alone, and opens nothing", async () => {
    await start();
    for (let calls = 0; calls < 20; calls++) {
      const response = await server.getAs(ada, PATH, { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(await response.text()).toBe("");
    }
    expect(server.hub.running()).toBe(0);
  });
});

describe.each([
  ["Bun's router", "info" as const],
  ["the app", "debug" as const],
])("over the network, through %s", (_, logLevel) => {
  const listening = async (
    body: (live: Awaited<ReturnType<typeof startLive>>) => Promise<void>,
  ) => {
    const live = await startLive();
    try {
      await body(live);
    } finally {
      await live.server.stop();
    }
  };
  const startLive = async () => {
    const live = await startTestServer({ settings: { rateLimitSeconds: "0" }, logLevel });
    const user = await live.addUser("ada");
    await live.sourceOf(user).says(aPlayback({ observedAtMs: performance.now() }));
    return { server: live, user, url: `${live.url}${PATH}` };
  };
  const connect = (url: string, key: string) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}?api_key=${key}`);
    const received: string[] = [];
    const closed = new Promise<CloseEvent>((resolve) => {
      socket.onclose = resolve;
    });
    socket.onerror = () => {};
    socket.onmessage = ({ data }) => received.push(data);
    return { socket, received, closed };
  };

  test("a stream brings each change, and is forgotten when its client goes", () =>
    listening(async (live) => {
      const client = new AbortController();
      const stream = readEvents(
        await fetch(live.url, { headers: { "x-api-key": live.user.key }, signal: client.signal }),
      );
      expect(await stream.nextData()).toHaveProperty("success", true);
      await live.server.sourceOf(live.user).says(null);
      expect(await stream.nextData()).toEqual({ success: true, data: null });
      // A stream whose response nobody holds is closed when garbage is collected.
      const others: Response[] = [];
      for (let streams = 1; streams < 10; streams++) {
        const headers = { "x-api-key": live.user.key };
        others.push(await fetch(live.url, { headers, signal: client.signal }));
      }
      const statusNow = async () => {
        const { status } = await fetch(live.url, {
          method: "HEAD",
          headers: { "x-api-key": live.user.key },
        });
        return status;
      };
      expect(await statusNow()).toBe(429);
      expect(others.map(({ status }) => status)).toEqual(Array(9).fill(200));
      client.abort();
      await until(async () => (await statusNow()) === 200 || undefined);
    }));

  test("a WebSocket gets the same, with a type, and is closed with its key", () =>
    listening(async (live) => {
      const { received, closed, socket } = connect(live.url, live.user.key);
      await until(() => received[0]);
      socket.send("anything");
      await live.server.sourceOf(live.user).says(null);
      await until(() => received[1]);
      expect(JSON.parse(received[0] ?? "")).toMatchObject({
        type: "now-playing",
        success: true,
        data: { track: { name: "Paper Lanterns" } },
        meta: { user: "ada" },
      });
      expect(received[1]).toBe('{"type":"now-playing","success":true,"data":null}');
      await live.server.accounts.keys.rotate(live.user.user, undefined, 0);
      expect((await inTime("the end of the socket", closed)).code).toBe(4401);
    }));

  test("a WebSocket is refused with a wrong key", () =>
    listening(async (live) => {
      const { received, closed } = connect(live.url, "mq_wrong");
      await inTime("the end of the socket", closed);
      expect(received).toEqual([]);
    }));

  test("a stopping server ends its streams, so that clients come back", () =>
    listening(async (live) => {
      const stream = readEvents(await fetch(live.url, { headers: { "x-api-key": live.user.key } }));
      await stream.nextData();
      const { closed, received } = connect(live.url, live.user.key);
      await until(() => received[0]);
      const stopped = live.server.running.stop(10_000);
      expect(await stream.next()).toBeUndefined();
      expect((await inTime("the end of the socket", closed)).code).toBe(1012);
      await inTime("the stop", stopped);
    }));

  test("a client that never reads is dropped", () =>
    listening(async (live) => {
      const gone = Promise.withResolvers<void>();
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: live.server.running.port,
        socket: {
          open: (opened) => {
            opened.write(
              `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${live.user.key}\r\n\r\n`,
            );
            opened.pause();
          },
          data() {},
          close: () => gone.resolve(),
          error: () => gone.resolve(),
        },
      });
      await until(() => live.server.hub.running() === 1 || undefined);
      // The kernel may take 37 MB before a server notices: 4 of them it sends, 33 it receives.
      const artists = Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(1_000, "x"));
      for (let change = 0; change < 900; change++) {
        const track = { id: `${change}`, title: "x", durationMs: 200_000, explicit: false };
        const observedAtMs = performance.now();
        await live.server.sourceOf(live.user).says(aPlayback({ track, artists, observedAtMs }));
      }
      socket.resume();
      await inTime("the end of the connection", gone.promise);
    }));
});
