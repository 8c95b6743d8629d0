import { beforeEach, describe, expect, test } from "bun:test";
import {
  type CoverService,
  createDeezer,
  createMusicBrainz,
  Overloaded,
} from "../../src/covers/services.ts";
import { createUpstream, UPSTREAM_DEADLINE_MS, UpstreamError } from "../../src/upstream/index.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import {
  aRecording,
  type CoverServices,
  createCoverServices,
  groupId,
  PICTURE,
} from "../fixtures/covers/cover-services.ts";
import { networkOf } from "../fixtures/http/network.ts";

const SONG = {
  title: "Paper Lanterns",
  artists: ["Juniper Vale", "Solvay"],
  album: "Slow Weather",
  durationMs: 200_000,
};
const COVER = `https://coverartarchive.org/release-group/${groupId(1)}/front-500`;

let clock: FakeClock;
let world: CoverServices;
let musicBrainz: CoverService;
let deezer: CoverService;
beforeEach(() => {
  clock = createFakeClock();
  world = createCoverServices();
  const upstream = createUpstream({ clock, trustedOrigins: [], network: networkOf(world.fetch) });
  musicBrainz = createMusicBrainz(upstream, "https://music.example.org");
  deezer = createDeezer(upstream);
});

const status = (code: number) => () => new Response(null, { status: code });
const leadingTo =
  (location: string, code = 307) =>
  () =>
    new Response(null, { status: code, headers: { location } });

