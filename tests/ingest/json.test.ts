import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCovers } from "../../src/upstream/covers.ts";
import { parseFields } from "../../src/upstream/json.ts";
import { fieldsOfQuery, readJson } from "../../src/ingest/json.ts";
import { JSON_PUSHES } from "../../src/sources/pushed.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { expectHarmless } from "../fixtures/ingest/fuzz.ts";
import { hostileObjects, hostileTexts } from "../fixtures/ingest/hostile.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";
import { bodyAfter } from "../fixtures/http/late-body.ts";
import { NO_NETWORK } from "../fixtures/http/network.ts";

const SONG = {
  title: "Paper Lanterns",
  artist: ["Juniper Vale", "Fern"],
  album: "Slow Weather",
  duration_ms: 200_000,
  position_ms: 10_000,
  state: "playing",
  cover_url: "https://covers.example/1.png",
  volume: 40,
  device: "Deck",
  id: "song-1",
  ttl_s: 60,
};

let server: PushedServer;
beforeEach(async () => {
  server = await createPushedServer("json");
});
afterEach(() => server.close());

const path = (secret = server.secret) => `/in/${secret}/json`;
const push = async (song: unknown) => {
  const response = await server.post(path(), song);
  return { status: response.status, body: await response.json() };
};

describe("our own JSON", () => {
  test("is shown with everything it said", async () => {
    expect(await push(SONG)).toEqual({ status: 200, body: { success: true } });
    await server.clock.advance(5_000);
    expect(await server.shown()).toMatchObject({
      is_playing: true,
      progress_ms: 15_000,
      track: { id: "song-1", name: "Paper Lanterns", duration_ms: 200_000 },
      artist_name: "Juniper Vale, Fern",
      album: { name: "Slow Weather" },
      device: { name: "Deck", type: "json", volume: 40 },
    });
  });

  test("is read in the charset that it is in, in a body and in a query", async () => {
    const bytes = Buffer.from('{"title":"Caf\xe9","artist":"Bj\xf6rk"}', "latin1");
    await server.get(path(), { method: "POST", body: bytes });
    expect(await server.shown()).toMatchObject({ track: { name: "Café" }, artist_name: "Björk" });
    await server.get(`${path()}?title=J%F3ga&artist=Bj%C3%B6rk`);
    expect(await server.shown()).toMatchObject({ track: { name: "Jóga" }, artist_name: "Björk" });
  });

  test("is shown although it came before anybody asked, and before the connection was watched", async () => {
    await push({ title: "Only a title" });
    expect(await server.shown()).toMatchObject({
      track: { name: "Only a title", duration_ms: 0 },
      artist_name: "",
    });
  });

  test("is refused where its secret is replaced while it is on its way", async () => {
    const { accounts, connectionId } = server;
    const rotate = () => accounts.connections.rotateSecret(connectionId);
    const body = bodyAfter(rotate, JSON.stringify(SONG));
    const answer = await server.get(path(), { method: "POST", body });
    expect(answer.status).toBe(401);
    expect(await server.shown()).toBe(null);
  });

  test("ends with an empty title, or when it says that it stopped", async () => {
    for (const end of [{ title: "" }, { title: "  " }, { state: "stopped" }]) {
      await push({ title: "A" });
      expect(await server.shown()).not.toBe(null);
      expect(await push(end)).toEqual({ status: 200, body: { success: true } });
      expect(await server.shown()).toBe(null);
    }
  });

  test("counts exactly as long as it says, playing or paused", async () => {
    for (const state of ["playing", "paused"]) {
      await push({ title: "A", state, duration_ms: 1_000, ttl_s: 40 });
      await server.clock.advance(39_999);
      expect(await server.shown()).not.toBe(null);
      await server.clock.advance(1);
      expect(await server.shown()).toBe(null);
    }
  });

  test("counts until fifteen seconds after its end", async () => {
    await push({ title: "A", duration_ms: 60_000, position_ms: 50_000 });
    await server.clock.advance(24_999);
    expect(await server.shown()).toMatchObject({ progress_ms: 60_000 });
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test.each([10_000, undefined])(
    "that repeats a pause, at position %p, makes it no younger",
    async (position_ms) => {
      const pause = { ...SONG, position_ms, ttl_s: undefined, state: "paused" };
      for (let minutes = 0; minutes < 30; minutes++) {
        await push(pause);
        await server.clock.advance(60_000);
      }
      await push(pause);
      expect(await server.shown()).toBe(null);
    },
  );

  test("that tells no position goes on from where the track was", async () => {
    await push({ title: "A", duration_ms: 60_000 });
    await server.clock.advance(20_000);
    await push({ title: "A", duration_ms: 60_000, state: "paused" });
    await server.clock.advance(20_000);
    await push({ title: "A", duration_ms: 60_000 });
    await server.clock.advance(1_000);
    expect(await server.shown()).toMatchObject({ is_playing: true, progress_ms: 21_000 });
  });

  test.each<[field: string, value: unknown]>([
    ["title", { name: "A" }],
    ["title", ["A", "B"]],
    ["title", true],
    ["artist", ["A", {}]],
    ["artist", { name: "A" }],
    ["album", []],
    ["duration_ms", "long"],
    ["duration_ms", "0x10"],
    ["duration_ms", {}],
    ["duration_ms", -1],
    ["position_ms", 1e300],
    ["state", "running"],
    ["volume", 101],
    ["device", true],
    ["id", { id: 5 }],
    ["volume", "loud"],
    ["ttl_s", "soon"],
    ["ttl_s", 0],
    ["ttl_s", 86_401],
    ["cover_url", "http://127.0.0.1/cover.png"],
    ["cover_url", "file:///etc/passwd"],
    ["cover_url", "https://user:secret@covers.example/1.png"],
    ["cover_url", `data:image/png;base64,${"A".repeat(49_152)}`],
    ["cover_url", "data:text/html;base64,AAAA"],
  ])(
    "is refused with a sentence that names %s, and what was playing stays",
    async (field, value) => {
      await push(SONG);
      const { status, body } = await push({ ...SONG, title: "B", [field]: value });
      expect(status).toBe(400);
      expect(body.success).toBe(false);
      expect(body.error).toStartWith(`${field} must`);
      expect(await server.shown()).toMatchObject({ track: { name: "Paper Lanterns" } });
      expect(server.inbox.postOf(server.connectionId).refusal?.reason).toBe(body.error);
    },
  );

  test("is read where numbers and texts stand for each other, as templates write them", async () => {
    const song = {
      title: 1979,
      artist: 311,
      album: [1989],
      duration_ms: "200000",
      position_ms: " 1000.4 ",
      volume: "40",
      id: 5,
      device: 7,
      ttl_s: "",
      cover_url: null,
    };
    expect(await push(song)).toEqual({ status: 200, body: { success: true } });
    expect(await server.shown()).toMatchObject({
      progress_ms: 1_000,
      track: { id: "5", name: "1979", duration_ms: 200_000 },
      artist_name: "311",
      album: { name: "1989" },
      device: { name: "7", volume: 40 },
    });
  });

  test("is refused with a field that is not known, and told which are", async () => {
    const { status, body } = await push({ title: "A", duration: 5 });
    expect(status).toBe(400);
    expect(body.error).toStartWith("duration is not known.");
    expect(body.error).toContain("duration_ms");
  });

  test("is refused without repeating a name that may be anything", async () => {
    const { status, body } = await push({ title: "A", [`mqi_${"0".repeat(38)}`]: 5 });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^A field is not known\./)]);
  });

  test.each(["", "null", "[]", "5", '{"title"', '"text"'])("%p is refused", async (text) => {
    await push(SONG);
    const { status, body } = await push(text);
    expect([status, body.error]).toEqual([400, "The body must be a JSON object."]);
    expect(await server.shown()).not.toBe(null);
  });

  test("without a title is refused unless it says that it stopped", async () => {
    const { status, body } = await push({ state: "paused" });
    expect(status).toBe(400);
    expect(body.error).toStartWith("title is missing");
  });

  test("takes the same by GET, where every value is a text", async () => {
    const query = new URLSearchParams({
      title: "Größe & Co",
      album: "",
      duration_ms: "60000",
      position_ms: "1000.4",
      volume: "",
    });
    query.append("artist", "A");
    query.append("artist", "B");
    const response = await server.get(`${path()}?${query}`);
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    expect(await server.shown()).toMatchObject({
      track: { name: "Größe & Co", duration_ms: 60_000 },
      progress_ms: 1_000,
      artist_name: "A, B",
      device: { volume: null },
    });
  });

  test("names a wrong field of a GET", async () => {
    const response = await server.get(`${path()}?title=A&duration_ms=long`);
    expect(response.status).toBe(400);
    expect((await response.json()).error).toStartWith("duration_ms must");
  });

  test("survives thousands of hostile messages", () => {
    const covers = createCovers({ clock: createFakeClock(), playerHosts: [], network: NO_NETWORK });
    const samples = [SONG, { title: "" }, { state: "stopped" }];
    expectHarmless(JSON_PUSHES, hostileObjects(samples), (value) =>
      readJson(parseFields(JSON.stringify(value) ?? "") ?? { title: 1 }, covers),
    );
  });

  test("survives thousands of hostile queries", () => {
    const covers = createCovers({ clock: createFakeClock(), playerHosts: [], network: NO_NETWORK });
    const names = fc.constantFrom(...Object.keys(SONG), "__proto__", "constructor", "");
    const values = fc.oneof(
      fc.constantFrom("", "playing", "1", "-1", "1e9", "https://a.example/"),
      fc.string(),
    );
    const queries = fc
      .array(fc.tuple(names, values), { maxLength: 8 })
      .map((pairs) => new URLSearchParams([["title", "A"], ...pairs]));
    expectHarmless(JSON_PUSHES, queries, (query) => readJson(fieldsOfQuery(query), covers));
  });

  test("survives hostile texts", () => {
    fc.assert(fc.property(hostileTexts([SONG]), (text) => void parseFields(text)));
  });
});

