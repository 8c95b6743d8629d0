import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { isPushed } from "../../src/sources/source.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import {
  basic,
  connectProgram,
  type Program,
  sourceHead,
  titleHead,
} from "../fixtures/ingest/broadcasts.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { type Flood, floodOf, FLOODS } from "../fixtures/streams/floods.ts";
import { oggSong } from "../fixtures/streams/ogg.ts";

let server: TestServer;
let user: AddedUser;
let connectionId: number;
let secret: string;
let port: number;
const programs: Program[] = [];

beforeEach(async () => {
  server = await createTestServer({
    realSources: true,
    settings: { broadcastPort: String(freePort()) },
  });
  user = await server.addUser("ada", false);
  ({ id: connectionId } = await server.accounts.connections.connect(
    user.user,
    "broadcast",
    { delay: 0 },
    "",
  ));
  secret = await server.accounts.connections.secretOf(connectionId);
  port = portNow();
});
afterEach(async () => {
  for (const program of programs.splice(0)) program.hangUp();
  await server.app.stop();
  server.close();
});

const portNow = (): number => {
  const source = server.sources.byId("broadcast");
  if (!source || !isPushed(source)) throw new Error("there is no such source");
  return Number(new URL(source.inboxAddress("http://127.0.0.1:4747", "") ?? "").port);
};

async function connect(first = ""): Promise<Program> {
  const program = await connectProgram(port, first);
  programs.push(program);
  return program;
}
async function broadcast(more?: string, start?: string): Promise<Program> {
  const program = await connect(sourceHead(secret, more, start));
  expect(await program.status()).toMatch(/ 200 OK$/);
  return program;
}
async function say(query: string, password = secret): Promise<string> {
  return (await connect(titleHead(password, query))).status();
}
const playing = () => {
  const playback = server.inbox.current(connectionId);
  return playback && { title: playback.track.title, artist: playback.artists.join(", ") };
};
const shows = (title: string) => until(() => (playing()?.title === title ? playing() : undefined));
/** Audio is read now and then. */
const readsOn = (title: string) =>
  until(async () => {
    await server.clock.advance(20);
    return playing()?.title === title ? playing() : undefined;
  });
const showsNothing = () => until(() => (playing() === null ? true : undefined));

