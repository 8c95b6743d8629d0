import { afterEach, describe, expect, test } from "bun:test";
import { createRadio } from "../../../src/sources/kinds/radio/index.ts";
import { SourceFailure } from "../../../src/sources/source.ts";
import { systemClock } from "../../../src/clock.ts";
import { createUpstream, NETWORK } from "../../../src/upstream/index.ts";
import { oggSong } from "../../fixtures/streams/ogg.ts";
import {
  AUDIO,
  icyBlock,
  icyHead,
  icyTitle,
  type RadioServer,
  startRadio,
} from "../../fixtures/streams/radio-server.ts";
import { isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";
import { until } from "../../fixtures/clock/waiting.ts";

const radio = createRadio({
  playerHosts: [],
  upstreamOf: (trustedOrigins, allowsHttp) =>
    createUpstream({ clock: systemClock, trustedOrigins, allowsHttp, network: NETWORK }),
});

let stop = new AbortController();
const servers: RadioServer[] = [];
const start = (...answer: Parameters<typeof startRadio>) => {
  const server = startRadio(...answer);
  servers.push(server);
  return server;
};
afterEach(() => {
  stop.abort();
  stop = new AbortController();
  for (const server of servers.splice(0)) server.stop();
});

const listen = (url: string, more: object = {}) =>
  listenTo(radio, { url, ...more }, systemClock, stop.signal);
const playing = (title: string) => Buffer.concat([AUDIO, icyTitle(title)]);

describe("a radio", () => {
  test.each(["ICY 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200 OK"])(
    "that answers %s names its songs as they change, and its station as the album",
    async (status) => {
      const server = start(Buffer.concat([Buffer.from(icyHead("", status)), playing("Ada - One")]));
      const heard = listen(server.url);
      expect(await heard.next(isTitled("One"))).toMatchObject({
        source: "Radio",
        artists: ["Ada"],
        album: { name: "Radio Lantern" },
        track: { durationMs: null },
        positionUnknown: true,
      });
      server.send(playing("Ada - Two"));
      await heard.next(isTitled("Two"));
      expect(server.requests[0]).toMatch(/^GET \/ HTTP\/1\.0\r\n/);
      expect(server.requests[0]).toMatch(/icy-metadata: 1\r\n/i);
    },
  );

  test("has one listener for each connection, and none when nobody watches", async () => {
    const server = start(Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]));
    expect(server.requests).toHaveLength(0);
    const heard = listen(server.url);
    await heard.next(isTitled("One"));
    for (const title of ["Ada - Two", "Ada - Three"]) server.send(playing(title));
    await heard.next(isTitled("Three"));
    expect(server.listeners()).toBe(1);
    stop.abort();
    await until(() => (server.listeners() === 0 ? true : undefined));
    expect(server.requests).toHaveLength(1);
  });

  test("in Ogg is told by its bytes", async () => {
    const head = "HTTP/1.0 200 OK\r\ncontent-type: text/strange\r\nice-name: no name\r\n\r\n";
    const server = start(
      Buffer.concat([Buffer.from(head), oggSong({ comments: ["TITLE=One", "ARTIST=Ada"] })]),
    );
    const heard = listen(server.url);
    expect(await heard.next(isTitled("One"))).toMatchObject({
      artists: ["Ada"],
      album: { name: "" },
    });
    server.send(oggSong({ codec: "flac", comments: ["TITLE=Bo - Two", "ALBUM=Lanterns"] }));
    expect(await heard.next(isTitled("Two"))).toMatchObject({
      artists: ["Bo"],
      album: { name: "Lanterns" },
    });
  });

  test("without titles is named by its station", async () => {
    const server = start(`HTTP/1.0 200 OK\r\nicy-name: Radio Lantern\r\n\r\nID3 and audio`);
    await listen(server.url).next(isTitled("Radio Lantern"));
  });

  test("says nothing while it advertises", async () => {
    const server = start(Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]));
    const heard = listen(server.url);
    await heard.next(isTitled("One"));
    server.send(Buffer.concat([AUDIO, icyBlock("StreamTitle='A - B';adw_ad='true';")]));
    await until(() => {
      server.send(Buffer.concat([AUDIO, Buffer.from([0])]));
      return heard.last() === null ? true : undefined;
    });
  });

  test("is found through playlists and redirects, three steps in all", async () => {
    const server = start((path) => {
      const list = (type: string, body: string) =>
        `HTTP/1.0 200 OK\r\ncontent-type: ${type}\r\n\r\n${body}`;
      if (path === "/a.pls") return list("audio/x-scpls", "[playlist]\nFile1=/b.m3u\nFile2=/x");
      if (path === "/b.m3u") return list("audio/x-mpegurl", `#EXTM3U\n\n${server.url}/c\n`);
      if (path === "/c") return "HTTP/1.1 302 Found\r\nLocation: /live\r\n\r\n";
      if (path === "/0") return "HTTP/1.1 302 Found\r\nLocation: /a.pls\r\n\r\n";
      if (path === "/hls")
        return list("application/vnd.apple.mpegurl", "#EXTM3U\n#EXT-X-VERSION:3");
      return Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]);
    });
    await listen(`${server.url}/a.pls`).next(isTitled("One"));
    expect((await listen(`${server.url}/0`).failure()).message).toContain("leads on too often");
    expect((await listen(`${server.url}/hls`).failure()).message).toContain("HLS");
  });

  test("may not lead to another host of this network, which is never asked", async () => {
    const inside = start(Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]));
    const elsewhere = `http://localhost:${inside.port}/`;
    const outside = start((path) =>
      path === "/list"
        ? `HTTP/1.0 200 OK\r\ncontent-type: audio/x-scpls\r\n\r\n[playlist]\nFile1=${elsewhere}`
        : `HTTP/1.1 302 Found\r\nLocation: ${elsewhere}\r\n\r\n`,
    );
    for (const path of ["/", "/list"]) {
      const failure = await listen(outside.url + path).failure();
      expect(failure.message).toContain("is not an address that may be called");
    }
    expect(inside.requests).toHaveLength(0);
  });

  test.each([
    ["HTTP/1.0 404 Not Found\r\n\r\n", "/live has no stream (404)"],
    ["HTTP/1.0 200 OK\r\nx: ".padEnd(20_000, "x"), "does not answer as a web server does"],
    ["OK MPD 0.23.5\n\n", "does not answer as a web server does"],
  ])("that answers %p is unavailable, and its secrets stay", async (answer, reason) => {
    const server = start(answer);
    const failure = await listen(`${server.url}/live?token=correct-horse`).failure();
    expect(failure).toBeInstanceOf(SourceFailure);
    expect(failure.meaning.kind).toBe("unavailable");
    expect(failure.message).toContain(reason);
    expect(Bun.inspect(failure)).not.toContain("correct-horse");
  });

  test.each([
    ["HTTP/1.0 404 File Not Found\r\nContent-Type: text/html\r\n\r\n<html>", "offAir"],
    ["HTTP/1.1 410 Gone\r\n\r\n", "offAir"],
    ["ICY 401 Service Unavailable\r\n\r\n", "offAir"],
    ['HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n', "unexpected"],
    ["HTTP/1.0 403 Forbidden\r\n\r\n", "unexpected"],
    ["HTTP/1.0 503 Service Unavailable\r\n\r\n", undefined],
  ] as const)("that answers %p is unavailable for this reason: %p", async (answer, reason) => {
    const { meaning } = await listen(`${start(answer).url}/live`).failure();
    expect(meaning).toEqual({ kind: "unavailable", ...(reason && { reason }) });
  });

  test("that is a page is no radio, unless it names a station", async () => {
    const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n";
    const server = start(`${page}\r\n<html>`);
    const failure = await listen(`${server.url}/player`).failure();
    expect(failure.meaning).toEqual({ kind: "unavailable", reason: "offAir" });
    expect(failure.message).toEndWith("is a page: enter the address of the stream itself");
    const named = start(`${page}icy-name: Tower\r\n\r\naudio`);
    await listen(named.url).next(isTitled("Tower"));
  });

  test("that ends is unavailable, so that it is asked again later", async () => {
    const server = start(Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]));
    const heard = listen(server.url);
    await heard.next(isTitled("One"));
    server.hangUp();
    expect((await heard.failure()).message).toContain("ended the stream");
  });

  test("of https that is public may be entered by everybody, others only where they are allowed", () => {
    const addressOf = (url: string) => radio.open({ url }).address?.host;
    expect(addressOf("https://radio.example/live?token=1")).toBeUndefined();
    expect(addressOf("radio.example:8000/live")).toBe("radio.example");
    expect(addressOf("https://10.0.0.7/live")).toBe("10.0.0.7");
    expect(addressOf("https://tower.local/live")).toBe("tower.local");
  });

  test("is shown later by as much as its connection says", async () => {
    const server = start(Buffer.concat([Buffer.from(icyHead()), playing("Ada - One")]));
    const startedAtMs = performance.now();
    const playback = await listen(server.url, { delay: "0.5" }).next(isTitled("One"));
    expect(playback.observedAtMs - startedAtMs).toBeGreaterThanOrEqual(500);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(500);
  });
});

