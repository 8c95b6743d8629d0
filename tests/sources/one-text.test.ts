import { describe, expect, test } from "bun:test";
import { boundPlayback } from "../../src/channels/bounds.ts";
import type { Playback } from "../../src/playback.ts";
import { createAzuraCast } from "../../src/sources/kinds/azuracast.ts";
import { readPlayer as readBeefweb } from "../../src/sources/kinds/beefweb/player.ts";
import { readPlayback as readEntity } from "../../src/sources/kinds/homeassistant/entity.ts";
import { createIcecast } from "../../src/sources/kinds/icecast.ts";
import { readPlayback as readMpd } from "../../src/sources/kinds/mpd/answer.ts";
import { readPlayer as readMpris } from "../../src/sources/kinds/mpris/player.ts";
import { readSession } from "../../src/sources/kinds/media-browser/sessions.ts";
import { readSession as readPlex } from "../../src/sources/kinds/plex/sessions.ts";
import { readNowPlaying as readSubsonic } from "../../src/sources/kinds/subsonic/now-playing.ts";
import { createVlc } from "../../src/sources/kinds/vlc/index.ts";
import { withShownNames, CLEANED } from "../../src/titles/shown-names.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { firstOf, polledDeps } from "../fixtures/sources/polled.ts";

/** One stream, as the programs that play or serve it report it. */

const ADDRESS = "http://radio.test:8000/live";
const clock = createFakeClock();
const answering = (answer: unknown) => polledDeps(clock, async () => Response.json(answer));
const mpd = (...fields: (readonly [string, string])[]) =>
  readMpd({ fields: [["state", "play"], ...fields], binary: null }, null, 0);
const mpris = (metadata: Record<string, unknown>) =>
  readMpris(
    {
      name: "org.mpris.MediaPlayer2.player",
      identity: "Player",
      properties: { PlaybackStatus: "Playing", Metadata: metadata },
      observedAtMs: 0,
    },
    null,
    null,
  );
const vlc = (meta: Record<string, unknown>, length = 0) =>
  firstOf(
    createVlc(answering({ state: "playing", length, information: { category: { meta } } })),
    { url: "http://vlc.test:8080", password: "p" },
    clock,
  );
const homeAssistant = (attributes: Record<string, unknown>) =>
  readEntity(
    { state: "playing", attributes },
    { id: "media_player.radio", observedAtMs: 0, serverWallMs: 0, artworksOf: () => [] },
  );

const jellyfin = (item: Record<string, unknown>) =>
  readSession({ NowPlayingItem: { Id: "1", ...item } }, "Jellyfin", 0, undefined, () => {
    throw new Error("there is no cover");
  });
const plex = (title: string, file: string) =>
  readPlex({ ratingKey: "1", title, Media: [{ Part: [{ file }] }] }, 0, undefined, () => {
    throw new Error("there is no cover");
  });
const subsonic = (song: Record<string, unknown>) => {
  const entry = { id: "1", duration: 200, username: "ada", ...song };
  const text = JSON.stringify({ "subsonic-response": { nowPlaying: { entry } } });
  return readSubsonic(
    {
      from: "Subsonic",
      status: 200,
      text,
      authorized: true,
      observedAtMs: 0,
      serverWallMs: Date.now,
    },
    undefined,
    "ada",
    () => {
      throw new Error("there is no cover");
    },
  );
};

type Report = (text: string, station: string) => Promise<Playback | null> | Playback | null;

const PROGRAMS: readonly (readonly [name: string, report: Report])[] = [
  [
    "Icecast",
    (title, server_name) =>
      firstOf(
        createIcecast(
          answering({ icestats: { source: { listenurl: ADDRESS, title, server_name } } }),
        ),
        { url: "http://radio.test:8000", mount: "" },
        clock,
      ),
  ],
  ["VLC", (now_playing, title) => vlc({ filename: "live", now_playing, title })],
  ["MPD", (title, name) => mpd(["file", ADDRESS], ["Title", title], ["Name", name])],
  [
    "MPRIS",
    (title, artist) =>
      mpris({ "xesam:url": ADDRESS, "xesam:title": title, "xesam:artist": [artist] }),
  ],
  [
    "VLC over MPRIS",
    (text, station) =>
      mpris({ "xesam:url": ADDRESS, "xesam:title": station, "vlc:nowplaying": text }),
  ],
  [
    "Rhythmbox over MPRIS",
    (text, station) =>
      mpris({ "xesam:url": ADDRESS, "xesam:title": text, "rhythmbox:streamTitle": station }),
  ],
  [
    "Beefweb",
    (title, artist) =>
      readBeefweb(
        {
          player: {
            playbackState: "playing",
            activeItem: { columns: [title, artist, "?"], duration: 0, index: 0, playlistId: "p1" },
          },
        },
        0,
      ),
  ],
  ["Home Assistant", (media_title, media_channel) => homeAssistant({ media_title, media_channel })],
  [
    "Home Assistant, without a channel",
    (media_title, media_artist) =>
      homeAssistant({ media_title, media_artist, media_content_id: ADDRESS }),
  ],
];

