import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { readApiDescription } from "../fixtures/http/api-description.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const PATH = "/api/v1/recently-played";

let server: TestServer;
let ada: AddedUser;
let stopLooking: () => void;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
  stopLooking = server.hub.subscribe(ada.user.id, () => {});
});
afterEach(() => server.close());

const keep = (keeps: "day" | "month" | "always" | null = "always") =>
  server.accounts.history.change(ada.user, { keeps, followsStreams: false });
const answer = async () => (await server.getAs(ada, PATH)).json();
const titles = async () =>
  (await answer()).data.map(({ track }: { track: { name: string } }) => track.name);
/** A song plays from now on, for so many seconds. */
async function play(title: string, seconds: number, changes: Parameters<typeof aPlayback>[0] = {}) {
  const track = { id: title, title, durationMs: 200_000, explicit: false };
  const observedAtMs = server.clock.monotonicMs();
  const { artists = ["Juniper Vale"], album = { name: "Slow Weather", artworks: [] } } = changes;
  const playback = aPlayback({ track, artists, album, positionMs: 0, observedAtMs });
  await server.sourceOf(ada).says(playback);
  await server.clock.advance(seconds * 1_000);
}

describe("GET /api/v1/recently-played", () => {
  test("answers an empty list while no history is switched on", async () => {
    await play("A", 60);
    await play("B", 1);
    expect(await answer()).toEqual({ success: true, data: [] });
  });

  test("has a play of its length for each time that a song was played in a loop", async () => {
    await keep();
    const track = { id: "loop", title: "Loop", durationMs: 36_000, explicit: false };
    for (let play = 0; play < 3; play += 1) {
      const observedAtMs = server.clock.monotonicMs();
      await server.sourceOf(ada).says(aPlayback({ track, positionMs: 0, observedAtMs }));
      await server.clock.advance(36_000);
    }
    await server.sourceOf(ada).says(null);
    const { data } = await answer();
    expect(data.map(({ played_ms }: { played_ms: number }) => played_ms)).toEqual([
      36_000, 36_000, 36_000,
    ]);
  });

  test("answers exactly the described fields, the newest song first", async () => {
    await keep();
    await play("A", 60, { artists: ["Juniper Vale", "Otto"] });
    await play("B", 45);
    const body = await answer();
    expect(body).toEqual({
      success: true,
      data: [
        {
          track: { id: "B", name: "B", duration_ms: 200_000, explicit: false },
          artist_name: "Juniper Vale",
          album: { name: "Slow Weather", images: [] },
          started_at: "2026-11-21 12:01:00",
          played_ms: 45_000,
        },
        {
          track: { id: "A", name: "A", duration_ms: 200_000, explicit: false },
          artist_name: "Juniper Vale, Otto",
          album: { name: "Slow Weather", images: [] },
          started_at: "2026-11-21 12:00:00",
          played_ms: 60_000,
        },
      ],
    });
    const description = await readApiDescription(server);
    expect(description.mistakesIn(PATH, 200, body)).toEqual([]);
  });

  test.each([
    ["cleared", () => server.accounts.history.clear(ada.user)],
    ["switched off and on", () => keep(null).then(() => keep())],
  ])("answers nothing that was played before the history was %s", async (_, clear) => {
    await keep();
    await play("A", 60);
    await play("B", 34);
    expect(await titles()).toEqual(["B", "A"]);
    await clear();
    expect(await titles()).toEqual([]);
    await server.clock.advance(29_000);
    await server.sourceOf(ada).says(null);
    expect(await titles()).toEqual([]);
    await play("C", 31);
    expect(await titles()).toEqual(["C"]);
  });

  test("counts of a song what was played since the history was switched on", async () => {
    await play("A", 34);
    await keep();
    await server.clock.advance(40_000);
    const { data } = await answer();
    expect(data).toMatchObject([{ started_at: "2026-11-21 12:00:34", played_ms: 40_000 }]);
  });

  test("keeps the song that plays when the channel stops", async () => {
    await keep();
    await play("A", 40);
    stopLooking();
    server.hub.stop();
    expect(await answer()).toMatchObject({ data: [{ played_ms: 40_000 }] });
  });

  test("has nothing that is hidden, and nothing of it was stored", async () => {
    await keep();
    await server.accounts.privacy.change(ada.user, { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] });
    await play("My secret", 60);
    await play("B", 60);
    expect(await titles()).toEqual(["B"]);
    await server.accounts.privacy.change(ada.user, NOTHING_HIDDEN);
    expect(await titles()).toEqual(["B"]);
  });

  test("goes back beyond songs that are hidden, for a bounded time", async () => {
    await keep();
    const { history, privacy } = server.accounts;
    const add = (title: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          history.note(ada.user.id, aKeptSong({ startedAt: ++startedAt }, `${title} ${at}`)),
        ),
      );
    let startedAt = server.clock.wallMs() - 3_600_000;
    await add("Ancient", 1);
    await add("Secret", 400);
    await add("Old", 60);
    await add("Secret", 75);
    await privacy.change(ada.user, { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] });
    const all = await titles();
    expect(all).toHaveLength(50);
    expect([all[0], all.at(-1)]).toEqual(["Old 59", "Old 10"]);
    await add("Secret", 1_000);
    expect(await titles()).toEqual([]);
  });

  test("shows no song that was hidden later, nor any while sharing is paused", async () => {
    await keep();
    await play("A", 60);
    await play("B", 60);
    await server.accounts.privacy.change(ada.user, { ...NOTHING_HIDDEN, hiddenTitles: ["a"] });
    expect(await titles()).toEqual(["B"]);
    await server.accounts.privacy.change(ada.user, {
      ...NOTHING_HIDDEN,
      pausedUntil: UNTIL_RESUMED,
    });
    expect(await answer()).toEqual({ success: true, data: [] });
  });

  test("names the cover's public address, or that of ours, which works", async () => {
    await keep();
    const picture = await patternPicture("png", 64);
    const ours = { key: "ours", load: async () => picture };
    const theirs = {
      key: "theirs",
      url: "https://covers.example/1.jpg",
      load: async () => picture,
    };
    await play("A", 60, { album: { name: "A", artworks: [ours] } });
    await play("B", 60, { album: { name: "B", artworks: [theirs] } });
    const [second, first] = (await answer()).data;
    expect(second.album.images).toEqual([{ url: "https://covers.example/1.jpg" }]);
    const [{ url }] = first.album.images;
    expect(url).toStartWith("http://127.0.0.1:4747/art/");
    expect((await server.get(new URL(url).pathname)).status).toBe(200);
  });

  test("is nobody else's history", async () => {
    const grace = await server.addUser("grace");
    await keep();
    await play("A", 60);
    const theirs = await (await server.getAs(grace, PATH)).json();
    expect(theirs).toEqual({ success: true, data: [] });
  });
});