describe("a hostile radio", () => {
  /** Sends as much as is taken. */
  const flooding = (head: string, part: Uint8Array) => {
    let sent = 0;
    const flood = (socket: Bun.Socket) => {
      for (;;) {
        const written = socket.write(part);
        sent += Math.max(0, written);
        if (written < part.length) return;
      }
    };
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.write(head);
          flood(socket);
        },
        drain: flood,
      },
    });
    return {
      url: `http://127.0.0.1:${listener.port}`,
      sent: () => sent,
      stop: () => listener.stop(true),
    };
  };

  test("is read no faster than a radio, whatever it sends without end", async () => {
    const floods = [
      [icyHead("icy-br: 128\r\n"), playing("Ada - One")],
      [icyHead("icy-br: 128\r\n"), Buffer.alloc(65_536)],
      ["HTTP/1.0 200 OK\r\nicy-br: 128\r\n\r\n", oggSong({ comments: ["TITLE=One"] })],
      ["HTTP/1.0 200 OK\r\nicy-br:1\r\n\r\n", Buffer.from("OggSOggO")],
    ] as const;
    const radios = floods.map(([head, part]) => {
      const parts = Array.from({ length: Math.ceil(65_536 / part.length) }, () => part);
      const server = flooding(head, Buffer.concat(parts));
      return { server, heard: listen(server.url) };
    });
    const sentBy = () => radios.map(({ server }) => server.sent());
    // The listener's and the sender's system buffers take some megabytes at first.
    for (let before = sentBy(), isFull = false; !isFull; before = sentBy()) {
      await Bun.sleep(250);
      isFull = sentBy().every(
        (sent, at) => sent >= 1_000_000 && sent - (before[at] ?? 0) <= 500_000,
      );
    }
    const before = {
      sent: sentBy(),
      words: radios.map(({ heard }) => heard.received.length),
    };
    await Bun.sleep(2_000);
    for (const [at, { server, heard }] of radios.entries()) {
      expect(server.sent() - (before.sent[at] ?? 0)).toBeLessThan(8_000_000);
      expect(heard.received.length - (before.words[at] ?? 0)).toBeLessThanOrEqual(3);
      server.stop();
    }
    stop.abort();
  });
});
