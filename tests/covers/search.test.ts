import { beforeEach, describe, expect, test } from "bun:test";
import { createFoundCovers, type FoundCovers } from "../../src/accounts/found-covers.ts";
import { createCoverSearch } from "../../src/covers/search.ts";
import { createDeezer, createMusicBrainz } from "../../src/covers/services.ts";
import { createLog } from "../../src/log.ts";
import type { Artwork, Playback } from "../../src/playback.ts";
import { createUpstream } from "../../src/upstream/index.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import {
  aRecording,
  type CoverServices,
  createCoverServices,
  groupId,
  PICTURE,
} from "../fixtures/covers/cover-services.ts";
import { createTestAccounts } from "../fixtures/data/accounts.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { networkOf } from "../fixtures/http/network.ts";

const DAY_MS = 86_400_000;
const ADA = 1;

let clock: FakeClock;
let world: CoverServices;
let known: FoundCovers;
let search: ReturnType<typeof createCoverSearch>;
/** What users play and others are shown without a cover. */
let playing: Map<number, Playback>;
let found: number[];
beforeEach(async () => {
  clock = createFakeClock();
  world = createCoverServices();
  const { store, vault } = await createTestAccounts();
  known = createFoundCovers({ store, vault, wallMs: clock.wallMs });
  playing = new Map();
  found = [];
  search = createSearch("musicbrainz");
});

/** The search of a server that has just started. */
function createSearch(
  ...names: readonly ("musicbrainz" | "deezer")[]
): ReturnType<typeof createCoverSearch> {
  const upstream = createUpstream({ clock, trustedOrigins: [], network: networkOf(world.fetch) });
  const services = {
    musicbrainz: () => createMusicBrainz(upstream, "https://music.example.org"),
    deezer: () => createDeezer(upstream),
  };
  const created = createCoverSearch({
    clock,
    log: createLog({ level: "error", format: "text", write() {}, wallMs: clock.wallMs }),
    services: names.map((name) => services[name]()),
    known,
    coverlessOf: (userId) => playing.get(userId),
  });
  created.onFound((userId) => found.push(userId));
  return created;
}

const song = (title: string, changes: Partial<Playback> = {}): Playback =>
  aPlayback({ track: { ...aPlayback().track, title }, ...changes });

/** Plays a song, and asks for its cover as each reading does. */
function plays(playback: Playback, userId = ADA): Artwork | undefined {
  playing.set(userId, playback);
  return search.coverOf(userId, playback);
}

const hosts = (host: string) => world.hosts().filter((one) => one === host).length;

describe("a song without a cover", () => {
  test("is looked up after five seconds, and gets its cover", async () => {
    const playback = aPlayback();
    expect(plays(playback)).toBeUndefined();
    await clock.advance(4_999);
    expect(world.calls).toEqual([]);
    await clock.advance(1);
    expect(world.hosts()).toEqual(["musicbrainz.org", "coverartarchive.org"]);
    expect(found).toEqual([ADA]);
    const artwork = plays(playback);
    expect(artwork?.key).toBe(
      `found:https://coverartarchive.org/release-group/${groupId(1)}/front-500`,
    );
    // Its address is for this server alone.
    expect(artwork?.url).toBeUndefined();
    expect(await artwork?.load()).toEqual(PICTURE);
  });

  test("is looked up once, however often and by however many it is asked for", async () => {
    for (const userId of [1, 2, 3]) for (let time = 0; time < 5; time++) plays(aPlayback(), userId);
    await clock.advance(20_000);
    expect(hosts("musicbrainz.org")).toBe(1);
    expect(found.toSorted()).toEqual([1, 2, 3]);
    plays(aPlayback(), 4);
    await clock.advance(20_000);
    expect(hosts("musicbrainz.org")).toBe(1);
  });

  test("is not looked up once it is over, hidden or paused, or its player has sent a cover", async () => {
    plays(aPlayback());
    playing.delete(ADA);
    await clock.advance(10_000);
    plays(aPlayback());
    playing.set(ADA, song("Undertow"));
    await clock.advance(10_000);
    expect(world.calls).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });

  test("is not looked up if that changes while it waits for its turn", async () => {
    plays(song("Undertow"), 1);
    plays(song("Glass Sea"), 2);
    await clock.advance(5_000);
    expect(hosts("musicbrainz.org")).toBe(1);
    playing.delete(2);
    await clock.advance(10_000);
    expect(hosts("musicbrainz.org")).toBe(1);
  });

  test("is not looked up while it is paused", async () => {
    plays(aPlayback({ state: "paused" }));
    await clock.advance(10_000);
    expect(world.calls).toEqual([]);
  });

  test("is not looked up with a short title and a length of nothing", async () => {
    plays(aPlayback({ track: { id: "1", title: "Sea", durationMs: 0, explicit: false } }));
    await clock.advance(10_000);
    expect(world.calls).toEqual([]);
  });

  test("is looked up under its cleaned names, whether they are shown or not", async () => {
    plays(song("Mara Venn - Glass Sea (Official Video)", { namesFrom: { origin: "page" } }));
    await clock.advance(5_000);
    expect(world.calls[0]?.url.searchParams.get("query")).toBe(
      'recording:"Glass Sea" AND artist:"Mara Venn"',
    );
  });

  test("waits anew when another one plays: a user has one search at a time", async () => {
    for (let index = 0; index < 40; index++) {
      plays(song(`Song number ${index}`));
      await clock.advance(1_000);
    }
    expect(world.calls).toEqual([]);
    expect(clock.waiting()).toBe(1);
    await clock.advance(4_000);
    expect(hosts("musicbrainz.org")).toBe(1);
  });

  test("is left out while fifty others wait, and looked up later", async () => {
    for (let user = 1; user <= 51; user++) plays(song(`Song number ${user}`), user);
    expect(clock.waiting()).toBe(50);
    await clock.advance(120_000);
    expect(hosts("musicbrainz.org")).toBe(50);
    plays(song("Song number 51"), 51);
    await clock.advance(10_000);
    expect(hosts("musicbrainz.org")).toBe(51);
  });
});

