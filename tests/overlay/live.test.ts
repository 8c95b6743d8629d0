import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { Change } from "../../src/db/changes.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { parseWidgetToken, type WidgetToken } from "../../src/accounts/credential.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import type { WidgetSetup } from "../../widget/page.tsx";
import { attributeOf } from "../fixtures/http/html.ts";
import { openOverlay, type Overlay } from "../fixtures/http/overlay-socket.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { until } from "../fixtures/clock/waiting.ts";

const ANY_CHANGE: Change = { userId: undefined, concerns: () => true };

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

const addressOf = (token: string, language = "en") =>
  `${port.origin}/${language}/widget/${token}/live`;
const open = (token: string = ada.widgetToken) => openOverlay(addressOf(token));
/** Asks for the socket's address as a plain request, which the server answers before it is one. */
const ask = (headers: Record<string, string> = {}, token: string = ada.widgetToken) =>
  fetch(addressOf(token), { headers });
const connectedIs = (count: number) =>
  until(() => (server.app.gauges.overlays?.() === count ? true : undefined));

describe("an overlay's socket", () => {
  test("tells the whole state at once, at the position of this moment", async () => {
    await server.sourceOf(ada).says(aPlayback());
    // The first look starts the listening.
    const first = await open();
    await first.next();
    await server.clock.advance(2_500);
    const overlay = await open();
    expect(await overlay.next()).toMatchObject({
      type: "state",
      sentAtMs: START_MS + 2_500,
      state: {
        kind: "playing",
        positionMs: 12_500,
        track: {
          // A digest: the source's own id may be a stream's address.
          id: expect.stringMatching(/^[\w-]{22}$/),
          title: "Paper Lanterns",
          artist: "Juniper Vale",
          album: "Slow Weather",
          art: null,
          durationMs: 200_000,
          source: "",
        },
      },
    });
  });

  test("tells the state once it is known when the source is slow to speak", async () => {
    const overlay = await open();
    await connectedIs(1);
    await server.sourceOf(ada).says(null);
    expect(await overlay.next()).toMatchObject({ type: "state", state: { kind: "idle" } });
  });

  test("tells each change, at the position of the moment it is sent", async () => {
    const source = server.sourceOf(ada);
    await source.says(aPlayback());
    const overlay = await open();
    await overlay.next();
    await server.clock.advance(3_000);
    const observedAtMs = server.clock.monotonicMs() - 1_000;
    await source.says(aPlayback({ positionMs: 100_000, observedAtMs }));
    expect(await overlay.next()).toMatchObject({
      sentAtMs: START_MS + 3_000,
      state: { kind: "playing", positionMs: 101_000 },
    });
    await source.says(aPlayback({ state: "paused", positionMs: 102_000 }));
    expect(await overlay.next()).toMatchObject({ state: { kind: "paused", positionMs: 102_000 } });
    await source.says(null);
    expect(await overlay.next()).toMatchObject({ state: { kind: "idle" } });
  });

  test("tells how fast the position moves, where that is not as fast as time", async () => {
    const source = server.sourceOf(ada);
    await source.says(aPlayback({ rate: 1.5 }));
    const overlay = await open();
    expect(await overlay.next()).toMatchObject({ state: { rate: 1.5 } });
    await source.says(aPlayback({ rate: 1, positionMs: 100_000 }));
    expect(await overlay.next()).not.toHaveProperty("state.rate");
  });

  test("tells no position that nobody knows, until a track begins while it is watched", async () => {
    const source = server.sourceOf(ada);
    const observedAtMs = server.clock.monotonicMs();
    const unknown = aPlayback({ positionMs: 0, positionUnknown: true, observedAtMs });
    await source.says(unknown);
    const overlay = await open();
    expect(await overlay.next()).toMatchObject({ state: { kind: "playing", positionMs: null } });
    await source.says({ ...unknown, track: { ...unknown.track, id: "next" } });
    expect(await overlay.next()).toMatchObject({ state: { kind: "playing", positionMs: 0 } });
  });

  test("tells that the music cannot be followed", async () => {
    await server.sourceOf(ada).says(aPlayback());
    const overlay = await open();
    await overlay.next();
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.clock.advance(30_000);
    let message = await overlay.next();
    while (message.type !== "state") message = await overlay.next();
    expect(message.state).toEqual({ kind: "offline" });
  });

  test("beats every fifteen seconds, with the server's time", async () => {
    await server.sourceOf(ada).says(null);
    const overlay = await open();
    await overlay.next();
    for (let beats = 1; beats <= 3; beats++) {
      await server.clock.advance(15_000);
      expect(await overlay.next()).toEqual({ type: "beat", sentAtMs: START_MS + beats * 15_000 });
    }
  });

  test("believes nothing that the overlay says", async () => {
    await server.sourceOf(ada).says(null);
    const socket = new WebSocket(addressOf(ada.widgetToken).replace("http", "ws"));
    const messages: string[] = [];
    socket.onmessage = ({ data }) => messages.push(String(data));
    await until(() => (messages.length === 1 ? true : undefined));
    socket.send("hello");
    socket.send(new Uint8Array(100));
    await server.sourceOf(ada).says(aPlayback());
    await until(() => (messages.length === 2 ? true : undefined));
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe("a socket is refused", () => {
  test.each(["https://evil.example", "null", ""])(
    "to a page from elsewhere: %j",
    async (origin) => {
      // Bun's client sends no empty header, so that one goes out by hand.
      const { status } = await port.sendRaw(
        [
          `GET /en/widget/${ada.widgetToken}/live HTTP/1.1`,
          "Host: 127.0.0.1",
          `Origin: ${origin}`,
          "Connection: close",
          "\r\n",
        ].join("\r\n"),
      );
      expect(status).toBe(403);
    },
  );

  test("to the hundred and first overlay of a token, and to nobody else", async () => {
    const bob = await server.addUser("bob");
    const attempts = await Promise.allSettled(Array.from({ length: 130 }, () => open()));
    const opened = attempts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(opened).toHaveLength(100);
    expect((await ask()).status).toBe(429);
    const other = await open(bob.widgetToken);
    opened[0]?.close();
    await connectedIs(100);
    const next = await open();
    for (const overlay of [...opened, other, next]) overlay.close();
    await connectedIs(0);
  });
});

describe("a saved look", () => {
  const save = async (options: Record<string, string>, css = "") => {
    const { widgets } = server.accounts;
    const { id, revision } = await widgets.first(ada.user);
    await widgets.save(ada.user, id, { options, css, size: null }, { basedOn: revision });
  };
  const openAt = async (query: string, language = "en") => {
    const overlay = await openOverlay(`${addressOf(ada.widgetToken, language)}${query}`);
    expect(await overlay.next()).toMatchObject({ type: "state" });
    return overlay;
  };
  beforeEach(() => server.sourceOf(ada).says(null));

  test("reaches every open page of the widget, each with what its address asks for", async () => {
    const plain = await openAt("");
    const small = await openAt("?size=10&theme=bar", "fr");
    await save({ theme: "vinyl", color: "ff0000" }, ".np-title{color:red}");
    const look = { type: "look", revision: 2, css: ".np-title{color:red}" };
    expect(await plain.next()).toMatchObject({
      ...look,
      options: { theme: "vinyl", color: "#ff0000" },
      styles: expect.stringContaining("--np-fg:#ff0000"),
      languageTag: "en",
    });
    expect(await small.next()).toMatchObject({
      ...look,
      options: { theme: "bar", size: 10, color: "#ff0000" },
      words: { by: "de" },
    });
  });

  test("is not told when something else changes, nor to other users' pages", async () => {
    const bob = await server.addUser("bob");
    await server.sourceOf(bob).says(null);
    const [adas, bobs] = [await openAt(""), await open(bob.widgetToken)];
    await bobs.next();
    await server.accounts.keys.add(ada.user, "another key");
    await server.app.followChange(ANY_CHANGE);
    await save({ theme: "art" });
    expect(await adas.next()).toMatchObject({ type: "look", options: { theme: "art" } });
    await server.app.followChange(ANY_CHANGE);
    expect([adas.unread(), bobs.unread()]).toEqual([0, 0]);
  });

  test("reaches a page that was drawn before it and connects after it", async () => {
    const page = await server.get(`/en/widget/${ada.widgetToken}`);
    const setup = (await attributeOf(page, "html", "data-np-setup")) ?? "";
    const { look } = JSON.parse(setup) as WidgetSetup;
    const early = await openAt(`?drawn=${look}`);
    await save({ theme: "text" });
    const late = await openAt(`?drawn=${look}`);
    expect(await late.next()).toMatchObject({ type: "look", options: { theme: "text" } });
    expect(await early.next()).toMatchObject({ type: "look", options: { theme: "text" } });
    expect([early.unread(), late.unread()]).toEqual([0, 0]);
  });

  test("that cannot be read is logged, and the page is shown the music", async () => {
    const { widgets } = server.accounts;
    const found = widgets.find(parseWidgetToken(ada.widgetToken) as WidgetToken);
    const find = spyOn(widgets, "find").mockImplementation(() => {
      throw new Error("no database");
    });
    find.mockReturnValueOnce(found);
    await openAt("?drawn=before");
    await until(() => server.logged.find((line) => line.includes("no database")));
    find.mockRestore();
    expect(server.app.gauges.overlays?.()).toBe(1);
  });

  test("is a new language too", async () => {
    const overlay = await openAt("");
    const { widgets } = server.accounts;
    const first = await widgets.first(ada.user);
    await widgets.save(ada.user, first.id, first, { basedOn: first.revision, language: "de" });
    expect(await overlay.next()).toMatchObject({ languageTag: "de", words: { by: "von" } });
  });
});

describe("a token that is replaced", () => {
  const closeCodeOf = (overlay: Overlay) => overlay.closed;

  test("closes its overlays with 4404 at the next check", async () => {
    await server.sourceOf(ada).says(aPlayback());
    const overlays = await Promise.all([open(), open()]);
    await server.accounts.widgets.rotate(ada.user, 1);
    await server.app.followChange(ANY_CHANGE);
    expect(await Promise.all(overlays.map(closeCodeOf))).toEqual([4404, 4404]);
    await connectedIs(0);
  });

  test("opens no socket any more, while the one in its place does", async () => {
    const next = await server.accounts.widgets.rotate(ada.user, 1);
    await expect(open()).rejects.toThrow();
    await server.sourceOf(ada).says(null);
    expect(await (await open(next)).next()).toMatchObject({ type: "state" });
  });

  test("closes nobody else's", async () => {
    const bob = await server.addUser("bob");
    await server.sourceOf(bob).says(null);
    const adas = await open();
    const bobs = await open(bob.widgetToken);
    await bobs.next();
    await server.accounts.widgets.rotate(ada.user, 1);
    await server.app.followChange(ANY_CHANGE);
    expect(await adas.closed).toBe(4404);
    await server.sourceOf(bob).says(aPlayback());
    expect(await bobs.next()).toMatchObject({ state: { kind: "playing" } });
    expect(server.app.gauges.overlays?.()).toBe(1);
  });

  test("is one whose user is removed, too", async () => {
    const overlay = await open();
    await server.accounts.users.remove("ada");
    await server.app.followChange(ANY_CHANGE);
    expect(await overlay.closed).toBe(4404);
  });

  test("is not one that only was checked", async () => {
    await server.sourceOf(ada).says(null);
    const overlay = await open();
    await overlay.next();
    await server.app.followChange(ANY_CHANGE);
    await server.sourceOf(ada).says(aPlayback());
    expect(await overlay.next()).toMatchObject({ state: { kind: "playing" } });
  });
});

describe("listening to the source", () => {
  test("ends a minute after the last overlay has gone, and leaves nothing behind", async () => {
    await server.sourceOf(ada).says(null);
    const overlays = await Promise.all([open(), open()]);
    for (const overlay of overlays) await overlay.next();
    for (const overlay of overlays) overlay.close();
    await connectedIs(0);
    await server.clock.advance(59_999);
    expect(server.sourceOf(ada).listeners()).toBe(1);
    await server.clock.advance(60_001);
    expect(server.sourceOf(ada).listeners()).toBe(0);
    expect(server.hub.running()).toBe(0);
    expect(server.clock.waiting()).toBe(0);
  });

  test("has no overlay left after many came and went", async () => {
    for (let round = 0; round < 10; round++) {
      const overlays = await Promise.all(Array.from({ length: 20 }, () => open()));
      for (const overlay of overlays) overlay.close();
      await connectedIs(0);
    }
    await server.clock.advance(120_000);
    expect(server.hub.running()).toBe(0);
    expect(server.clock.waiting()).toBe(0);
  });
});
