import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MOST_A_MINUTE } from "../../src/ingest/cover-rate.ts";
import { createPushedCovers } from "../../src/ingest/covers.ts";
import { createCovers } from "../../src/upstream/covers.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { createPushedServer } from "../fixtures/ingest/pushed-server.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";
import { NO_NETWORK } from "../fixtures/http/network.ts";

let clock: FakeClock;
beforeEach(() => {
  clock = createFakeClock();
});

/** The API names it as a picture of this server, because a parameter may be a secret. */
const addressOf = (at: number) => `https://covers.example/${at}.png?token=1`;
const dataOf = (at: number) =>
  `data:image/png;base64,${Buffer.from(`picture ${at}`).toString("base64")}`;

describe("the covers of a connection", () => {
  const createAll = () =>
    createPushedCovers(clock, createCovers({ clock, playerHosts: [], network: NO_NETWORK }));

  test("are those of thirty songs in a minute, however they come", async () => {
    const covers = createAll();
    const ways = [
      (at: number) => covers.named(addressOf(at), { origin: "webnowplaying 1" }),
      (at: number) => covers.named(dataOf(at), { origin: "webnowplaying 1" }),
      (at: number) => covers.sent(Buffer.from(`sent ${at}`), "webnowplaying 1"),
    ];
    const given = Array.from({ length: 90 }, (_, at) => ways[at % 3]?.(at));
    expect(given.filter((cover) => cover !== undefined)).toHaveLength(MOST_A_MINUTE);
    expect(covers.named(addressOf(0), { origin: "webnowplaying 1" })).toBeDefined();
    expect(covers.named(addressOf(1_000), { origin: "webnowplaying 2" })).toBeDefined();
    await clock.advance(60_000);
    expect(covers.named(addressOf(1_000), { origin: "webnowplaying 1" })).toBeDefined();
    expect(MOST_A_MINUTE).toBe(30);
  });

  test("are left out exactly while thirty others came within a minute", async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 50, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(gaps, async (gapsMs) => {
        clock = createFakeClock();
        const covers = createAll();
        let admittedAtMs: number[] = [];
        for (const [at, gapMs] of gapsMs.entries()) {
          await clock.advance(gapMs);
          const nowMs = clock.monotonicMs();
          admittedAtMs = admittedAtMs.filter((atMs) => nowMs - atMs < 60_000);
          const isAdmitted = covers.named(addressOf(at), { origin: "json 1" }) !== undefined;
          expect(isAdmitted).toBe(admittedAtMs.length < MOST_A_MINUTE);
          if (isAdmitted) admittedAtMs.push(nowMs);
        }
      }),
      // Somebody who skips every two seconds lacks none.
      { numRuns: 30, examples: [[Array(100).fill(2_000)]] },
    );
  });
});

test("a program may have the covers of all its songs at one address", async () => {
  let colour = "#e07a5f";
  let calls = 0;
  const server = await createPushedServer("json", {
    fetch: async () => {
      calls += 1;
      return new Response(new Uint8Array(solidPicture(colour, 8)));
    },
  });
  const pictureOf = async (song: object) => {
    await server.post(`/in/${server.secret}/json`, { ...song, cover_url: addressOf(1) });
    const [image] = (await server.shown())?.album.images ?? [];
    return (await server.get(new URL(image?.url ?? "").pathname)).bytes();
  };
  const first = await pictureOf({ title: "One", album: "Slow Weather" });
  colour = "#3d405b";
  expect(await pictureOf({ title: "Two", album: "Slow Weather" })).toEqual(first);
  expect(calls).toBe(1);
  const second = await pictureOf({ title: "One" });
  expect(second).not.toEqual(first);
  colour = "#81b29a";
  expect(await pictureOf({ title: "Two" })).not.toEqual(second);
});

test("a program that pushes a new cover with every message makes few calls elsewhere", async () => {
  const called: string[] = [];
  const server = await createPushedServer("json", {
    fetch: async (url) => {
      called.push(url);
      return new Response(new Uint8Array(solidPicture("#e07a5f", 8)));
    },
  });
  for (let at = 0; at < 100; at++) {
    const song = { title: `Song ${at}`, cover_url: addressOf(at) };
    expect((await server.post(`/in/${server.secret}/json`, song)).status).toBe(200);
    const shown = await server.shown();
    expect(shown?.track.name).toBe(song.title);
    for (const { url } of shown?.album.images ?? []) await server.get(new URL(url).pathname);
    // Messages may come twenty times a second.
    await server.clock.advance(51);
  }
  expect(called.length).toBe(MOST_A_MINUTE);
});