const namesOf = (playback: Playback | null) => {
  const bounded = playback && boundPlayback(playback);
  return bounded && [bounded.artists.join(", "), bounded.track.title].join(" / ");
};

/** Programs that report no address, whose end would be the last name that there is. */
const WITHOUT_ADDRESS = ["Beefweb", "Home Assistant"];

describe.each(PROGRAMS)("a station's text in %s", (program, report) => {
  test.each([
    ["Daft Punk - One More Time", "Daft Punk / One More Time"],
    ["One More Time", "My Radio / One More Time"],
    [" - ", " / My Radio"],
    ["BjÃ¶rk - JÃ³ga", "Björk / Jóga"],
    ["ADBREAK_1 - ", null],
  ])("%j is %j", async (text, wanted) => {
    const playback = await report(text, "My Radio");
    expect(namesOf(playback)).toBe(wanted);
    // Cleaned titles differ from these in nothing.
    const shown = playback && boundPlayback(playback);
    expect(namesOf(shown && withShownNames(shown, 1, CLEANED))).toBe(wanted);
  });

  test("is of the station, also where it names an artist", async () => {
    const playback = await report("Daft Punk - One More Time", "My Radio");
    expect(playback?.album.name).toBe("My Radio");
  });

  test("is one song as long as only its time runs", async () => {
    const ids = ["(0:01)", "(0:02)"].map(
      async (time) => (await report(`Daft Punk - One More Time ${time}`, "My Radio"))?.track.id,
    );
    expect(new Set(await Promise.all(ids)).size).toBe(1);
  });

  test.each([" - ", "", "Unknown Artist"])("that says nothing is no title: %j", async (text) => {
    const wanted = WITHOUT_ADDRESS.includes(program) ? null : " / live";
    expect(namesOf(await report(text, ""))).toBe(wanted);
  });

  test("has no station where the server writes that there is none", async () => {
    const playback = await report("One More Time", "Unspecified name");
    expect(namesOf(playback)).toBe(" / One More Time");
    expect(playback?.album.name).toBe("");
  });
});

test("a stream without a name is not by the last part of its address", () => {
  const stream = { "xesam:url": ADDRESS, "vlc:nowplaying": "One More Time" };
  expect(namesOf(mpris(stream))).toBe(" / One More Time");
  expect(namesOf(mpris({ ...stream, "xesam:title": "live" }))).toBe(" / One More Time");
  expect(namesOf(mpd(["file", ADDRESS], ["Title", "One More Time"]))).toBe(" / One More Time");
});

test.each([
  ["Daft Punk - One More Time", "Daft Punk / One More Time"],
  ["ADBREAK_1 - ", null],
])("a stream that mpv gives a length is read alike: %j", (title, wanted) => {
  const stream = { "xesam:url": ADDRESS, "mpris:length": 8_280_816n };
  expect(namesOf(mpris({ ...stream, "xesam:title": title }))).toBe(wanted);
  const song = { ...stream, "xesam:title": title, "xesam:artist": ["Solvay"] };
  expect(namesOf(mpris(song))).toBe(`Solvay / ${title.trim()}`);
});

test("a station in Home Assistant that has no text is named alone", () => {
  expect(namesOf(homeAssistant({ media_channel: "My Radio" }))).toBe(" / My Radio");
  const named = { media_channel: "My Radio", media_content_id: ADDRESS, media_artist: "Solvay" };
  expect(namesOf(homeAssistant(named))).toBe(" / My Radio");
  const spoken = { media_content_id: "http://ha.test/api/tts_proxy/d1f2a3.mp3" };
  expect(namesOf(homeAssistant(spoken))).toBeNull();
});

test.each([
  ["YouTube", "Solvay / Undertow"],
  ["YouTube Music", "SolvayVEVO / Solvay - Undertow"],
])("a video that %s plays on a player of Home Assistant is %s", (app_name, wanted) => {
  const title = "Solvay - Undertow (Official Video)";
  const names = { media_title: title, media_artist: "SolvayVEVO", media_duration: 200 };
  const playback = homeAssistant({ ...names, app_name });
  expect(namesOf(playback && withShownNames(playback, 1, CLEANED))).toBe(wanted);
});

