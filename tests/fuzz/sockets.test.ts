import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { SEED } from "../fixtures/seed.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { isThorough } from "../fixtures/thorough.ts";

const CLIENTS = isThorough ? 250 : 80;

let server: TestServer;
let port: RealPort;
let ada: AddedUser;
let browser: SignedIn;
/** The address of each socket, and what opens it. */
let sockets: Record<string, { readonly path: string; readonly headers: readonly string[] }>;

beforeAll(async () => {
  const number = freePort();
  const baseUrl = `http://127.0.0.1:${number}`;
  server = await createTestServer({
    baseUrl,
    logLevel: "info",
    settings: { rateLimitSeconds: "0" },
  });
  port = openPort(server, { port: number });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(aPlayback());
  browser = await signIn(server, ada, baseUrl);
  const { connections } = server.accounts;
  const { id } = await connections.connect(ada.user, "webnowplaying", null);
  const secret = await connections.secretOf(id);
  sockets = {
    overlay: { path: `/en/widget/${ada.widgetToken}/live`, headers: [] },
    dashboard: {
      path: "/en/dashboard/live",
      headers: [`Cookie: ${browser.cookie}`, `Origin: ${baseUrl}`],
    },
    events: { path: "/api/v1/now-playing/events", headers: [`X-Api-Key: ${ada.key}`] },
    webnowplaying: { path: `/in/${secret}/webnowplaying`, headers: [] },
  };
});
afterAll(async () => {
  await port.end();
  server.close();
});

/** A frame of RFC 6455 as bytes, right or wrong. */
interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly reserved: number;
  readonly isMasked: boolean;
  /** What the head says of the length, in place of the right one. */
  readonly claims: number | null;
  readonly payload: Uint8Array;
}

const frame: fc.Arbitrary<Frame> = fc.record({
  opcode: fc.oneof(fc.constantFrom(1, 1, 2, 8, 9, 10, 0), fc.nat({ max: 15 })),
  isLast: fc.oneof(fc.constant(true), fc.boolean()),
  reserved: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat({ max: 7 })),
  isMasked: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.boolean()),
  claims: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    fc.constantFrom(0, 1, 125, 65_535, 2 ** 31, 2 ** 40),
  ),
  payload: fc.oneof(
    { weight: 6, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 3, arbitrary: fc.string().map((text) => new TextEncoder().encode(text)) },
    fc.constantFrom(1_025, 70_000, 3_000_000).map((length) => new Uint8Array(length)),
  ),
});

function bytesOf({ opcode, isLast, reserved, isMasked, claims, payload }: Frame): Uint8Array {
  const length = claims ?? payload.length;
  const head = [(isLast ? 0x80 : 0) | (reserved << 4) | opcode];
  const mask = isMasked ? 0x80 : 0;
  if (length < 126) head.push(mask | length);
  else if (length < 65_536) head.push(mask | 126, length >> 8, length & 0xff);
  else {
    const long = new DataView(new ArrayBuffer(8));
    long.setBigUint64(0, BigInt(length));
    head.push(mask | 127, ...new Uint8Array(long.buffer));
  }
  // A mask of zeros changes nothing.
  return Buffer.concat([Uint8Array.from([...head, ...(isMasked ? [0, 0, 0, 0] : [])]), payload]);
}

/** Opens a socket by hand, sends the frames, and hangs up. Resolves when the server has let go. */
async function attack(path: string, headers: readonly string[], frames: readonly Frame[]) {
  const closed = Promise.withResolvers<void>();
  let answer = "";
  const request = [
    `GET ${path} HTTP/1.1`,
    `Host: ${new URL(port.origin).host}`,
    ...headers,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "\r\n",
  ].join("\r\n");
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: port.port,
    socket: {
      open: (opened) => void opened.write(request),
      data: (_, chunk) => void (answer += chunk.toString("latin1")),
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  });
  await until(() => answer.includes("\r\n\r\n") || undefined);
  expect(answer.slice(0, 12)).toBe("HTTP/1.1 101");
  for (const one of frames) socket.write(bytesOf(one));
  socket.end();
  await inTime("the end of a socket", closed.promise);
}

test.each(["overlay", "dashboard", "events", "webnowplaying"])(
  `frames that no client should send to the socket of %s harm nobody else on it`,
  async (name) => {
    const { path = "", headers = [] } = sockets[name] ?? {};
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    await overlay.next();
    const frames = fc.array(frame, { minLength: 1, maxLength: 6 });
    for (const sent of fc.sample(frames, { numRuns: CLIENTS, seed: SEED })) {
      // Within the limits of what may be asked and sent.
      await server.clock.advance(1_000);
      await attack(path, headers, sent);
    }
    const title = `After ${name}`;
    const track = { id: title, title, durationMs: 200_000, explicit: false };
    await server.sourceOf(ada).says(aPlayback({ track, observedAtMs: server.clock.monotonicMs() }));
    for (;;) {
      const message = await overlay.next();
      if (JSON.stringify(message).includes(title)) break;
    }
    expect((await server.get("/livez")).status).toBe(200);
    await until(() => server.app.gauges.overlays?.() === 1 || undefined);
    overlay.close();
    await until(() => server.app.gauges.overlays?.() === 0 || undefined);
    expect(server.logged.filter((line) => / error /.test(line))).toEqual([]);
  },
);