describe("what programs on the wire do", () => {
  test.each(["SOURCE /live ICE/1.0", "SOURCE /a.ogg HTTP/1.0", "PUT /live HTTP/1.1"])(
    "%s begins a broadcast, whatever the mount",
    async (start) => {
      await broadcast("", start);
      expect(await say("song=Ada+-+One")).toBe("HTTP/1.0 200 OK");
      expect(playing()).toEqual({ title: "One", artist: "Ada" });
    },
  );

  test.each(["/%61dmin/metadata", "/status%2Djson.xsl", "/7%2exsl"])(
    "%s is the same path as without percent-encoding",
    async (path) => {
      await broadcast();
      const query = "mode=updinfo&song=Ada+-+One";
      const program = await connect(`GET ${path}?${query} HTTP/1.0\r\n${basic(secret)}\r\n`);
      expect(await program.status()).toBe("HTTP/1.0 200 OK");
    },
  );

  test("libshout is asked for the password that it did not send", async () => {
    const program = await connect("SOURCE /live HTTP/1.0\r\nContent-Type: audio/ogg\r\n\r\n");
    expect(await program.status()).toBe("HTTP/1.0 401 Unauthorized");
    expect(program.answered()).toContain("WWW-Authenticate: Basic");
    await broadcast();
  });

  test("libshout asks for the methods first", async () => {
    const program = await connect("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await program.status()).toMatch(/ 20\d /);
    expect(program.answered()).toMatch(/Allow: .*SOURCE.*PUT/);
  });

  test("butt and FFmpeg wait until they may go on", async () => {
    const head = sourceHead(secret, "Expect: 100-continue\r\n", "PUT /live HTTP/1.1");
    const program = await connect(head);
    expect(await program.status()).toBe("HTTP/1.1 100 Continue");
    await say("song=Ada+-+One");
    await shows("One");
  });

  test.each(["/status-json.xsl", "/7.xsl"])(
    "butt asks for %s, which names nobody",
    async (path) => {
      await broadcast("ice-name: Radio Lantern\r\n");
      await say("song=Ada+-+One");
      const program = await connect(`GET ${path} HTTP/1.0\r\n\r\n`);
      expect(await program.status()).toBe("HTTP/1.0 200 OK");
      expect(program.answered()).not.toMatch(/One|Ada|Lantern/);
    },
  );

  test.each([
    ["Mixxx, in Latin-1 without a charset", "song=Bj%f6rk%20-%20J%f3ga", "Jóga", "Björk"],
    ["others, in UTF-8", "song=Bj%C3%B6rk+-+J%C3%B3ga", "Jóga", "Björk"],
    ["butt, as raw UTF-8", "song=Кино - Ночь 夜", "Ночь 夜", "Кино"],
    [
      "programs that name it",
      "charset=windows-1251&song=%CA%E8%ED%EE+-+%CD%EE%F7%FC",
      "Ночь",
      "Кино",
    ],
    ["Icecast, as HTML's signs", "song=%26%231050%3B - %26%231053%3B;x", "Н;x", "К"],
  ])("%s, send titles that are read", async (_, query, title, artist) => {
    await broadcast();
    expect(await say(query)).toBe("HTTP/1.0 200 OK");
    expect(await shows(title)).toEqual({ title, artist });
  });

  test("liquidsoap sends fields beside the text, and Mixxx an old text beside new fields", async () => {
    await broadcast();
    await say("song=Old+-+Text&title=One&artist=Ada&album=Lanterns");
    await shows("One");
    expect(server.inbox.current(connectionId)).toMatchObject({
      artists: ["Ada"],
      album: { name: "Lanterns" },
    });
    await say("song=Bo+-+Two");
    await shows("Two");
    expect(server.inbox.current(connectionId)).toMatchObject({
      artists: ["Bo"],
      album: { name: "" },
    });
  });

  test("Ogg names its songs in band, cut anywhere, one stream after the other", async () => {
    const program = await broadcast();
    const songs = [
      oggSong({ comments: ["TITLE=One", "ARTIST=Ada"] }),
      oggSong({ codec: "opus", serial: 8, comments: ["TITLE=Bo - Two"] }),
    ];
    for (const byte of songs[0] ?? []) program.send(Uint8Array.of(byte));
    expect(await readsOn("One")).toEqual({ title: "One", artist: "Ada" });
    program.send(songs[1] ?? "");
    expect(await readsOn("Two")).toEqual({ title: "Two", artist: "Bo" });
  });

  test("Ogg without names leaves what MPD says of its songs by requests, and ends a song in band", async () => {
    const program = await broadcast();
    program.send(oggSong({ serial: 7, comments: ["TITLE=One"] }));
    await readsOn("One");
    program.send(oggSong({ serial: 8, comments: [] }));
    await until(async () => {
      await server.clock.advance(20);
      return playing() === null ? true : undefined;
    });
    await say("song=Ada+-+Two");
    await shows("Two");
    program.send(oggSong({ codec: "opus", serial: 9, comments: [] }));
    program.send(oggSong({ serial: 10, comments: ["ALBUM=Lanterns"] }));
    for (let reads = 0; reads < 10; reads += 1) {
      await server.clock.advance(100);
      await settle();
    }
    expect(playing()).toEqual({ title: "Two", artist: "Ada" });
    program.send(oggSong({ serial: 11, comments: ["TITLE=Three"] }));
    await readsOn("Three");
  });

  test("audio that is no Ogg names nothing, also where it holds Ogg's first bytes", async () => {
    const program = await broadcast();
    program.send(
      Buffer.concat([Buffer.from("\xff\xfb", "latin1"), oggSong({ comments: ["TITLE=One"] })]),
    );
    await say("song=Ada+-+Two");
    await shows("Two");
  });

  // The last ones are those of the mount, as Liquidsoap names it.
  test.each([
    ["Unspecified name", "/live"],
    ["no name", "/live"],
    ["This is my server name", "/live"],
    ["live", "/live"],
    ["my mount", "/my%20%6dount"],
  ])("a station that is called %s by its program at %s is named nothing", async (name, mount) => {
    await broadcast(`ice-name: ${name}\r\n`, `SOURCE ${mount} HTTP/1.0`);
    await say("song=One");
    await shows("One");
    expect(server.inbox.current(connectionId)).toMatchObject({
      artists: [],
      album: { name: "" },
    });
  });

  test("a station that has a name is the album", async () => {
    await broadcast("ice-name: Radio Lantern\r\n");
    await say("song=Ada+-+One");
    await shows("One");
    expect(server.inbox.current(connectionId)?.album.name).toBe("Radio Lantern");
  });

  test("an empty title ends the song, and so does an advertisement", async () => {
    await broadcast();
    for (const nothing of ["song=", "song=AD_BREAK"]) {
      await say("song=Ada+-+One");
      await shows("One");
      await say(nothing);
      await showsNothing();
    }
  });
});

describe("a broadcast", () => {
  test("ends its song when it hangs up", async () => {
    const program = await broadcast();
    await say("song=Ada+-+One");
    await shows("One");
    program.hangUp();
    await showsNothing();
    expect(await say("song=Ada+-+Two")).toBe("HTTP/1.0 400 Source does not exist");
  });

  test("ends its song after 15 seconds of silence", async () => {
    const program = await broadcast();
    await say("song=Ada+-+One");
    await shows("One");
    await server.clock.advance(14_000);
    program.send("audio");
    await until(() => (server.clock.waiting() > 0 ? true : undefined));
    await settle();
    await server.clock.advance(14_000);
    expect(playing()?.title).toBe("One");
    await server.clock.advance(1_100);
    expect(playing()).toBeNull();
    await program.ended();
  });

  test("keeps its place until it is silent for five seconds", async () => {
    const first = await broadcast();
    const second = await connect(sourceHead(secret));
    expect(await second.status()).toBe("HTTP/1.0 403 Mountpoint in use");
    await server.clock.advance(5_000);
    await broadcast();
    await first.ended();
    await say("song=Ada+-+One");
    await shows("One");
  });

  test("ends when its secret is replaced, or its connection is", async () => {
    const program = await broadcast();
    await server.accounts.connections.rotateSecret(connectionId);
    await program.ended();
    secret = await server.accounts.connections.secretOf(connectionId);
    const next = await broadcast();
    await server.accounts.connections.disconnect(user.user, "all");
    await next.ended();
  });
});

describe("the port", () => {
  test("is open while anybody has such a connection, and shut before and after", async () => {
    await server.accounts.connections.disconnect(user.user, "all");
    await expect(connectProgram(port)).rejects.toThrow();
    await server.accounts.connections.connect(user.user, "broadcast", { delay: 0 }, "");
    port = portNow();
    await connect();
  });

  test("is a free one of the next nine where another program has it", async () => {
    await server.accounts.connections.disconnect(user.user, "all");
    const other = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } });
    await server.accounts.connections.connect(user.user, "broadcast", { delay: 0 }, "");
    // More programs may have the ones after it.
    expect(portNow() - port).toBeWithin(1, 10);
    other.stop(true);
  });
});

