import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import {
  afterText,
  type Browser,
  GREETING,
  NEW_BROWSER,
  readPicture,
  shownOf,
  trackOf,
} from "../../src/ingest/webnowplaying.ts";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import type { PushedCovers } from "../../src/ingest/covers.ts";
import type { Artwork } from "../../src/playback.ts";
import {
  createPictures,
  MOST_PICTURE_BYTES,
  type Pictures,
} from "../../src/ingest/webnowplaying-pictures.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

interface Fields {
  readonly name?: string;
  readonly title?: string;
  readonly artist?: string;
  readonly album?: string;
  readonly cover?: string;
  readonly state?: string;
  readonly position?: string;
  readonly duration?: string;
  readonly volume?: string;
  readonly activeAt?: string;
}

/** A frame with its 26 fields; those not given have not changed. */
function frame(kind: "0" | "1", id: string, fields: Fields): string {
  const { name, title, artist, album, cover, state, position, duration, volume, activeAt } = fields;
  const known = [id, name, title, artist, album, cover, state, position, duration, volume];
  const all = [...known, ...Array<undefined>(15), activeAt].map((field) =>
    (field ?? "").replaceAll("|", "\\|"),
  );
  return `${kind} ${id} ${all.map((field) => `${field}|`).join("")}`;
}

const SONG: Fields = {
  name: "YouTube Music",
  title: "Paper Lanterns",
  artist: "Juniper Vale",
  album: "Slow Weather",
  cover: "https://covers.example/1.png",
  state: "0",
  position: "10",
  duration: "200",
  volume: "40",
  activeAt: "1700000000000",
};

const picture = async (id: number) => {
  const png = await patternPicture("png", 16);
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, id, true);
  return Buffer.concat([head, png]);
};

let server: PushedServer;
let port: RealPort;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  server = await createPushedServer("webnowplaying");
  port = openPort(server);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await port.end();
  server.close();
});

/** A browser with the extension, after our greeting. */
async function openBrowser(secret = server.secret) {
  const socket = new WebSocket(`${port.origin.replace("http", "ws")}/in/${secret}/webnowplaying`);
  sockets.push(socket);
  const greeting = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => greeting.resolve(String(data));
  socket.onclose = ({ code }) => {
    closed.resolve(code);
    greeting.resolve(`closed ${code}`);
  };
  return {
    greeting: await greeting.promise,
    send: (message: string | Uint8Array<ArrayBuffer>) => socket.send(message),
    /** Resolves when the server has read all that was sent. */
    async read() {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.addEventListener("pong", () => resolve(), { once: true });
      // Bun's sockets can ping; the types are those of browsers.
      if ("ping" in socket && typeof socket.ping === "function") socket.ping();
      await inTime("an answer to a ping", promise);
      await settle();
    },
    close: () => socket.close(),
    closed: closed.promise,
  };
}

const titleShown = async (title: string | undefined) =>
  until(async () => {
    const shown = await server.shown();
    return shown?.track.name === title ? { shown } : undefined;
  });

