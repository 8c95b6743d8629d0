import { afterEach, describe, expect, test } from "bun:test";
import type { Fetch } from "../../src/upstream/index.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";
import { blackPicture, solidPicture } from "../fixtures/sources/pictures.ts";

const COVER = "https://covers.example/1.png";
const picture = new Uint8Array(solidPicture("#e07a5f", 8));

let server: PushedServer | undefined;
afterEach(() => server?.close());

/** A server to which a song with this cover was pushed, whose covers are answered like this. */
async function withCover(fetch: Fetch, cover_url = COVER) {
  server = await createPushedServer("json", { fetch });
  const opened = server;
  const push = (song: object = {}) =>
    opened.post(`/in/${opened.secret}/json`, { title: "One", cover_url, ...song });
  const urls = async () => {
    const shown = await opened.shown();
    return shown?.album.images.map(({ url }) => url);
  };
  expect((await push()).status).toBe(200);
  return { server: opened, push, urls };
}

const answers: Readonly<Record<string, () => Response>> = {
  "that is not there": () => new Response("no", { status: 404 }),
  "that is a page": () => new Response("<!doctype html><p>Sign in", { status: 200 }),
  "that is an SVG file": () => new Response('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  "that is an AVIF file": () => new Response("\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
  "that is empty": () => new Response(""),
  "that is cut": () => new Response(picture.slice(0, 40)),
  "of more than twelve megapixels": () => new Response(new Uint8Array(blackPicture(4_000, 3_001))),
  "that leads to a private address": () =>
    new Response(null, { status: 302, headers: { location: "https://10.0.0.1/" } }),
};

describe("album.images", () => {
  test.each(Object.entries(answers))(
    "leaves out a cover %s, with the song kept",
    async (_, answer) => {
      const { urls } = await withCover(async () => answer());
      await urls();
      await until(async () => ((await urls())?.length === 0 ? true : undefined));
    },
  );

  test("keeps a cover that can be shown", async () => {
    let loads = 0;
    const { urls } = await withCover(async () => {
      loads += 1;
      return new Response(picture);
    });
    expect(await urls()).toEqual([COVER]);
    await until(() => (loads > 0 ? true : undefined));
    await settle();
    expect(await urls()).toEqual([COVER]);
  });

  test("keeps a public cover whose server does not answer us now: others may reach it", async () => {
    let calls = 0;
    const { urls } = await withCover(async () => {
      calls += 1;
      throw new Error("no route");
    });
    await urls();
    await until(() => (calls > 0 ? true : undefined));
    await settle();
    expect(await urls()).toEqual([COVER]);
  });

  test("names a cover again for the next song that has it, once it is there", async () => {
    let status = 404;
    const { server, push, urls } = await withCover(async () => new Response(picture, { status }));
    await until(async () => ((await urls())?.length === 0 ? true : undefined));
    status = 200;
    await server.clock.advance(10 * 60_000);
    await push({ title: "Two" });
    expect(await urls()).toEqual([COVER]);
    await settle();
    expect(await urls()).toEqual([COVER]);
  });
});

test("a stream of events gets the song once more without a cover that failed", async () => {
  const { server } = await withCover(async () => new Response("no", { status: 404 }));
  const received: unknown[] = [];
  const leave = server.hub.subscribe(server.ada.user.id, (reading) => {
    received.push(reading.kind === "playback" && reading.playback.album.artworks.length);
  });
  await until(() => (received.at(-1) === 0 ? true : undefined));
  expect(received).toEqual([1, 0]);
  leave();
});

test("a kept song has no cover that failed", async () => {
  const { server, push } = await withCover(async () => new Response("no", { status: 404 }));
  const counted: unknown[] = [];
  server.hub.onCounted((_, { artwork }) => counted.push(artwork));
  const leave = server.hub.subscribe(server.ada.user.id, () => {});
  await until(() =>
    server.hub.rawPlayback(server.ada.user.id)?.album.artworks.length === 0 ? true : undefined,
  );
  await server.clock.advance(60_000);
  await push({ title: "Two" });
  await until(() => (counted.length > 0 ? true : undefined));
  expect(counted).toEqual(counted.map(() => undefined));
  leave();
});