describe("the bounds", () => {
  const limits = (password: string) => [sourceHead(password), titleHead(password, "song=x")];

  test("wrong passwords count as guesses, and a right one still works", async () => {
    const statuses: string[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      const program = await connect(limits(`mqi_${guess}`)[guess % 2]);
      statuses.push(await program.status());
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill("HTTP/1.0 401 Unauthorized"));
    expect(statuses.slice(10)).toEqual(Array(2).fill("HTTP/1.0 429 Too Many Requests"));
    await broadcast();
  });

  test("the secret of another source opens nothing", async () => {
    const { id } = await server.accounts.connections.connect(user.user, "json", null, "");
    const other = await server.accounts.connections.secretOf(id);
    expect(await say("song=x", other)).toBe("HTTP/1.0 401 Unauthorized");
  });

  test("a head has 8 KiB and ten seconds, its answer included", async () => {
    const large = await connect(`SOURCE /live HTTP/1.0\r\n${"x".repeat(9_000)}`);
    expect(await large.status()).toBe("HTTP/1.0 431 Request Header Fields Too Large");
    const slow = await connect("SOURCE /live");
    const asked = await connect(`GET /7.xsl HTTP/1.0\r\n\r\n`);
    await asked.status();
    await settle();
    await server.clock.advance(10_000);
    await slow.ended();
    await asked.ended();
  });

  test.each([
    "POST / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET /admin/listclients HTTP/1.0\r\n\r\n",
    "GET constructor HTTP/1.0\r\n\r\n",
    "GET __proto__ HTTP/1.0\r\n\r\n",
    "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n",
    "\r\n\r\n\r\n",
  ])("%p is refused", async (head) => {
    expect(await (await connect(head)).status()).toMatch(/^HTTP\/1\.0 40\d /);
  });

  test("a song is named 60 times a minute, and the newest name is shown then", async () => {
    const program = await broadcast();
    for (let number = 1; number <= 70; number += 1) {
      expect(await say(`song=T${number}`)).toBe("HTTP/1.0 200 OK");
      await server.clock.advance(100);
    }
    expect(playing()?.title).toBe("T60");
    for (let second = 0; second < 60; second += 1) {
      program.send("x");
      await settle();
      await server.clock.advance(1_000);
    }
    await shows("T70");
  });

  const REQUEST = "GET /7.xsl HTTP/1.0\r\n";
  test.each<[string, (number: number) => string]>([
    ["say nothing", () => ""],
    ["send no line", () => "x".repeat(6_000)],
    ["send lines without end", () => REQUEST + "x: y\r\n".repeat(1_000)],
    ["speak TLS", () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"],
    ["guess passwords", (number) => sourceHead(`mqi_${number}`)],
    ["are answered, and stay", () => `${REQUEST}\r\n`],
    ["want a place that is taken", () => sourceHead(secret)],
  ])("of a thousand connections that %s, there are a hundred at a time", async (_, first) => {
    const broadcasting = await broadcast();
    await server.clock.advance(1_000);
    const others: Program[] = [];
    for (let number = 0; number < 1_000; number += 1) others.push(await connect(first(number)));
    await server.clock.advance(1_000);
    expect(await say("song=Ada+-+One")).toBe("HTTP/1.0 200 OK");
    await until(() => (others.filter((one) => !one.hasEnded()).length < 100 ? true : undefined));
    expect(broadcasting.hasEnded()).toBe(false);
    await shows("One");
    expect(server.logged.join("")).not.toMatch(/error/i);
  });

  /** Most of it lies in the buffers of the system. */
  const MOST_SENT = 16_000_000;
  test.each(FLOODS)("a flood of $name is read no faster than a broadcast", async (flood) => {
    const bo = await server.addUser("bo", false);
    const { id } = await server.accounts.connections.connect(
      bo.user,
      "broadcast",
      { delay: 0 },
      "",
    );
    const own = await server.accounts.connections.secretOf(id);
    const { sent, hangUp } = await pour(own, flood);
    await broadcast();
    // The clock stands still, and with it the reading: what is sent then lies with the system.
    for (let before = -1; sent() > before && before < MOST_SENT;) {
      before = sent();
      expect(await say("song=Ada+-+One")).toBe("HTTP/1.0 200 OK");
      await server.clock.advance(50);
    }
    expect(sent()).toBeWithin(256 * 1024, MOST_SENT);
    hangUp();
    expect(server.logged.join("")).not.toMatch(/error/i);
  });

  /** Sends a flood for as long as it is taken. */
  async function pour(password: string, flood: Flood) {
    let sent = 0;
    let rest: Uint8Array = flood.beginning;
    const block = floodOf(flood, 65_536);
    const drain = (socket: Bun.Socket) => {
      for (;;) {
        const written = socket.write(rest);
        sent += Math.max(0, written);
        rest = written < rest.length ? rest.subarray(Math.max(0, written)) : block;
        if (rest !== block) return;
      }
    };
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (opened) => void opened.write(`SOURCE / HTTP/1.0\r\n${basic(password)}\r\n`),
        data: drain,
        drain,
      },
    });
    await until(() => (sent > 0 ? true : undefined));
    return { sent: () => sent, hangUp: () => socket.terminate() };
  }
});