describe("a search at MusicBrainz", () => {
  test("says which song, which program and whose server, and nothing else", async () => {
    await musicBrainz.search(SONG);
    const [call] = world.calls;
    expect(call?.url.origin).toBe("https://musicbrainz.org");
    expect(call?.url.pathname).toBe("/ws/2/recording");
    expect(Object.fromEntries(call?.url.searchParams ?? [])).toEqual({
      fmt: "json",
      limit: "10",
      query: 'recording:"Paper Lanterns" AND artist:"Juniper Vale"',
    });
    expect(Object.fromEntries(call?.headers ?? [])).toEqual({
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": expect.stringMatching(/^Marquee\/\S+ \( https:\/\/music\.example\.org \)$/),
    });
  });

  test("holds no name that could ask for something else, and no endless one", async () => {
    const title = `x" OR "\\" ${"y".repeat(1_000)}`;
    await musicBrainz.search({ ...SONG, title });
    const query = world.calls[0]?.url.searchParams.get("query") ?? "";
    expect(query.match(/"/g)).toHaveLength(4);
    expect(query).not.toContain("\\");
    expect(query.length).toBeLessThan(300);
  });

  test("brings each recording with each of its albums", async () => {
    world.recordings = [
      aRecording({ artists: ["Queen", "Mara Venn"] }),
      aRecording({ group: groupId(2), by: "Various Artists" }),
      aRecording({ group: "../../elsewhere" }),
    ];
    expect(await musicBrainz.search(SONG)).toEqual([
      {
        title: "Paper Lanterns",
        artists: ["Queen", "Mara Venn", "Queen & Mara Venn"],
        album: "Slow Weather",
        durationMs: 200_000,
        cover: COVER,
        isOfficial: true,
        isVarious: false,
        date: "2010-05-01",
      },
      expect.objectContaining({ isVarious: true, artists: ["Juniper Vale"] }),
    ]);
  });

  test.each([
    [{}],
    [[]],
    [{ recordings: null }],
    [{ recordings: [{}] }],
    [{ recordings: [{ releases: 5 }] }],
  ])("finds nothing in what is no answer: %j", async (answer) => {
    world.instead.set("musicbrainz.org", () => Response.json(answer));
    expect(await musicBrainz.search(SONG)).toEqual([]);
  });

  test.each([503, 429])("that is answered %d asks for a pause", async (code) => {
    world.instead.set("musicbrainz.org", status(code));
    await expect(musicBrainz.search(SONG)).rejects.toBeInstanceOf(Overloaded);
  });

  test("fails otherwise when it is not answered well", async () => {
    world.instead.set("musicbrainz.org", status(500));
    await expect(musicBrainz.search(SONG)).rejects.toBeInstanceOf(UpstreamError);
    world.instead.set("musicbrainz.org", () => new Response("<html>"));
    await expect(musicBrainz.search(SONG)).rejects.toThrow("not JSON");
  });

  test("takes five seconds at most", async () => {
    world.instead.set("musicbrainz.org", "hang");
    const failed = musicBrainz.search(SONG).catch((error: unknown) => error);
    await clock.advance(UPSTREAM_DEADLINE_MS);
    expect(UPSTREAM_DEADLINE_MS).toBe(5_000);
    expect(await failed).toBeInstanceOf(UpstreamError);
  });
});

describe("the Cover Art Archive", () => {
  test("has a cover or has none, without a call to where the picture is", async () => {
    world.covered = [groupId(1)];
    expect(await musicBrainz.has(COVER)).toBe(true);
    expect(await musicBrainz.has(COVER.replace(groupId(1), groupId(2)))).toBe(false);
    expect(world.hosts()).toEqual(["coverartarchive.org", "coverartarchive.org"]);
  });

  test("asks for a pause, or fails", async () => {
    world.instead.set("coverartarchive.org", status(503));
    await expect(musicBrainz.has(COVER)).rejects.toBeInstanceOf(Overloaded);
    world.instead.set("coverartarchive.org", status(400));
    await expect(musicBrainz.has(COVER)).rejects.toBeInstanceOf(UpstreamError);
    world.instead.set("coverartarchive.org", leadingTo("https://elsewhere.example/"));
    await expect(musicBrainz.has(COVER)).rejects.toBeInstanceOf(UpstreamError);
  });

  test("leads to the picture", async () => {
    expect(await musicBrainz.load(COVER)).toEqual(PICTURE);
    expect(world.hosts()).toEqual([
      "coverartarchive.org",
      "archive.org",
      "ia800100.us.archive.org",
    ]);
  });

  const elsewhere = [
    "http://ia800100.us.archive.org/a.jpg",
    "https://archive.org.example/a.jpg",
    "https://fakearchive.org/a.jpg",
    "https://us.archive.org:8443/a.jpg",
    "https://e-cdns-images.dzcdn.net/a.jpg",
    "https://musicbrainz.org/a.jpg",
    "https://127.0.0.1/a.jpg",
    "http://archive.org/a.jpg",
    "file:///etc/passwd",
    "//",
  ];
  test.each(elsewhere)("is not followed to %s", async (location) => {
    world.instead.set("coverartarchive.org", leadingTo(location));
    expect(await musicBrainz.load(COVER).catch((error: unknown) => error)).toBeInstanceOf(
      UpstreamError,
    );
    world.instead.set("coverartarchive.org", leadingTo("https://archive.org/x"));
    world.instead.set("archive.org", leadingTo(location, 302));
    expect(await musicBrainz.load(COVER).catch((error: unknown) => error)).toBeInstanceOf(
      UpstreamError,
    );
    expect(world.hosts()).toEqual(["coverartarchive.org", "coverartarchive.org", "archive.org"]);
  });

  test("is not followed for ever, nor where it is no redirect", async () => {
    world.instead.set("archive.org", leadingTo("https://archive.org/again"));
    await expect(musicBrainz.load(COVER)).rejects.toThrow("too often");
    world.instead.set("coverartarchive.org", leadingTo("https://archive.org/x", 201));
    await expect(musicBrainz.load(COVER)).rejects.toThrow("201");
  });
});

describe("a search at Deezer", () => {
  const cover = "https://cdn-images.dzcdn.net/images/cover/abc/500x500-000000-80-0-0.jpg";
  const track = {
    title: "Paper Lanterns",
    artist: "Juniper Vale",
    album: "Slow Weather",
    seconds: 200,
    cover,
  };

  test("says which song, and brings tracks with covers of Deezer's own servers", async () => {
    world.tracks = [
      track,
      { ...track, cover: "https://elsewhere.example/cover.jpg" },
      { ...track, cover: "http://cdn-images.dzcdn.net/a.jpg" },
      { ...track, cover: "https://cdn-images.dzcdn.net/images/cover//500x500.jpg" },
      {
        ...track,
        seconds: 0,
        artist: "Various Artists",
        cover: "https://api.deezer.com/album/1/image",
      },
    ];
    expect(await deezer.search(SONG)).toMatchObject([
      { title: "Paper Lanterns", artists: ["Juniper Vale"], durationMs: 200_000, cover },
      { durationMs: null, isVarious: true },
    ]);
    const [call] = world.calls;
    expect(call?.url.href).toStartWith("https://api.deezer.com/search?");
    expect(call?.url.searchParams.get("q")).toBe('artist:"Juniper Vale" track:"Paper Lanterns"');
    expect(call?.headers.get("user-agent")).not.toContain("example.org");
  });

  test("asks for a pause with an error that comes as a good answer", async () => {
    world.instead.set("api.deezer.com", () => Response.json({ error: { code: 4 } }));
    await expect(deezer.search(SONG)).rejects.toBeInstanceOf(Overloaded);
    world.instead.set("api.deezer.com", () => Response.json({ error: { code: 800 } }));
    await expect(deezer.search(SONG)).rejects.toBeInstanceOf(UpstreamError);
  });

  test("leads to pictures on Deezer's own servers only", async () => {
    const image = "https://api.deezer.com/album/1/image";
    world.instead.set("api.deezer.com", leadingTo("https://e-cdns-images.dzcdn.net/a.jpg", 302));
    expect(await deezer.load(image)).toEqual(PICTURE);
    for (const location of ["https://archive.org/a.jpg", "https://dzcdn.net.example/a.jpg"]) {
      world.instead.set("api.deezer.com", leadingTo(location, 302));
      await expect(deezer.load(image)).rejects.toBeInstanceOf(UpstreamError);
    }
    expect(world.hosts()).toEqual([
      "api.deezer.com",
      "e-cdns-images.dzcdn.net",
      "api.deezer.com",
      "api.deezer.com",
    ]);
  });
});
