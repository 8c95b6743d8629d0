import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readTuna } from "../../src/ingest/tuna.ts";
import { TUNA } from "../../src/sources/pushed.ts";
import { expectHarmless } from "../fixtures/ingest/fuzz.ts";
import { hostileTexts } from "../fixtures/ingest/hostile.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";

const DATA = {
  status: "playing",
  title: "Paper Lanterns",
  artists: ["Juniper Vale", "Fern"],
  album: "Slow Weather",
  album_url: "https://music.example/album",
  progress: 10_000,
  duration: 200_000,
  cover: "https://covers.example/1.jpg",
};
const message = (changes: object = {}) => ({
  data: { ...DATA, ...changes },
  hostname: "music.example",
  date: 1_700_000_000_000,
});

let server: PushedServer;
beforeEach(async () => {
  server = await createPushedServer("tuna");
});
afterEach(() => server.close());

const send = async (body: unknown) => {
  const response = await server.post(`/in/${server.secret}/tuna`, body);
  return { status: response.status, body: await response.json() };
};
const OK = { status: 200, body: { success: true } };

describe("a program for Tuna", () => {
  test("is believed about what plays", async () => {
    expect(await send(message())).toEqual(OK);
    await server.clock.advance(500);
    const shown = await server.shown();
    expect(shown).toMatchObject({
      is_playing: true,
      progress_ms: 10_500,
      track: { name: "Paper Lanterns", duration_ms: 200_000 },
      artist_name: "Juniper Vale, Fern",
      album: { name: "Slow Weather" },
      device: { name: "music.example" },
    });
    expect(shown?.album.images).toHaveLength(1);
  });

  test("posts whole seconds, which do not make the position jump back", async () => {
    const positions: number[] = [];
    for (let trueMs = 10_040; trueMs < 20_000; trueMs += 490) {
      await send(message({ progress: Math.floor(trueMs / 1_000) * 1_000 }));
      positions.push((await server.shown())?.progress_ms ?? NaN);
      await server.clock.advance(490);
    }
    const steps = positions.slice(1).map((position, index) => position - (positions[index] ?? NaN));
    expect(Math.min(...steps)).toBe(490);
    expect(Math.max(...steps)).toBe(490);
  });

  test("that falls silent while it plays is believed for ten seconds", async () => {
    await send(message());
    await server.clock.advance(9_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test.each(["stopped", "paused"])("pauses when it says %s with a title", async (status) => {
    await send(message({ status }));
    await server.clock.advance(60_000);
    expect(await server.shown()).toMatchObject({ is_playing: false, progress_ms: 10_000 });
  });

  describe("of two tabs that report", () => {
    const inTab = (hostname: string, changes: object) => ({ ...message(changes), hostname });
    const shownName = async () => (await server.shown())?.track.name;

    test("shows the one that plays, whatever the other says", async () => {
      await send(inTab("a.example", { title: "A" }));
      await send(inTab("b.example", { title: "B", status: "stopped" }));
      await send(inTab("b.example", { title: "" }));
      expect(await server.shown()).toMatchObject({ is_playing: true, track: { name: "A" } });
      await send(inTab("a.example", { title: "A", status: "stopped" }));
      await send(inTab("b.example", { title: "B" }));
      expect(await shownName()).toBe("B");
    });

    /** What is shown while both say again and again that they play. */
    const whileBothPlay = async (turns: number) => {
      const shown: (string | undefined)[] = [];
      for (let turn = 0; turn < turns; turn += 1) {
        for (const title of ["A", "B"]) {
          await send(inTab(`${title}.example`, { title }));
          await server.clock.advance(250);
          shown.push(await shownName());
        }
      }
      return new Set(shown);
    };

    test("keeps to the one that began last, until it falls silent", async () => {
      await whileBothPlay(1);
      expect([...(await whileBothPlay(10))]).toEqual(["B"]);
      await server.clock.advance(2_500);
      await send(inTab("A.example", { title: "A" }));
      expect(await shownName()).toBe("A");
    });

    test("keeps to the one that played last, while both say again and again that they pause", async () => {
      const pause = (title: string) =>
        send(inTab(`${title}.example`, { title, status: "paused" })).then(shownName);
      await send(inTab("A.example", { title: "A" }));
      await send(inTab("B.example", { title: "B" }));
      const order = ["B", "A", "B", "A", "A", "B"];
      const shown: unknown[] = [];
      for (const title of order) shown.push(await pause(title));
      // A was not known to pause.
      expect(shown).toEqual(["B", "A", "A", "A", "A", "A"]);
      await send(inTab("B.example", { title: "B" }));
      for (const title of order) expect(await pause(title)).toBe("B");
    });

    test("takes no pause of one that has been silent for more than a minute", async () => {
      await send(inTab("A.example", { title: "A" }));
      await send(inTab("B.example", { title: "B" }));
      await server.clock.advance(61_000);
      await send(inTab("B.example", { title: "B", status: "paused" }));
      await send(inTab("A.example", { title: "A", status: "paused" }));
      expect(await shownName()).toBe("B");
    });

    test("goes back to the one that only stopped between two songs", async () => {
      await whileBothPlay(2);
      await send(inTab("B.example", { title: "" }));
      await send(inTab("A.example", { title: "A" }));
      expect(await shownName()).toBe("A");
      expect([...(await whileBothPlay(2))].slice(-1)).toEqual(["B"]);
    });
  });

  test("ends with an empty title, whatever its status", async () => {
    for (const status of ["stopped", "playing", "unknown"]) {
      await send(message());
      expect(await send(message({ title: "", status }))).toEqual(OK);
      expect(await server.shown()).toBe(null);
    }
  });

  test("changes nothing when it does not know itself", async () => {
    await send(message());
    expect(await send(message({ status: "unknown", title: "B" }))).toEqual(OK);
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
  });

  test("may send its cover in older and newer ways, or one that is dropped", async () => {
    const imagesWith = async (changes: object) => {
      await send(message({ cover: undefined, ...changes }));
      return server.inbox.current(server.connectionId)?.album.artworks.length;
    };
    expect(await imagesWith({ cover_url: "https://covers.example/2.jpg" })).toBe(1);
    expect(await imagesWith({ cover: "data:image/jpeg;base64,AAAA" })).toBe(1);
    expect(await imagesWith({ cover: "http://localhost/cover" })).toBe(0);
    expect(await imagesWith({})).toBe(0);
  });

  test.each<[what: string, body: unknown]>([
    ["The body", "{}"],
    ["The body", "nonsense"],
    ["data.status", { data: { title: "A" } }],
  ])("is refused with a sentence that names %s", async (what, body) => {
    await send(message());
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toStartWith(what);
    expect(await server.shown()).not.toBe(null);
  });

  test("survives thousands of hostile messages", () => {
    const samples = [message(), message({ status: "stopped" }), message({ title: "" })];
    expectHarmless(TUNA, hostileTexts(samples), readTuna);
  });
});
