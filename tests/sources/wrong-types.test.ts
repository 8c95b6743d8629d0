import { describe, expect, test } from "bun:test";
import { readNowPlaying } from "../../src/ingest/audioscrobbler.ts";
import { readSubmission } from "../../src/ingest/listenbrainz.ts";
import type { Message } from "../../src/ingest/message.ts";
import { readTuna } from "../../src/ingest/tuna.ts";
import { readWebhook } from "../../src/ingest/web-scrobbler.ts";
import type { Playback } from "../../src/playback.ts";
import { createAzuraCast } from "../../src/sources/kinds/azuracast.ts";
import { createBeefweb } from "../../src/sources/kinds/beefweb/index.ts";
import { createCider } from "../../src/sources/kinds/cider/index.ts";
import { createEmby, createJellyfin } from "../../src/sources/kinds/media-browser/index.ts";
import { createHomeAssistant } from "../../src/sources/kinds/homeassistant/index.ts";
import { createIcecast } from "../../src/sources/kinds/icecast.ts";
import { createLastfm } from "../../src/sources/kinds/lastfm/index.ts";
import { createListenBrainzReader } from "../../src/sources/kinds/listenbrainz-reader.ts";
import { readLine } from "../../src/sources/kinds/media-session/reader-lines.ts";
import { readSession } from "../../src/sources/kinds/media-session/player.ts";
import { readPlayer as readMprisPlayer } from "../../src/sources/kinds/mpris/player.ts";
import { createPear } from "../../src/sources/kinds/pear/index.ts";
import { createPlex } from "../../src/sources/kinds/plex/index.ts";
import { readPlayer as readSpotifyPlayer } from "../../src/sources/kinds/spotify/player.ts";
import { createSubsonic } from "../../src/sources/kinds/subsonic/index.ts";
import { createVlc } from "../../src/sources/kinds/vlc/index.ts";
import type { Source } from "../../src/sources/source.ts";
import { aSession } from "../fixtures/media-session/sessions.ts";
import { type AnySourceDeps, firstPlaybackAt } from "../fixtures/sources/first-at.ts";

/** What a program reports of a song; each may be of any type. */
interface Song {
  readonly title: unknown;
  readonly artist: unknown;
  readonly album: unknown;
  /** In the unit of the program, which `lengthMs` and `positionMs` turn into milliseconds. */
  readonly length: unknown;
  readonly position: unknown;
}

/** What is read of it. */
interface Read {
  readonly title: string;
  readonly artists: readonly string[];
  readonly album: string;
  readonly durationMs: number | null;
  readonly positionMs?: number | null;
}

interface Reader {
  /** Milliseconds in the program's unit of time; absent where it reports neither length nor position. */
  readonly unitMs?: number;
  readonly reportsPosition?: false;
  readonly reportsAlbum?: false;
  read(song: Song): Promise<Read | null> | Read | null;
}

const SERVER = "http://plays.test";

/** What a source reads first at a server that answers each request with this. */
const firstAt = async (...given: Parameters<typeof firstPlaybackAt>): Promise<Read | null> =>
  readOf(await firstPlaybackAt(...given));

const readOf = (playback: Playback | null): Read | null =>
  playback && {
    title: playback.track.title,
    artists: playback.artists,
    album: playback.album.name,
    durationMs: playback.track.durationMs,
    positionMs: playback.positionMs,
  };

function trackIn(message: Message): Read | null {
  if (message.kind !== "track") throw new Error(`it is ${Bun.inspect(message)}`);
  const { album = "", durationMs = null, positionMs = null, ...track } = message.track;
  return { ...track, album, durationMs, positionMs };
}

const mediaBrowser =
  (create: (deps: AnySourceDeps) => Source) =>
  ({ title, artist, album, length, position }: Song) =>
    firstAt(create, { url: SERVER, user: "ada", token: "t" }, [
      {
        Id: "s",
        UserName: "ada",
        PlayState: { IsPaused: "false", PositionTicks: position },
        NowPlayingItem: {
          Type: "Audio",
          Id: 7,
          Name: title,
          Artists: artist,
          Album: album,
          RunTimeTicks: length,
        },
      },
    ]);