describe("WebNowPlaying", () => {
  test("is greeted first, and believed about what plays", async () => {
    const browser = await openBrowser();
    expect(browser.greeting).toBe("ADAPTER_VERSION 1.0.0;WNPLIB_REVISION 3");
    browser.send("4 0");
    browser.send(frame("0", "7", SONG));
    const { shown } = await titleShown("Paper Lanterns");
    expect(shown).toMatchObject({
      is_playing: true,
      progress_ms: 10_000,
      track: { duration_ms: 200_000 },
      artist_name: "Juniper Vale",
      album: { name: "Slow Weather" },
      device: { name: "YouTube Music", volume: 40 },
    });
    expect(shown?.album.images).toHaveLength(1);
  });

  test("ends when its last player is removed", async () => {
    const browser = await openBrowser();
    browser.send(frame("0", "7", SONG));
    await titleShown("Paper Lanterns");
    browser.send("2 7");
    await titleShown(undefined);
  });

  test("counts five seconds more when its connection ends", async () => {
    const browser = await openBrowser();
    browser.send(frame("0", "7", { ...SONG, duration: "0" }));
    await titleShown("Paper Lanterns");
    await server.clock.advance(3_600_000);
    expect(await server.shown()).not.toBe(null);
    browser.close();
    await until(() => (server.clock.waiting() > 1 ? true : undefined));
    await server.clock.advance(4_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test("goes on with a browser that is still there when another leaves", async () => {
    const [first, second] = [await openBrowser(), await openBrowser()];
    first.send(frame("0", "1", { ...SONG, title: "Older" }));
    second.send(frame("0", "1", { ...SONG, title: "Newer", activeAt: "1800000000000" }));
    await titleShown("Newer");
    second.close();
    await titleShown("Older");
  });

  test("waits five seconds for a browser that has left while another one only pauses", async () => {
    const [first, second] = [await openBrowser(), await openBrowser()];
    second.send(frame("0", "1", { ...SONG, title: "Pausing", state: "1" }));
    await titleShown("Pausing");
    first.send(frame("0", "1", { ...SONG, title: "Playing" }));
    await titleShown("Playing");
    const before = server.clock.waiting();
    first.close();
    await until(() => (server.clock.waiting() > before ? true : undefined));
    await server.clock.advance(4_999);
    expect((await server.shown())?.track.name).toBe("Playing");
    await server.clock.advance(1);
    expect((await server.shown())?.track.name).toBe("Pausing");
  });

  // The id is a tab's with random digits behind it: Chromium's are longer than the 32 bits in a picture.
  test.each([7, 11_234, 12_412_822_066_467])(
    "shows a cover that only the browser can load, of the player %d",
    async (id) => {
      const browser = await openBrowser();
      browser.send(frame("0", `${id}`, { ...SONG, cover: "http://music.home.example/cover.png" }));
      expect((await titleShown("Paper Lanterns")).shown?.album.images).toEqual([]);
      browser.send(await picture(id));
      browser.send(frame("1", `${id}`, { title: "Next", cover: "http://music.home.example/next" }));
      const [image] = (await titleShown("Next")).shown?.album.images ?? [];
      const art = await fetch(`${port.origin}${new URL(image?.url ?? "").pathname}`);
      expect([art.status, art.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    },
  );

  test("is not closed for nonsense, and what was playing stays", async () => {
    const browser = await openBrowser();
    browser.send(frame("0", "7", SONG));
    await titleShown("Paper Lanterns");
    for (const nonsense of [
      "",
      "x",
      "0 7 a|b|",
      "9 9",
      "2 8",
      "TITLE Next",
      "{}",
      "x".repeat(70_000),
    ]) {
      browser.send(nonsense);
    }
    browser.send(new Uint8Array(0));
    browser.send(new Uint8Array(1_500_000));
    browser.send(frame("1", "7", { title: "Still there" }));
    await titleShown("Still there");
  });

  test("is refused when eight others are open with its secret, until one of them leaves", async () => {
    const browsers = [];
    for (let open = 0; open < 8; open++) {
      // Within the limit on what a secret may send in a second.
      await server.clock.advance(100);
      browsers.push(await openBrowser());
    }
    const ninth = await openBrowser();
    expect(await ninth.closed).toBe(1008);
    browsers[0]?.close();
    await browsers[0]?.closed;
    expect((await openBrowser()).greeting).toStartWith("ADAPTER_VERSION");
  });

  test("is let go when its secret is rotated", async () => {
    const browser = await openBrowser();
    await server.accounts.connections.rotateSecret(server.connectionId);
    expect(await browser.closed).toBe(1008);
  });

  test("comes back later when the server stops", async () => {
    const browser = await openBrowser();
    await settle();
    void port.stop(1_000);
    expect(await browser.closed).toBe(1012);
  });
});

/** The dashboard of the user, open in a browser. */
async function openDashboard() {
  const { cookie } = await signIn(server, server.ada);
  const { host } = new URL(port.origin);
  const origin = "http://127.0.0.1:4747";
  const headers = { cookie, host, origin };
  const socket: WebSocket = Reflect.construct(WebSocket, [
    `${port.origin.replace("http", "ws")}/en/dashboard/live`,
    { headers },
  ]);
  sockets.push(socket);
  const messages: string[] = [];
  const first = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    messages.push(String(data));
    first.resolve();
  };
  await inTime("the dashboard's first state", first.promise);
  return messages;
}

describe("more frames than a program may push", () => {
  /** What follows from the frames: words that are stored, deliveries, states of dashboards. */
  async function countWhatFollows() {
    const messages = await openDashboard();
    const words = spyOn(server.inbox, "put");
    const states = spyOn(server.accounts.connections, "allOf");
    let posts = 0;
    let readings = 0;
    server.inbox.onPost(() => (posts += 1));
    const first = Promise.withResolvers<void>();
    server.hub.subscribe(server.ada.user.id, () => {
      readings += 1;
      first.resolve();
    });
    await inTime("a first reading", first.promise);
    await settle();
    const before = { states: states.mock.calls.length, readings, messages: messages.length };
    return () => ({
      words: words.mock.calls.length,
      posts,
      readings: readings - before.readings,
      states: states.mock.calls.length - before.states,
      messages: messages.length - before.messages,
    });
  }

  test("are shown twenty times in a second, and the last of them when the next one begins", async () => {
    const follows = await countWhatFollows();
    await server.clock.advance(1_000);
    const browser = await openBrowser();
    for (let at = 1; at <= 150; at++)
      browser.send(frame("1", "7", { ...SONG, title: `Song ${at}` }));
    await browser.read();
    // Its connection was the first message.
    expect((await server.shown())?.track.name).toBe("Song 19");
    // The dashboard is drawn for the frames, and that travels over a socket.
    await until(() => follows().messages > 0 || undefined);
    const first = follows();
    expect(first).toMatchObject({ words: 19, posts: 19 });
    expect(first.readings).toBeWithin(1, 21);
    expect(first.states).toBeWithin(1, 39);
    expect(first.messages).toBeWithin(1, 39);
    await server.clock.advance(1_000);
    expect((await server.shown())?.track.name).toBe("Song 150");
    expect(follows()).toMatchObject({ words: 20, posts: 20, readings: first.readings + 1 });
    browser.send(frame("1", "7", { title: "Still there" }));
    await browser.read();
    expect((await server.shown())?.track.name).toBe("Still there");
  });

  test("close the socket past two hundred, and the browser can come back in the next second", async () => {
    const follows = await countWhatFollows();
    await server.clock.advance(1_000);
    const browser = await openBrowser();
    for (let at = 0; at < 20_000; at++) {
      browser.send(frame("1", "7", { ...SONG, title: `Song ${at}` }));
    }
    expect(await browser.closed).toBe(1008);
    await settle();
    const { words, posts, readings, states } = follows();
    expect([words, posts]).toEqual([19, 20]);
    expect(readings).toBeWithin(1, 22);
    expect(states).toBeWithin(1, 41);
    const { refusal } = server.inbox.postOf(server.connectionId);
    expect(refusal?.reason).toBe("More came at once than a browser sends.");
    expect((await openBrowser()).greeting).toStartWith("closed");
    await server.clock.advance(1_000);
    expect((await openBrowser()).greeting).toStartWith("ADAPTER_VERSION");
  });

  test("count together, over all sockets of the secret", async () => {
    const [one, other] = [await openBrowser(), await openBrowser()];
    for (let at = 0; at < 150; at++) one.send("4 0");
    await one.read();
    for (let at = 0; at < 150; at++) other.send("4 0");
    expect(await other.closed).toBe(1008);
  });

  test.each([
    ["text", () => "x".repeat(65_000), 16],
    ["pictures", () => new Uint8Array(2 * 1024 * 1024), 16],
  ])("close the socket, too, when they have too much %s", async (_, make, most) => {
    const browser = await openBrowser();
    for (let at = 0; at < most; at++) browser.send(make());
    await browser.read();
    await server.clock.advance(1_000);
    for (let at = 0; at < most + 1; at++) browser.send(make());
    expect(await browser.closed).toBe(1008);
  });

  test("that nobody understands are noted twenty times in a second", async () => {
    const follows = await countWhatFollows();
    await server.clock.advance(1_000);
    const browser = await openBrowser();
    for (let at = 0; at < 150; at++) browser.send("nonsense");
    await browser.read();
    await server.clock.advance(1_000);
    expect(follows()).toMatchObject({ words: 0, posts: 19, readings: 0 });
  });

  test("are read all the same: a browser with sixteen tabs tells of each when it connects", async () => {
    const browser = await openBrowser();
    browser.send("4 0");
    for (let tab = 1; tab <= 16; tab++) {
      const activeAt = tab === 12 ? "1900000000000" : "1700000000000";
      browser.send(await picture(tab));
      browser.send(frame("0", String(tab), { ...SONG, title: `Tab ${tab}`, activeAt, cover: "x" }));
    }
    await browser.read();
    await server.clock.advance(1_000);
    const shown = await server.shown();
    expect(shown?.track.name).toBe("Tab 12");
    expect(shown?.album.images).toHaveLength(1);
    // What was told once is known, although it was past the limit.
    browser.send("2 12");
    browser.send(frame("1", "15", { activeAt: "1900000000001" }));
    await browser.read();
    expect((await server.shown())?.track.name).toBe("Tab 15");
  });
});

describe("the pictures of WebNowPlaying", () => {
  const MEGABYTE = 1024 * 1024;
  const artworks = new WeakMap<Artwork, Uint8Array>();
  const sent: PushedCovers["sent"] = (bytes, origin) => {
    const artwork: Artwork = { key: "picture", origin, load: async () => bytes };
    artworks.set(artwork, bytes);
    return artwork;
  };
  /** How many bytes of pictures can still be shown, of so many connections. */
  const keptOf = (pictures: Pictures, connections: number) => {
    let bytes = 0;
    for (let id = 0; id < connections; id++) {
      const artwork = pictures.shownOf(id, "test");
      bytes += (artwork && artworks.get(artwork)?.length) ?? 0;
    }
    return bytes;
  };

  test("are one of each connection that is shown, and one that waits", () => {
    const pictures = createPictures({ sent });
    const ids = Array.from({ length: 16 }, (_, at) => pictures.receive(1, new Uint8Array([at])));
    for (const id of ids.slice(0, -1)) {
      pictures.show(1, id);
      expect(pictures.shownOf(1, "test")).toBe(undefined);
    }
    pictures.show(1, ids[15]);
    const shown = pictures.shownOf(1, "test");
    expect(shown && artworks.get(shown)).toEqual(new Uint8Array([15]));
    const next = pictures.receive(1, new Uint8Array([16]));
    expect(pictures.shownOf(1, "test")).toBe(shown);
    pictures.show(1, next);
    pictures.show(1, ids[15]);
    expect(pictures.shownOf(1, "test")).toBe(undefined);
  });

  test("of all connections take 32 megabytes at most, and the oldest make room", () => {
    const pictures = createPictures({ sent });
    for (let id = 0; id < 40; id++) {
      pictures.show(id, pictures.receive(id, new Uint8Array(2 * MEGABYTE)));
    }
    expect(pictures.shownOf(23, "test")).toBe(undefined);
    expect(pictures.shownOf(24, "test")).toBeDefined();
    expect(keptOf(pictures, 40)).toBe(MOST_PICTURE_BYTES);
  });

  test("make room for those that wait, too", () => {
    const pictures = createPictures({ sent });
    pictures.show(0, pictures.receive(0, new Uint8Array(2 * MEGABYTE)));
    const waiting = Array.from({ length: 17 }, (_, at) =>
      pictures.receive(at + 1, new Uint8Array(2 * MEGABYTE)),
    );
    for (const [at, id] of waiting.entries()) pictures.show(at + 1, id);
    expect(keptOf(pictures, 18)).toBe(MOST_PICTURE_BYTES);
    expect([0, 1, 2].map((id) => pictures.shownOf(id, "test") !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("stay a cover that is known when they have made room", () => {
    const pictures = createPictures({ sent });
    pictures.show(0, pictures.receive(0, new Uint8Array(2 * MEGABYTE)));
    const cover = pictures.shownOf(0, "test");
    for (let id = 1; id < 40; id++) pictures.receive(id, new Uint8Array(2 * MEGABYTE));
    expect(pictures.shownOf(0, "test")).toBe(cover);
  });

  test("are forgotten with the connection's last socket", () => {
    const pictures = createPictures({ sent });
    pictures.show(1, pictures.receive(1, new Uint8Array(1)));
    const waiting = pictures.receive(1, new Uint8Array(1));
    pictures.forget(1);
    expect(pictures.shownOf(1, "test")).toBe(undefined);
    pictures.show(1, waiting);
    expect(pictures.shownOf(1, "test")).toBe(undefined);
  });

  test("give way to the address of a cover when another player was shown meanwhile", async () => {
    const browser = await openBrowser();
    browser.send(await picture(1));
    browser.send(frame("0", "1", { ...SONG, title: "One" }));
    await browser.read();
    const sentCover = (await server.shown())?.album.images[0]?.url;
    expect(sentCover).toContain("/art/");
    browser.send(frame("0", "2", { ...SONG, title: "Two", activeAt: "1800000000000", cover: "" }));
    await browser.read();
    expect((await server.shown())?.track.name).toBe("Two");
    browser.send("2 2");
    await browser.read();
    const shown = await server.shown();
    expect(shown?.track.name).toBe("One");
    expect(shown?.album.images).toHaveLength(1);
    expect(shown?.album.images[0]?.url).not.toBe(sentCover);
  });

  test("of a tab that is not shown leave the shown one's in place", async () => {
    const browser = await openBrowser();
    browser.send(await picture(1));
    browser.send(frame("0", "1", { ...SONG, title: "One" }));
    await browser.read();
    const before = (await server.shown())?.album.images;
    browser.send(await picture(2));
    browser.send(frame("0", "2", { ...SONG, title: "Two", activeAt: "1" }));
    browser.send(frame("1", "1", { position: "11" }));
    await browser.read();
    expect(await server.shown()).toMatchObject({ progress_ms: 11_000, album: { images: before } });
  });
});

describe("the port for WebNowPlaying", () => {
  let local: RealPort;
  let localPort: number;
  beforeEach(() => {
    localPort = freePort();
    local = openPort(server, { webnowplayingPort: localPort });
  });
  afterEach(() => local.end());

  /** What is said first, or the status of a refusal. */
  const open = async (origin?: string): Promise<string> => {
    const headers = { ...(origin && { origin }) };
    const said = Promise.withResolvers<string>();
    // Bun's client sends headers, which a browser's type does not know.
    const socket: WebSocket = Reflect.construct(WebSocket, [
      `ws://127.0.0.1:${localPort}/`,
      { headers },
    ]);
    sockets.push(socket);
    socket.onmessage = ({ data }) => said.resolve(String(data));
    socket.onclose = () => said.resolve("closed");
    socket.onopen = () => socket.send(frame("0", "1", SONG));
    return said.promise;
  };

  test.each([undefined, "chrome-extension://abc", "moz-extension://abc"])(
    "listens to the extension, whose origin is %p",
    async (origin) => {
      expect(await open(origin)).toBe(GREETING);
      await titleShown("Paper Lanterns");
    },
  );

  test.each(["https://evil.example", "http://127.0.0.1:4747", "null"])(
    "refuses a page from %p",
    async (origin) => {
      expect(await open(origin)).toBe("closed");
      const headers = { origin };
      expect((await fetch(`http://127.0.0.1:${localPort}/`, { headers })).status).toBe(403);
    },
  );

  test("opens nothing else, and no inbox but the owner's, also when a member has the only one", async () => {
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${localPort}/en/`);
      return { status: response.status, error: (await response.json()).error };
    };
    expect(await ask()).toMatchObject({ status: 426 });
    const { connections } = server.accounts;
    const [own] = connections.allOf(server.ada.user.id);
    if (!own) throw new Error("ada has no connection");
    await connections.disconnect(server.ada.user, own.publicId);
    const [grace] = await server.accounts.add(["grace"], {
      source: "webnowplaying",
      settings: null,
    });
    expect(grace?.user.role).toBe("member");
    expect(await ask()).toEqual({
      status: 404,
      error: "The owner of this server has not connected WebNowPlaying",
    });
    expect(await open()).toBe("closed");
    await connections.connect(server.ada.user, "webnowplaying", null);
    expect(await open()).toBe(GREETING);
  });

  test("lets a browser go when the owner's connection ends, although a member has one", async () => {
    await server.accounts.add(["grace"], { source: "webnowplaying", settings: null });
    expect(await open()).toBe(GREETING);
    await titleShown("Paper Lanterns");
    const [browser] = sockets;
    const closed = new Promise((resolve) => browser?.addEventListener("close", resolve));
    const [own] = server.accounts.connections.allOf(server.ada.user.id);
    if (!own) throw new Error("ada has no connection");
    await server.accounts.connections.disconnect(server.ada.user, own.publicId);
    expect(await closed).toMatchObject({ code: 1008 });
  });

  test("that is taken is named by its own setting", () => {
    const listenAgain = () => openPort(server, { webnowplayingPort: localPort });
    expect(listenAgain).toThrow(/--webnowplaying-port or MARQUEE_WEBNOWPLAYING_PORT/);
  });
});

describe("a browser", () => {
  const told = (frames: readonly string[], nowMs = 0) =>
    frames.reduce<Browser>(
      (browser, one) => afterText(browser, one, nowMs) ?? browser,
      NEW_BROWSER,
    );
  const shownTitle = (...frames: string[]) => shownOf([told(frames)])?.title;

  test("is shown by the player that is followed, of these by the one used last", () => {
    const muted = frame("0", "1", { ...SONG, title: "Muted", volume: "0", activeAt: "9" });
    const paused = frame("0", "2", { ...SONG, title: "Paused", state: "1", activeAt: "8" });
    const older = frame("0", "3", { ...SONG, title: "Older", activeAt: "1" });
    const newer = frame("0", "4", { ...SONG, title: "Newer", activeAt: "2" });
    const stopped = frame("0", "5", { ...SONG, title: "Stopped", state: "2", activeAt: "10" });
    expect(shownTitle(muted, paused, older, newer, stopped)).toBe("Newer");
    expect(shownTitle(muted, paused, older, newer, "2 4", stopped)).toBe("Older");
    expect(shownTitle(muted, paused, stopped)).toBe("Muted");
    expect(shownTitle(stopped)).toBe(undefined);
  });

  test("may use the sign that ends a field in a text", () => {
    expect(shownTitle(frame("0", "1", { ...SONG, title: "A|B\\C" }))).toBe("A|B\\C");
  });

  test("keeps what has not changed, and forgets what is empty now", () => {
    const browser = told([
      frame("0", "1", SONG),
      frame("1", "1", { album: "\u0001", position: "11" }),
    ]);
    expect(shownOf([browser])).toMatchObject({
      title: "Paper Lanterns",
      album: "",
      reportedMs: 11_000,
    });
  });

  test.each([
    ["a", 65_000, true],
    ["a", 66_000, false],
    ["é", 32_000, true],
    ["é", 33_000, false],
  ])("is understood up to 64 KiB in UTF-8: %p, %p times", (letter, times, isUnderstood) => {
    const long = frame("0", "1", { ...SONG, title: letter.repeat(times) });
    expect(afterText(NEW_BROWSER, long, 0) !== undefined).toBe(isUnderstood);
  });

  test("counts on from the last position while it plays, and stands while it pauses", () => {
    const at = (browser: Browser, nowMs: number) => {
      const player = shownOf([browser]);
      return player && trackOf(player, nowMs).positionMs;
    };
    const playing = told([frame("0", "1", SONG)], 1_000);
    expect(at(playing, 1_500)).toBe(10_500);
    const paused = afterText(playing, frame("1", "1", { state: "1" }), 3_000) ?? playing;
    expect(at(paused, 9_000)).toBe(12_000);
    const again = afterText(paused, frame("1", "1", { state: "0" }), 10_000) ?? paused;
    expect(at(again, 10_500)).toBe(12_500);
    const other = afterText(again, frame("1", "1", { title: "Next", position: "0" }), 11_000);
    expect(at(other ?? again, 11_000)).toBe(0);
  });

  test("survives thousands of hostile frames, and keeps within its limits", () => {
    const field = fc.oneof(
      fc.constantFrom("", "0", "1", "2", "-1", "1e999", "NaN", "\u0001", "\\", "|", "200"),
      fc.string(),
    );
    const fields = fc.array(field, { maxLength: 30 }).map((all) => all.join("|"));
    const texts = fc.oneof(
      fc.tuple(fc.constantFrom("0", "1"), fc.nat(40), fields).map((parts) => `${parts.join(" ")}|`),
      fc.constantFrom("2 1", "2 99", "4 1", "USE_NATIVE_APIS true", GREETING),
      fc.string(),
    );
    const pictures = fc.uint8Array({ maxLength: 40 });
    let browser = NEW_BROWSER;
    fc.assert(
      fc.property(fc.oneof(texts, pictures), fc.nat(), (sent, nowMs) => {
        if (typeof sent === "string") browser = afterText(browser, sent, nowMs) ?? browser;
        else expect(readPicture(sent)).toBe(undefined);
        expect(browser.players.size).toBeLessThanOrEqual(16);
        const player = shownOf([browser]);
        if (!player) return;
        const { title, durationMs, volumePercent } = trackOf(player, nowMs);
        expect(title).not.toBe("");
        expect(durationMs ?? 1).toBeGreaterThan(0);
        expect(volumePercent ?? 0).toBeWithin(0, 101);
      }),
      { numRuns: 10_000 },
    );
    expect(browser.players.size).toBeGreaterThan(0);
  });

  test("may send a long text that is no frame", () => {
    // An expression that goes back takes minutes: the runner ends the wait.
    for (const text of ["\\".repeat(60_000), "\\|".repeat(30_000)]) {
      expect(afterText(NEW_BROWSER, `0 1 ${text}`, 0)).toBe(undefined);
    }
  }, 60_000);

  test("may send pictures, but nothing else as one", async () => {
    const good = await picture(7);
    expect(readPicture(good)).toMatchObject({ playerId: 7 });
    expect(readPicture(Buffer.concat([good, Buffer.alloc(2 * 1024 * 1024)]))).toBe(undefined);
    expect(readPicture(good.subarray(1))).toBe(undefined);
  });
});