describe("whoever pushes", () => {
  test("with a wrong secret is told so, and counts as guessing", async () => {
    const wrong = "mqi_wrong";
    for (let guesses = 0; guesses < 10; guesses++) {
      const response = await server.post(path(wrong), SONG);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ success: false, error: "Invalid secret" });
    }
    const limited = await server.post(path(wrong), SONG);
    expect(limited.status).toBe(429);
    expect(limited.headers.get("retry-after")).toBe("60");
    expect((await push(SONG)).status).toBe(200);
  });

  test("opens only the protocol of the connection's own source", async () => {
    for (const other of ["tuna", "webscrobbler"]) {
      expect((await server.post(`/in/${server.secret}/${other}`, {})).status).toBe(401);
    }
    expect((await server.post(`/in/${server.secret}/nothing`, {})).status).toBe(404);
  });

  test("may send 64 KiB and not a byte more", async () => {
    const ofSize = (bytes: number) => JSON.stringify({ title: "A" }).padEnd(bytes, " ");
    expect((await push(ofSize(65_536))).status).toBe(200);
    expect(await push(ofSize(65_537))).toMatchObject({ status: 413, body: { success: false } });
  });

  test("may be a page: CORS is open, for its headers too", async () => {
    const asked = await server.get(path("x"), { method: "OPTIONS" });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe("*");
    expect(asked.headers.get("access-control-allow-headers")).toContain("*");
    expect(asked.headers.get("access-control-allow-private-network")).toBe("true");
    expect((await server.post(path(), SONG)).headers.get("access-control-allow-origin")).toBe("*");
  });

  test("with another method is told which there are", async () => {
    const response = await server.get(path(), { method: "PUT", body: "{}" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("leaves no secret in the log", async () => {
    await push(SONG);
    await server.get(`${path()}?title=A`);
    await server.get(`//in//${server.secret}/json`);
    await server.get(path("hunter2-hunter2"));
    await server.get(path().replace("mqi_", "%6dqi%5F"));
    expect(server.logged.length).toBeGreaterThan(4);
    const log = server.logged.join("\n");
    expect(log).not.toContain(server.secret.slice(5));
    expect(log).not.toContain("hunter2");
  });
});
