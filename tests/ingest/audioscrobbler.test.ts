import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import {
  isMadeWith,
  isTimely,
  readHandshake,
  readNowPlaying,
} from "../../src/ingest/audioscrobbler.ts";
import { AUDIOSCROBBLER } from "../../src/sources/pushed.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { expectHarmless } from "../fixtures/ingest/fuzz.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { createMpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { isThorough } from "../fixtures/thorough.ts";

const TRACK = {
  a: "Juniper Vale",
  t: "Paper Lanterns",
  b: "Slow Weather",
  l: "200",
  n: "3",
  m: "",
};

let server: PushedServer;
beforeEach(async () => {
  server = await createPushedServer("audioscrobbler");
});
afterEach(() => server.close());

const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("hex");

/** The time of day, in seconds. */
const secondsNow = () => String(Math.floor(server.clock.wallMs() / 1_000));

const handshake = async (
  changes: Record<string, string> = {},
  secret = server.secret,
  at: Pick<PushedServer, "get"> = server,
) => {
  const { t = secondsNow() } = changes;
  const a = md5(md5(secret) + t);
  const query = { hs: "true", p: "1.2.1", c: "tst", v: "1.0", u: "ada", t, a, ...changes };
  const response = await at.get(`/audioscrobbler/?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/plain");
  return (await response.text()).split("\n");
};
const session = async () => (await handshake())[1] ?? "";

const send = async (path: string, fields: Record<string, string>) => {
  const body = new URLSearchParams(fields).toString();
  const response = await server.post(`/audioscrobbler/${path}`, body);
  expect(response.status).toBe(200);
  return response.text();
};

/** In a thorough run, more than there may be sessions. */
const HANDSHAKES = isThorough ? 10_060 : 2_060;

describe("Audioscrobbler", () => {
  test("begins with a handshake that tells where to go on", async () => {
    const [verdict, id, nowPlaying, submit, rest] = await handshake();
    expect(verdict).toBe("OK");
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(nowPlaying).toBe("http://127.0.0.1:4747/audioscrobbler/np");
    expect(submit).toBe("http://127.0.0.1:4747/audioscrobbler/submit");
    expect(rest).toBe("");
  });

  test("is shown, counted from when it was first reported, until fifteen seconds after its end", async () => {
    expect(await send("np", { s: await session(), ...TRACK })).toBe("OK\n");
    await server.clock.advance(2_000);
    expect(await server.shown()).toMatchObject({
      is_playing: true,
      progress_ms: 2_000,
      track: { name: "Paper Lanterns", duration_ms: 200_000 },
      artist_name: "Juniper Vale",
      album: { name: "Slow Weather" },
    });
    await server.clock.advance(212_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test("is read in UTF-8 and in windows-1252, as old programs write it", async () => {
    const body = `s=${await session()}&a=Bj%F6rk&t=J%C3%B3ga&b=&l=&n=&m=`;
    await server.post("/audioscrobbler/np", body);
    expect(await server.shown()).toMatchObject({ track: { name: "Jóga" }, artist_name: "Björk" });
  });

  test("is not asked about what was played to its end", async () => {
    const s = await session();
    await send("np", { s, ...TRACK });
    expect(await send("submit", { s, "a[0]": "Old", "t[0]": "Older", "i[0]": "1" })).toBe("OK\n");
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
  });

  test("refuses a wrong password, another user's name and an unknown one", async () => {
    expect(await handshake({}, "mqi_wrong")).toEqual(["BADAUTH", ""]);
    expect(await handshake({ u: "grace" })).toEqual(["BADAUTH", ""]);
    expect(await handshake({ a: "" })).toEqual([expect.stringMatching(/^FAILED /), ""]);
  });

  test("counts wrong passwords as guessing", async () => {
    for (let guesses = 0; guesses < 10; guesses++) {
      expect(await handshake({ a: "x" })).toEqual(["BADAUTH", ""]);
    }
    const [verdict] = await handshake({ a: "x" });
    expect(verdict).toBe("FAILED Too many wrong secrets: try again in 60 s");
    await server.clock.advance(60_000);
    expect((await handshake())[0]).toBe("OK");
  });

  test("opens no secret while a network has guessed too often, and counts no more guesses", async () => {
    for (let guesses = 0; guesses < 10; guesses++) await handshake({ a: "x" });
    using open = spyOn(server.vault, "open");
    for (const u of ["ada", "nobody"]) {
      for (let tries = 0; tries < 50; tries++) {
        expect((await handshake({ u, a: "x" }))[0]).toStartWith("FAILED Too many wrong secrets");
      }
    }
    expect((await handshake())[0]).toStartWith("FAILED Too many wrong secrets");
    expect(open).toHaveBeenCalledTimes(0);
    await server.clock.advance(60_000);
    expect((await handshake())[0]).toBe("OK");
    expect(open).toHaveBeenCalled();
  });

  test("makes a program begin again whose session is unknown, or whose secret was rotated", async () => {
    expect(await send("np", { s: "x", ...TRACK })).toBe("BADSESSION\n");
    expect(await send("np", TRACK)).toBe("BADSESSION\n");
    const s = await session();
    await server.accounts.connections.rotateSecret(server.connectionId);
    expect(await send("np", { s, ...TRACK })).toBe("BADSESSION\n");
    expect(await server.shown()).toBe(null);
  });

  test("goes on after its connection was connected again", async () => {
    const s = await session();
    expect(await send("np", { s, ...TRACK })).toBe("OK\n");
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
    await server.accounts.connections.connect(server.ada.user, "audioscrobbler", null);
    expect(await send("np", { s, ...TRACK, t: "Next" })).toBe("OK\n");
    expect((await server.shown())?.track.name).toBe("Next");
  });

  test("keeps its session whatever another user's programs do", async () => {
    const s = await session();
    const [grace] = await server.accounts.add(["grace"], {
      source: "audioscrobbler",
      settings: null,
    });
    const [connection] = grace ? server.accounts.connections.allOf(grace.user.id) : [];
    const secret = await server.accounts.connections.secretOf(connection?.id ?? 0);
    for (let begun = 0; begun < HANDSHAKES; begun += 20) {
      await server.clock.advance(1_000);
      const many = Array.from({ length: 20 }, () => handshake({ u: "grace" }, secret));
      for (const [verdict] of await Promise.all(many)) expect(verdict).toBe("OK");
    }
    expect(await send("np", { s, ...TRACK })).toBe("OK\n");
  });

  test("is refused with a time that is more than five minutes off, which is no guess", async () => {
    const now = Number(secondsNow());
    for (const t of [now - 301, now + 301, 0, 1_700_000_000]) {
      for (let tries = 0; tries < 4; tries++) {
        expect(await handshake({ t: String(t) })).toEqual(["BADTIME", ""]);
      }
    }
    for (const t of ["now", "-1", "1e9", `${now}.5`]) {
      expect(await handshake({ t })).toEqual(["BADTIME", ""]);
    }
    for (const t of [now - 299, now + 299]) {
      expect((await handshake({ t: String(t) }))[0]).toBe("OK");
    }
    expect(await handshake({ a: "x" })).toEqual(["BADAUTH", ""]);
  });

  test("may begin as often as it may speak: both count together", async () => {
    const s = await session();
    for (let begun = 1; begun < 10; begun++) expect((await handshake())[0]).toBe("OK");
    for (let sent = 0; sent < 10; sent++) expect(await send("np", { s, ...TRACK })).toBe("OK\n");
    const limited = "FAILED Too many messages: at most 20 a second: try again in 1 s";
    expect(await handshake()).toEqual([limited, ""]);
    expect(await send("np", { s, ...TRACK })).toBe(`${limited}\n`);
    await server.clock.advance(1_000);
    expect((await handshake())[0]).toBe("OK");
  });

  test("fails with a reason when something is missing, and what was playing stays", async () => {
    const s = await session();
    await send("np", { s, ...TRACK });
    expect(await send("np", { s, ...TRACK, t: " " })).toBe(
      "FAILED t, the title, must not be empty.\n",
    );
    expect(await send("np", { s, ...TRACK, a: "" })).toStartWith("FAILED a,");
    expect(await send("nothing", { s })).toStartWith("FAILED ");
    expect((await handshake({ p: "1.1" }))[0]).toStartWith("FAILED only version 1.2.1");
    expect((await handshake({ hs: "" }))[0]).toStartWith("FAILED this is not a handshake");
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
  });

  test("is taken with and without slashes that programs add", async () => {
    for (const path of ["/audioscrobbler", "/audioscrobbler//"]) {
      expect(await (await server.get(`${path}?hs=true&p=1.2&u=ada&t=1&a=x`)).text()).toBe(
        "BADAUTH\n",
      );
    }
  });

  test("shows no secret and no session in the log", async () => {
    const s = await session();
    await send("np", { s, ...TRACK });
    const log = server.logged.join("\n");
    expect(log).toContain("/audioscrobbler/np");
    for (const secret of [server.secret.slice(5), s, md5(md5(server.secret) + secondsNow())]) {
      expect(log).not.toContain(secret);
    }
  });

  const hostileValues = fc.oneof(
    fc.constantFrom("", " ", "-1", "1e999", "NaN", "200"),
    fc.string({ unit: "binary" }),
  );

  test("survives thousands of hostile messages", () => {
    const names = fc.constantFrom(...Object.keys(TRACK), "s", "__proto__", "");
    const forms = fc
      .array(fc.tuple(names, hostileValues), { maxLength: 8 })
      .map((pairs) => new URLSearchParams(pairs));
    expectHarmless(AUDIOSCROBBLER, forms, readNowPlaying);
  });

  test("reads any handshake, or says what is wrong with it", () => {
    const right = { hs: "true", p: "1.2.1", u: "ada", t: "1700000000", a: "x" };
    const names = fc.constantFrom(...Object.keys(right), "__proto__", "");
    fc.assert(
      fc.property(fc.dictionary(names, hostileValues, { maxKeys: 3 }), (changes) => {
        const read = readHandshake(new URLSearchParams({ ...right, ...changes }));
        if ("mistake" in read) return expect(read.mistake).not.toBe("");
        expect(isMadeWith("mqi_secret", read)).toBe(false);
        expect(isTimely(read, 1_800_000_000_000)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

const scrobblerIsInstalled = Bun.which("mpdscribble") !== null;

describe("mpdscribble", () => {
  testWith("mpdscribble and MPD", mpdIsInstalled && scrobblerIsInstalled)(
    "tells what a real MPD plays",
    async () => {
      const port = freePort();
      const origin = `http://127.0.0.1:${port}`;
      const real = await createPushedServer("audioscrobbler", { baseUrl: origin });
      real.clock.setWallMs(Date.now());
      const listening = openPort(real, { port });
      const daemon = await createMpdDaemon({
        music: {
          "a.flac": silentFlac({
            seconds: 60,
            tags: [
              ["TITLE", "Paper Lanterns"],
              ["ARTIST", "Fern"],
            ],
          }),
        },
      });
      const folder = createTempFolder();
      const config = join(folder.path, "mpdscribble.conf");
      const [host, mpdPort] = daemon.address.split(":");
      await Bun.write(
        config,
        [
          `host = ${host}`,
          `port = ${mpdPort}`,
          "log = -",
          "verbose = 2",
          "[marquee]",
          `url = ${origin}/audioscrobbler/`,
          "username = ada",
          `password = ${real.secret}`,
          `journal = ${join(folder.path, "journal")}`,
        ].join("\n"),
      );
      const scrobbler = Bun.spawn(["mpdscribble", "--no-daemon", "--conf", config], {
        stdout: "ignore",
        stderr: "ignore",
      });
      try {
        await daemon.command('add "a.flac"');
        await daemon.command("play");
        const shown = await until(async () => (await real.shown()) ?? undefined);
        expect(shown).toMatchObject({
          is_playing: true,
          track: { name: "Paper Lanterns", duration_ms: 60_000 },
          artist_name: "Fern",
        });
      } finally {
        scrobbler.kill();
        await scrobbler.exited;
        await daemon.stop();
        await listening.end();
        real.close();
        folder.remove();
      }
    },
  );
});
