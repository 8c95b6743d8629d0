import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createUpstream, UPSTREAM_DEADLINE_MS, UpstreamError } from "../../src/upstream/index.ts";
import { PING_MS } from "../../src/upstream/socket.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { inTime } from "../fixtures/clock/waiting.ts";
import { NETWORK } from "../../src/upstream/index.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../src/upstream/stream.ts");

let clock: FakeClock;
let stop: AbortController;
const servers: { stop(force: boolean): unknown }[] = [];
beforeEach(() => {
  clock = createFakeClock();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  for (const server of servers.splice(0)) await server.stop(true);
});

const upstreamOf = (origin: string, outcomes: unknown[] = []) =>
  createUpstream({
    clock,
    trustedOrigins: [origin],
    network: NETWORK,
    onCall: (outcome) => outcomes.push(outcome),
  });

const failureOf = async (call: Promise<unknown>): Promise<Error> => {
  const error = await inTime("a failure", call).catch((reason: unknown) => reason);
  if (error instanceof Error) return error;
  throw new Error("it did not fail");
};

/** A server that sends what it is told to each socket, and keeps what it receives. */
function serveSockets(onOpen: (socket: Bun.ServerWebSocket<undefined>) => void) {
  const received: string[] = [];
  const requests: Request[] = [];
  const closed = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, bun) {
      requests.push(request);
      return bun.upgrade(request) ? undefined : new Response("no", { status: 403 });
    },
    websocket: {
      data: undefined,
      backpressureLimit: 128 * 1024 * 1024,
      open: onOpen,
      message: (_, text) => void received.push(String(text)),
      close: () => closed.resolve(),
    },
  });
  servers.push(server);
  return { origin: server.url.origin, received, requests, closed: closed.promise };
}

