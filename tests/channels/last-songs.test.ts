import { describe, expect, test } from "bun:test";
import { type CountedSong, LastSongs, MOST_SONGS } from "../../src/channels/last-songs.ts";
import type { Reading } from "../../src/channels/reading.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/** The last songs of a channel, told what plays second by second. */
function listen(onCounted: (song: CountedSong) => void = () => {}) {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, wallMs: () => 1_000_000 + nowMs };
  const songs = new LastSongs(clock, onCounted);
  return {
    titles: () => songs.finished.map(({ song }) => song.track.title),
    finished: () => songs.finished,
    note: (reading: Reading | undefined) => songs.note(reading),
    beginAgain: () => songs.beginAgain(),
    pass(seconds: number) {
      nowMs += seconds * 1_000;
    },
    /** Something plays from now on, for so many seconds. */
    play(title: string, seconds: number, changes: Partial<Playback> = {}) {
      const track = { id: title, title, durationMs: 200_000, explicit: false };
      const playback = aPlayback({ track, positionMs: 0, observedAtMs: nowMs, ...changes });
      songs.note({ kind: "playback", playback, connectionId: 1 });
      nowMs += seconds * 1_000;
    },
  };
}

describe("the last songs of a channel", () => {
  test("are those before the current one, the newest first", () => {
    const songs = listen();
    songs.play("A", 30);
    songs.play("B", 30);
    songs.play("C", 30);
    expect(songs.titles()).toEqual(["B", "A"]);
    expect(songs.finished()[0]).toMatchObject({ startedAt: 1_030_000, playedMs: 30_000 });
  });

  test("count only when they were played for ten seconds, without their pauses", () => {
    const songs = listen();
    songs.play("A", 9);
    songs.play("B", 10);
    songs.play("C", 9);
    songs.play("C", 60, { state: "paused" });
    songs.play("D", 1);
    expect(songs.titles()).toEqual(["B"]);
  });

  test("begin again with the present one when what was played is not to count", () => {
    const told: [title: string, startedAt: number, playedMs: number][] = [];
    const songs = listen(({ song, startedAt, playedMs }) =>
      told.push([song.track.title, startedAt, playedMs]),
    );
    songs.play("A", 34);
    songs.note(undefined);
    songs.play("A", 6);
    expect(told.splice(0)).toEqual([["A", 1_000_000, 34_000]]);
    songs.beginAgain();
    songs.play("A", 29);
    songs.play("B", 31);
    songs.play("C", 1);
    expect(told).toEqual([["B", 1_069_000, 31_000]]);
  });

  test("do not go on with one that had ended before they began again", () => {
    const songs = listen();
    songs.play("A", 60);
    songs.note({ kind: "nothing" });
    songs.pass(5);
    songs.beginAgain();
    songs.play("A", 20);
    songs.play("B", 1);
    expect(songs.finished()).toMatchObject([{ startedAt: 1_065_000, playedMs: 20_000 }]);
  });

  test("are told from thirty seconds on: each minute, at a pause, a gap and the end", () => {
    const told: string[] = [];
    const songs = listen(({ song, playedMs }) =>
      told.push(`${song.track.title} ${playedMs / 1_000}`),
    );
    const isOn = { track: { id: "1", title: "A", durationMs: null, explicit: false } };
    for (const seconds of [29, 1, 59, 1, 5]) songs.play("A", seconds, isOn);
    songs.play("A", 5, { ...isOn, state: "paused" });
    songs.play("A", 5, isOn);
    songs.note(undefined);
    songs.pass(5);
    songs.play("B", 29);
    songs.play("C", 0);
    expect(told).toEqual(["A 30", "A 90", "A 95", "A 100"]);
  });

  test("are followed until their end at the longest", () => {
    const songs = listen();
    songs.play("A", 3_600, { positionMs: 185_000 });
    songs.note({ kind: "nothing" });
    expect(songs.finished()).toMatchObject([{ playedMs: 15_000 }]);
  });

  test("have a song once that goes on after silence or a failure", () => {
    const songs = listen();
    songs.play("A", 20);
    songs.note({ kind: "nothing" });
    songs.pass(5);
    songs.play("A", 20);
    songs.note({ kind: "unavailable", retryAfterMs: 1 });
    songs.pass(60);
    songs.play("A", 20);
    songs.note({ kind: "nothing" });
    expect(songs.finished()).toMatchObject([{ startedAt: 1_000_000, playedMs: 60_000 }]);
  });

  test("go on when the channel stops and starts again", () => {
    const songs = listen();
    songs.play("A", 20);
    songs.note(undefined);
    songs.pass(600);
    songs.play("B", 1);
    expect(songs.finished()).toMatchObject([{ playedMs: 20_000 }]);
  });

  test(`are at most ${MOST_SONGS}, and hold no covers`, () => {
    const songs = listen();
    const artworks = [{ key: "k", load: async () => new Uint8Array(1) }];
    for (let number = 1; number <= 30; number++) {
      songs.play(`Song ${number}`, 20, { album: { name: "Album", artworks } });
    }
    songs.note({ kind: "nothing" });
    expect(songs.titles()).toHaveLength(MOST_SONGS);
    expect(songs.titles()[0]).toBe("Song 30");
    expect(songs.finished()[0]?.song).not.toHaveProperty("album");
  });
});
