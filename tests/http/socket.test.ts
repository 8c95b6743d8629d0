import { afterEach, beforeEach, expect, test } from "bun:test";
import { type SocketHandlers, upgraderFor } from "../../src/http/socket.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";

let server: TestServer;
let port: RealPort;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(async () => {
  await port.end();
  server.close();
});

const QUIET: SocketHandlers<object> = { opened() {}, received() {}, closed() {} };
const fail = () => {
  throw new Error("something with mq_secret0123456789");
};

test.each(["opened", "received", "closed"] as const)(
  "a socket's failure once %s is logged without secrets, and ends no other socket",
  async (event) => {
    const failing = { ...QUIET, [event]: fail };
    for (const [path, handlers] of [
      ["/failing", failing],
      ["/quiet", QUIET],
    ] as const) {
      server.app.elysia.get(path, ({ request, server: upgrading }) =>
        upgraderFor(handlers, upgrading)?.upgrade(request, { data: {} })
          ? undefined
          : new Response("", { status: 426 }),
      );
    }
    port = openPort(server);
    const connect = (path: string) => new WebSocket(port.origin.replace("http", "ws") + path);
    const quiet = connect("/quiet");
    const socket = connect("/failing");
    const closed = Promise.withResolvers<number>();
    socket.onclose = ({ code }) => closed.resolve(code);
    socket.onopen = () => {
      socket.send("hello");
      if (event === "closed") socket.close();
    };
    const code = await inTime("the end of the socket", closed.promise);
    if (event !== "closed") expect(code).toBe(1011);
    const line = await until(() => server.logged.find((one) => one.includes("a socket failed")));
    expect(line).toContain("something with [redacted]");
    expect(quiet.readyState).toBe(WebSocket.OPEN);
    quiet.close();
  },
);