test("a live broadcast of AzuraCast is read alike, but is not by its station", async () => {
  const live = (title: string) => ({
    station: { name: "My Radio" },
    is_online: true,
    now_playing: { played_at: 1, duration: 0, elapsed: 1, song: { id: "1", title, artist: "" } },
  });
  const received = async (title: string) =>
    namesOf(
      await firstOf(
        createAzuraCast(answering(live(title))),
        { url: "http://radio.test", station: "my" },
        clock,
      ),
    );
  expect(await received("Daft Punk - One More Time (1:02)")).toBe("Daft Punk / One More Time");
  expect(await received("One More Time")).toBe(" / One More Time");
  expect(await received("-")).toBe(" / My Radio");
});

describe("a tag without an artist", () => {
  const TITLE = "Solvay - Undertow";
  const FILE = "12. Solvay - Undertow";
  test.each<[name: string, report: () => Promise<Playback | null> | Playback | null]>([
    ["MPD", () => mpd(["file", "a.flac"], ["Title", TITLE], ["duration", "200"])],
    ["VLC", () => vlc({ filename: "a.flac", title: TITLE }, 200)],
    ["MPRIS", () => mpris({ "xesam:url": "file:///a.flac", "xesam:title": TITLE })],
    ["Jellyfin", () => jellyfin({ Type: "Audio", Name: TITLE, Path: "/music/a.flac" })],
    ["Plex", () => plex(TITLE, "/music/a.flac")],
    ["a channel of Jellyfin", () => jellyfin({ Type: "TvChannel", Name: TITLE })],
    ["Subsonic", () => subsonic({ title: TITLE, path: "a/a.flac" })],
  ])("of a file in %s is a title and nothing else", async (_, report) => {
    const playback = await report();
    const shown = playback && boundPlayback(playback);
    expect(namesOf(shown && withShownNames(shown, 1, CLEANED))).toBe(` / ${TITLE}`);
  });

  test.each([
    ["MPD", () => mpd(["file", "x/12. Solvay - Undertow.flac"], ["duration", "200"])],
    ["VLC", () => vlc({ filename: "12. Solvay - Undertow.flac" }, 200)],
    ["MPRIS", () => mpris({ "xesam:url": "file:///12.%20Solvay%20-%20Undertow.flac" })],
    [
      "mpv over MPRIS",
      () =>
        mpris({
          "xesam:url": "file:///music/12.%20Solvay%20-%20Undertow.flac",
          "xesam:title": "12. Solvay - Undertow.flac",
        }),
    ],
    ["Jellyfin", () => jellyfin({ Name: FILE, Path: `/music/${FILE}.flac` })],
    ["Plex", () => plex(FILE, `/music/${FILE}.flac`)],
    ["Subsonic", () => subsonic({ title: FILE, path: `a/${FILE}.flac` })],
  ] as const)("is not what the name of a file in %s is", async (_, report) => {
    const playback = await report();
    const shown = playback && boundPlayback(playback);
    expect(namesOf(shown && withShownNames(shown, 1, CLEANED))).toBe("Solvay / Undertow");
  });
});

describe("a missing artist", () => {
  test.each(["AlbumArtist", "Performer", "Composer"])("is MPD's %s", (tag) => {
    expect(mpd(["file", "a.flac"], ["Title", "T"], [tag, "Ada"])?.artists).toEqual(["Ada"]);
    expect(mpd(["file", "a.flac"], [tag, "Ada"], ["Artist", "Bea"])?.artists).toEqual(["Bea"]);
  });

  test.each(["ALBUMARTIST", "PERFORMER", "COMPOSER", "Writer"])("is VLC's %s", async (field) => {
    const tags = { filename: "a.flac", title: "T", [field]: "Ada" };
    expect((await vlc(tags, 200))?.artists).toEqual(["Ada"]);
    expect((await vlc({ ...tags, artist: "Bea" }, 200))?.artists).toEqual(["Bea"]);
  });

  test("is one whom nobody knows, too", () => {
    const tags = [["Artist", "Unknown Artist"] as const, ["AlbumArtist", "<unknown>"] as const];
    expect(mpd(["file", "a.flac"], ...tags, ["Composer", "Ada"])?.artists).toEqual(["Ada"]);
  });

  test("is the composer of an MPRIS player", () => {
    const song = { "xesam:title": "T", "xesam:composer": ["Ada"] };
    expect(mpris(song)?.artists).toEqual(["Ada"]);
    expect(mpris({ ...song, "xesam:artist": "Bea" })?.artists).toEqual(["Bea"]);
  });
});