describe("what is found", () => {
  test("counts for ninety days, over restarts", async () => {
    plays(aPlayback());
    await clock.advance(6_000);
    search = createSearch("musicbrainz");
    expect(plays(aPlayback())).toBeUndefined();
    await clock.advance(6_000);
    expect(plays(aPlayback())).toBeDefined();
    await clock.advance(90 * DAY_MS - 13_000);
    expect(plays(aPlayback())).toBeDefined();
    expect(hosts("musicbrainz.org")).toBe(1);
    await clock.advance(13_000);
    expect(plays(aPlayback())).toBeUndefined();
    await clock.advance(6_000);
    expect(hosts("musicbrainz.org")).toBe(2);
  });

  test("counts for seven days if it is nothing", async () => {
    world.recordings = [];
    plays(aPlayback());
    await clock.advance(6_000);
    for (const restarted of [false, true]) {
      if (restarted) search = createSearch("musicbrainz");
      await clock.advance(3 * DAY_MS);
      plays(aPlayback());
      await clock.advance(6_000);
    }
    expect(hosts("musicbrainz.org")).toBe(1);
    expect(found).toEqual([]);
    await clock.advance(DAY_MS);
    plays(aPlayback());
    await clock.advance(6_000);
    expect(hosts("musicbrainz.org")).toBe(2);
  });

  test("is the first album of those that fit that has a cover, of three", async () => {
    world.recordings = [5, 4, 3, 2].map((group) => aRecording({ group: groupId(group) }));
    world.covered = [groupId(3), groupId(2)];
    plays(aPlayback());
    await clock.advance(6_000);
    expect(plays(aPlayback())?.key).toContain(groupId(3));
    world.covered = [];
    plays(song("Paper Lanterns (Take Two)", { album: { name: "Elsewhere", artworks: [] } }));
    await clock.advance(6_000);
    expect(hosts("coverartarchive.org")).toBe(6);
  });

  test("is not another song", async () => {
    world.recordings = [aRecording({ artists: ["Solvay"] }), aRecording({ length: 220_000 })];
    plays(aPlayback());
    await clock.advance(6_000);
    expect(plays(aPlayback())).toBeUndefined();
    expect(world.hosts()).toEqual(["musicbrainz.org"]);
  });
});

describe("Deezer", () => {
  const cover = "https://cdn-images.dzcdn.net/images/cover/abc/500x500.jpg";
  beforeEach(() => {
    const names = { title: "Paper Lanterns", artist: "Juniper Vale", album: "Slow Weather" };
    world.tracks = [{ ...names, seconds: 200, cover }];
  });

  test("is asked only where it is allowed, and for what the other does not have", async () => {
    world.covered = [];
    plays(aPlayback());
    await clock.advance(10_000);
    expect(hosts("api.deezer.com")).toBe(0);
    // What was not found elsewhere counts for less once it may be asked.
    search = createSearch("musicbrainz", "deezer");
    plays(aPlayback());
    await clock.advance(10_000);
    expect(plays(aPlayback())?.key).toBe(`found:${cover}`);
    expect(hosts("api.deezer.com")).toBe(1);
    world.covered = undefined;
    plays(song("Paper Lanterns (Take Two)"));
    await clock.advance(10_000);
    expect(hosts("api.deezer.com")).toBe(1);
  });
});

describe("a service that fails", () => {
  const failing = (code: number) => {
    world.instead.set("musicbrainz.org", () => new Response(null, { status: code }));
  };

  test("is asked for the song again after a while, and nothing is stored", async () => {
    failing(500);
    plays(aPlayback());
    await clock.advance(6_000);
    plays(aPlayback());
    await clock.advance(200_000);
    expect(hosts("musicbrainz.org")).toBe(1);
    world.instead.clear();
    await clock.advance(100_000);
    plays(aPlayback());
    await clock.advance(6_000);
    expect(hosts("musicbrainz.org")).toBe(2);
    expect(plays(aPlayback())).toBeDefined();
  });

  test("with 503 at the Cover Art Archive is not asked either", async () => {
    world.instead.set("coverartarchive.org", () => new Response(null, { status: 503 }));
    plays(aPlayback());
    plays(song("Undertow"), 2);
    await clock.advance(30_000);
    expect(world.hosts()).toEqual(["musicbrainz.org", "coverartarchive.org"]);
  });
});

test("where no service is allowed, nothing is asked and nothing is remembered", async () => {
  plays(aPlayback());
  await clock.advance(6_000);
  const { length } = world.calls;
  search = createSearch();
  expect(plays(aPlayback())).toBeUndefined();
  expect(clock.waiting()).toBe(0);
  await clock.advance(DAY_MS);
  await settle();
  expect(world.calls).toHaveLength(length);
});