const readers: Readonly<Record<string, Reader>> = {
  azuracast: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createAzuraCast,
        { url: SERVER, station: "s" },
        {
          now_playing: {
            song: { id: 7, title, artist, album },
            duration: length,
            elapsed: position,
            played_at: "1",
          },
        },
      ),
  },
  beefweb: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createBeefweb,
        { url: SERVER },
        {
          player: {
            playbackState: "playing",
            activeItem: { index: "0", columns: [title, artist, album], duration: length, position },
          },
        },
      ),
  },
  cider: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createCider,
        { url: SERVER },
        {
          is_playing: "true",
          info: {
            name: title,
            artistName: artist,
            albumName: album,
            durationInMillis: typeof length === "number" ? length * 1_000 : length,
            currentPlaybackTime: position,
          },
        },
      ),
  },
  emby: { unitMs: 1 / 10_000, read: mediaBrowser(createEmby) },
  jellyfin: { unitMs: 1 / 10_000, read: mediaBrowser(createJellyfin) },
  homeassistant: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createHomeAssistant,
        { url: SERVER, entity: "media_player.a", token: "t" },
        {
          state: "playing",
          attributes: {
            media_title: title,
            media_artist: artist,
            media_album_name: album,
            media_duration: length,
            media_position: position,
          },
        },
      ),
  },
  icecast: {
    reportsAlbum: false,
    read: ({ title, artist }) =>
      firstAt(
        createIcecast,
        { url: SERVER },
        {
          icestats: { source: { listenurl: `${SERVER}/live`, title, artist } },
        },
      ),
  },
  lastfm: {
    read: ({ title, artist, album }) =>
      firstAt(
        (deps) => createLastfm({ ...deps, apiUrl: SERVER, apiKey: "k" }),
        { user: "ada" },
        { recenttracks: { track: { name: title, artist, album, "@attr": { nowplaying: true } } } },
      ),
  },
  "listenbrainz-reader": {
    unitMs: 1_000,
    reportsPosition: false,
    read: ({ title, artist, album, length }) =>
      firstAt(
        (deps) => createListenBrainzReader({ ...deps, apiUrl: SERVER }),
        { user: "ada" },
        {
          payload: {
            listens: {
              track_metadata: {
                track_name: title,
                artist_name: artist,
                release_name: album,
                additional_info: { artist_names: ["", null], duration: length },
              },
            },
          },
        },
      ),
  },
  "a media session": {
    unitMs: 1,
    read({ title, artist, album, length, position }) {
      const session = {
        ...aSession,
        ...{ title, artist, album, ageMs: "0", durationMs: length, positionMs: position },
      };
      const line = readLine(JSON.stringify({ sessions: [session] }));
      const [read] = line?.kind === "sessions" ? line.sessions : [];
      if (!read) throw new Error("the line was not understood");
      return readOf(
        readSession(read, {
          source: { id: "windows", name: "Windows" },
          observedAtMs: 0,
          before: null,
          cover: null,
        }),
      );
    },
  },
  mpris: {
    unitMs: 1 / 1_000,
    read: ({ title, artist, album, length, position }) =>
      readOf(
        readMprisPlayer(
          {
            name: "p",
            identity: "P",
            observedAtMs: 0,
            properties: {
              PlaybackStatus: "Playing",
              Position: position,
              Rate: "1",
              Volume: "0.5",
              Metadata: {
                "xesam:title": title,
                "xesam:artist": artist,
                "xesam:album": album,
                "mpris:length": length,
              },
            },
          },
          null,
          null,
        ),
      ),
  },
  pear: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createPear,
        { url: SERVER, token: "t" },
        {
          ...{ title, artist, album, songDuration: length, elapsedSeconds: position, isPaused: 0 },
        },
      ),
  },
  plex: {
    unitMs: 1,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createPlex,
        { url: SERVER, token: "t" },
        {
          MediaContainer: {
            Metadata: {
              type: "track",
              sessionKey: 1,
              ratingKey: 7,
              title,
              grandparentTitle: artist,
              parentTitle: album,
              duration: length,
              viewOffset: position,
              User: { id: 1 },
            },
          },
        },
      ),
  },
  spotify: {
    unitMs: 1,
    read: ({ title, artist, album, length, position }) =>
      readOf(
        readSpotifyPlayer(
          {
            is_playing: 1,
            progress_ms: position,
            item: {
              type: "track",
              id: 7,
              name: title,
              artists: artist,
              album: { name: album },
              duration_ms: length,
            },
          },
          {
            observedAtMs: 0,
            expectedPositionMs: () => 0,
            artworkAt: (url) => ({ key: url, load: async () => new Uint8Array() }),
          },
        ),
      ),
  },
  subsonic: {
    unitMs: 1_000,
    reportsPosition: false,
    read: ({ title, artist, album, length }) =>
      firstAt(
        createSubsonic,
        { url: SERVER, user: "311", password: "p" },
        {
          "subsonic-response": {
            status: "ok",
            nowPlaying: {
              entry: {
                ...{ id: 1329, username: 311, minutesAgo: "0", artists: [{ name: "" }, null] },
                ...{ title, artist, album, duration: length },
              },
            },
          },
        },
      ),
  },
  vlc: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      firstAt(
        createVlc,
        { url: SERVER, password: "p" },
        {
          state: "playing",
          time: position,
          length,
          currentplid: "3",
          information: { category: { meta: { title, artist, album } } },
        },
      ),
  },
  "listenbrainz submissions": {
    unitMs: 1_000,
    reportsPosition: false,
    read: ({ title, artist, album, length }) =>
      trackIn(
        readSubmission(
          JSON.stringify({
            listen_type: "playing_now",
            payload: {
              track_metadata: {
                track_name: title,
                artist_name: "stands in",
                release_name: album,
                additional_info: { artist_names: artist, duration: length },
              },
            },
          }),
        ),
      ),
  },
  tuna: {
    unitMs: 1,
    read: ({ title, artist, album, length, position }) =>
      trackIn(
        readTuna(
          JSON.stringify({
            data: {
              ...{ status: "playing", artists: artist },
              ...{ title, album, duration: length, progress: position },
            },
          }),
        ),
      ),
  },
  webscrobbler: {
    unitMs: 1_000,
    read: ({ title, artist, album, length, position }) =>
      trackIn(
        readWebhook(
          JSON.stringify({
            eventName: "nowplaying",
            data: {
              song: {
                parsed: { track: title, artist, album, duration: length, currentTime: position },
              },
            },
          }),
        ),
      ),
  },
};

