import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { STREAM_STARTED, STREAM_STOPPED } from "../../widget/state.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { openOverlay, type Overlay } from "../fixtures/http/overlay-socket.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let port: RealPort;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  port = openPort(server);
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
});
afterEach(async () => {
  await port.end();
  server.close();
});

const allow = (followsStreams: boolean) =>
  server.accounts.history.change(ada.user, { keeps: "day", followsStreams });
const open = () => openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
const stream = () => server.accounts.history.streamOf(ada.user.id);
/** Waits for a message of a type; others are passed over. */
async function plays(overlay: Overlay, type: string) {
  for (;;) {
    const message = await overlay.next();
    if (message.type === type) return message;
  }
}
/** Opens an overlay that is asked to tell. */
async function openAsked(): Promise<Overlay> {
  const overlay = await open();
  expect(await plays(overlay, "streaming")).toEqual({ type: "streaming", wanted: true });
  return overlay;
}
async function says(overlay: Overlay, ...words: (string | Uint8Array<ArrayBuffer>)[]) {
  for (const word of words) await overlay.say(word);
  await settle();
}

describe("an overlay", () => {
  test("is not asked about streams unless its user allows it, and not believed", async () => {
    const overlay = await open();
    await plays(overlay, "state");
    await says(overlay, STREAM_STARTED);
    expect(overlay.unread()).toBe(0);
    await allow(true);
    expect(stream()).toBeUndefined();
  });

  test("is asked as soon as its user allows it, and told when that ends", async () => {
    const overlay = await open();
    await plays(overlay, "state");
    await allow(true);
    expect(await plays(overlay, "streaming")).toEqual({ type: "streaming", wanted: true });
    await allow(false);
    expect(await plays(overlay, "streaming")).toEqual({ type: "streaming", wanted: false });
    await says(overlay, STREAM_STARTED);
    await allow(true);
    expect(stream()).toBeUndefined();
  });

  test("tells of the start and the end of a stream", async () => {
    await allow(true);
    const overlay = await openAsked();
    const startedAt = server.clock.wallMs();
    await says(overlay, STREAM_STARTED);
    expect(stream()).toEqual({ startedAt, endedAt: null });
    await server.clock.advance(60_000);
    await says(overlay, STREAM_STOPPED);
    expect(stream()).toEqual({ startedAt, endedAt: startedAt + 60_000 });
  });

  test("is not understood when it says anything else", async () => {
    await allow(true);
    const overlay = await openAsked();
    await says(
      overlay,
      `${STREAM_STARTED} `,
      STREAM_STARTED.toUpperCase(),
      '{"type":"streaming","state":"started","scene":"Home"}',
      "{",
      "",
      new TextEncoder().encode(STREAM_STARTED),
    );
    expect(stream()).toBeUndefined();
    void overlay.say("x".repeat(2_000)).catch(() => {});
    expect(await overlay.closed).toBe(1009);
  });

  test("that says it does not stream ends no stream of another computer", async () => {
    await allow(true);
    const streaming = await openAsked();
    await says(streaming, STREAM_STARTED);
    await says(await openAsked(), STREAM_STOPPED);
    expect(stream()).toMatchObject({ endedAt: null });
  });

  test("that comes back without a stream ends it when it was lost", async () => {
    await allow(true);
    const overlay = await openAsked();
    await says(overlay, STREAM_STARTED);
    await server.clock.advance(600_000);
    const lostAt = server.clock.wallMs();
    overlay.close();
    await until(async () => server.app.gauges.overlays?.() === 0 || undefined);
    await server.clock.advance(3_600_000);
    expect(stream()).toMatchObject({ endedAt: null });
    await says(await openAsked(), STREAM_STOPPED);
    expect(stream()).toMatchObject({ endedAt: lostAt });
  });

  test("that says much is followed once a second, and its last word counts", async () => {
    await allow(true);
    const overlay = await openAsked();
    await says(overlay, STREAM_STARTED, STREAM_STOPPED, STREAM_STARTED, STREAM_STOPPED);
    expect(stream()).toMatchObject({ endedAt: null });
    await server.clock.advance(1_000);
    expect(stream()).toMatchObject({ endedAt: server.clock.wallMs() });
  });

  test("of the public demo is not asked", async () => {
    await allow(true);
    const overlay = await openOverlay(`${port.origin}/en/demo/live`);
    await plays(overlay, "state");
    await says(overlay, STREAM_STARTED);
    expect(overlay.unread()).toBe(0);
  });
});