/** A raw server, for what no library would send. */
function serveBytes(onData: (socket: Bun.Socket<undefined>, text: string) => void) {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket, bytes) => onData(socket, bytes.toString()) },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const upgradeAnswer = (request: string) => {
  const [, key = ""] = /Sec-WebSocket-Key: (.*)\r/i.exec(request) ?? [];
  const accept = new Bun.CryptoHasher("sha1")
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  return `HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
};

describe("a WebSocket to an upstream", () => {
  test("carries texts in both directions, with our name and the caller's headers", async () => {
    const server = serveSockets((socket) => {
      socket.send("one");
      socket.send("two");
    });
    const outcomes: unknown[] = [];
    const socket = await upstreamOf(server.origin, outcomes).openSocket(`${server.origin}/push`, {
      signal: stop.signal,
      headers: { "X-Token": "t" },
    });
    expect([await socket.receive(), await socket.receive()]).toEqual(["one", "two"]);
    socket.send("hello");
    socket.close();
    await inTime("the end", server.closed);
    expect(server.received).toEqual(["hello"]);
    const [request] = server.requests;
    expect(request?.headers.get("user-agent")).toStartWith("Marquee/");
    expect(request?.headers.get("x-token")).toBe("t");
    expect(outcomes).toEqual([101]);
  });

  test.each(["http://10.0.0.1/socket", "http://printer/socket", "ws://127.0.0.1/", "file:///x"])(
    "is not opened to %s, which nobody allowed",
    async (url) => {
      const error = await failureOf(
        upstreamOf("http://127.0.0.1:9").openSocket(url, { signal: stop.signal }),
      );
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error.message).toBe(`${url} is not an address that may be called`);
    },
  );

  test("that is refused fails with its place, and without its query", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("no") });
    servers.push(server);
    const { origin } = server.url;
    const outcomes: unknown[] = [];
    const error = await failureOf(
      upstreamOf(origin, outcomes).openSocket(`${origin}/push?token=correct-horse`, {
        signal: stop.signal,
      }),
    );
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error.message).toContain(`${origin}/push`);
    expect(Bun.inspect(error)).not.toContain("correct-horse");
    expect(outcomes).toEqual(["failed"]);
  });

  test("is given up after five seconds without an answer", async () => {
    const arrived = Promise.withResolvers<void>();
    const origin = serveBytes(() => arrived.resolve());
    const failure = failureOf(upstreamOf(origin).openSocket(origin, { signal: stop.signal }));
    await arrived.promise;
    await clock.advance(UPSTREAM_DEADLINE_MS);
    expect((await failure).message).toContain("in time");
    expect(clock.waiting()).toBe(0);
  });

  test("ends when a message is larger than allowed", async () => {
    const server = serveSockets((socket) => {
      socket.send("x".repeat(1024 * 1024));
      socket.send("x".repeat(1024 * 1024 + 1));
    });
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    expect(await socket.receive()).toHaveLength(1024 * 1024);
    expect((await failureOf(socket.receive())).message).toContain("more than a megabyte");
    await inTime("the end", server.closed);
  });

  test("ends when the server answers neither a ping nor anything else", async () => {
    const pinged = Promise.withResolvers<void>();
    const origin = serveBytes((socket, text) => {
      if (text.startsWith("GET")) socket.write(upgradeAnswer(text));
      else pinged.resolve();
    });
    const socket = await upstreamOf(origin).openSocket(origin, { signal: stop.signal });
    await clock.advance(PING_MS);
    await clock.advance(PING_MS);
    await inTime("a ping", pinged.promise);
    await clock.advance(PING_MS);
    expect((await failureOf(socket.receive())).message).toContain("fell silent");
  });

  test("lives on while the server says something", async () => {
    let push: Bun.ServerWebSocket<undefined> | undefined;
    const server = serveSockets((socket) => {
      push = socket;
    });
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    for (let round = 0; round < 5; round++) {
      await clock.advance(PING_MS - 1);
      push?.send(`still here ${round}`);
      expect(await inTime("a word", socket.receive())).toBe(`still here ${round}`);
    }
  });

  test("gives everything that a fast server has sent, in order", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => String(index));
    const server = serveSockets((socket) => {
      for (const text of many) socket.send(text);
    });
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    const got: unknown[] = [];
    while (got.length < many.length) got.push(await inTime("the next", socket.receive()));
    expect(got).toEqual(many);
  });

  test("lets a server wait that sends large messages, not only one that sends many", async () => {
    const mebibyte = 1024 * 1024;
    const opened = Promise.withResolvers<Bun.ServerWebSocket<undefined>>();
    const server = serveSockets((socket) => {
      for (let count = 0; count < 60; count++) socket.send("x".repeat(mebibyte));
      opened.resolve(socket);
    });
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    const sender = await inTime("the messages", opened.promise);
    // Time enough to take all of them for who does not wait.
    for (let turn = 0; turn < 100; turn++) await settle();
    expect(sender.getBufferedAmount()).toBeGreaterThan(30 * mebibyte);
    for (let count = 0; count < 60; count++) {
      expect(await inTime("the next", socket.receive())).toHaveLength(mebibyte);
    }
  });

  test("says that nothing came within a time", async () => {
    const server = serveSockets(() => {});
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    const word = socket.receive(1_000);
    await clock.advance(1_000);
    expect(await word).toBeUndefined();
  });

  test("ends with the caller's reason when it gives up, and leaves no timer", async () => {
    const origin = serveBytes(() => {});
    const opening = failureOf(upstreamOf(origin).openSocket(origin, { signal: stop.signal }));
    await settle();
    const reason = new Error("gave up");
    stop.abort(reason);
    expect(await opening).toBe(reason);
    expect(clock.waiting()).toBe(0);
  });

  test("ends when the server closes it", async () => {
    const server = serveSockets((socket) => socket.close(1008, "Unauthorized"));
    const socket = await upstreamOf(server.origin).openSocket(server.origin, {
      signal: stop.signal,
    });
    const error = await failureOf(socket.receive());
    expect(error.message).toContain("code 1008");
    expect(clock.waiting()).toBe(0);
  });
});

describe("an answer without an end", () => {
  const open = (origin: string) =>
    upstreamOf(origin).openStream(`${origin}/live?token=correct-horse`, {
      signal: stop.signal,
      silenceMs: 15_000,
    });

  test("is hung up on when the server is silent for too long, and not before", async () => {
    const asked = Promise.withResolvers<Bun.Socket<undefined>>();
    const closed = Promise.withResolvers<void>();
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.write("ICY 200 OK\r\n\r\n");
          asked.resolve(socket);
        },
        close: () => closed.resolve(),
      },
    });
    servers.push(server);
    const stream = await open(`http://127.0.0.1:${server.port}`);
    const late = stream.read();
    await clock.advance(14_999);
    (await asked.promise).write("a");
    expect(await inTime("bytes", late)).toEqual(Buffer.from("a"));
    const silent = failureOf(stream.read());
    await clock.advance(15_000);
    expect((await silent).message).toEndWith("/live fell silent");
    await inTime("the end", closed.promise);
    expect(clock.waiting()).toBe(0);
  });

  test.each([
    ["http://127.0.0.1", 80],
    ["https://127.0.0.1", 443],
    ["http://127.0.0.1:0", 0],
    ["https://127.0.0.1:0", 0],
  ])("is asked for where %s leads, which is port %d", async (origin, port) => {
    using connect = spyOn(Bun, "connect").mockRejectedValue(new Error("nobody answers"));
    expect((await failureOf(open(origin))).message).toContain("could not be reached");
    expect(connect.mock.calls[0]?.[0]).toMatchObject({ port });
  });
});