const SONG: Song = { title: "One", artist: "Ada", album: "All", length: 200_000, position: 1_000 };
/** Of a type that no field has, or with no meaning in any. */
const UNREADABLE: readonly unknown[] = [{}, { toString: false }, [], [[["x"]]], null, true];

describe.each(Object.entries(readers))("%s", (_, { unitMs, read, ...reports }) => {
  test("reads numbers as names", async () => {
    const song = await read({ ...SONG, title: 1979, artist: 311, album: 1989 });
    expect(song).toMatchObject({ title: "1979", artists: ["311"] });
    if (reports.reportsAlbum !== false) expect(song?.album).toBe("1989");
  });

  test("reads a list of one as the one", async () => {
    const song = await read({ ...SONG, title: ["One"], artist: ["Ada", "", null], album: ["All"] });
    expect(song).toMatchObject({ title: "One", artists: ["Ada"] });
    if (reports.reportsAlbum !== false) expect(song?.album).toBe("All");
  });

  test("keeps the song where the rest of it cannot be read", async () => {
    for (const wrong of UNREADABLE) {
      const song = await read({
        title: "One",
        artist: wrong,
        album: wrong,
        length: wrong,
        position: wrong,
      });
      expect(song).toMatchObject({ title: "One", album: "", durationMs: null });
    }
  });

  if (unitMs === undefined) return;

  test("reads decimal texts as amounts", async () => {
    const right = await read(SONG);
    expect(right?.durationMs).toBeGreaterThan(0);
    const texts = { length: "200000", position: " 1000.0 " };
    const song = await read({ ...SONG, ...texts });
    if (reports.reportsPosition !== false) expect(song?.positionMs).toBe(right?.positionMs);
    expect(song?.durationMs).not.toBeNull();
  });

  test("leaves out a length that can be none", async () => {
    for (const length of [-1, "3:45", "0x10", "", "1e999", -0.001]) {
      const song = await read({ ...SONG, length });
      expect(song).toMatchObject({ title: "One", artists: ["Ada"], durationMs: null });
    }
  });
});

test("a form reads a length that can be none as none", () => {
  const form = new URLSearchParams({ t: "One", a: "Ada", l: "3:45" });
  expect(trackIn(readNowPlaying(form))).toMatchObject({ title: "One", durationMs: null });
});
