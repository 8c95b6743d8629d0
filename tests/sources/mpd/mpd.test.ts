import { beforeEach, describe, expect } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createMpd } from "../../../src/sources/kinds/mpd/index.ts";
import { SourceFailure } from "../../../src/sources/source.ts";
import { NETWORK } from "../../../src/upstream/index.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import { mpdIsInstalled } from "../../fixtures/mpd/mpd-daemon.ts";
import { sharedMpd } from "../../fixtures/mpd/shared-mpd.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { listenTo as listenToSource } from "../../fixtures/sources/polled.ts";

const test = testWith("mpd", mpdIsInstalled);

const listenTo = (address: string, password?: string) =>
  listenToSource(
    createMpd({ network: NETWORK }),
    password ? { address, password } : { address },
    systemClock,
  );

describe("a real MPD", () => {
  let folderCover: Uint8Array;
  let embeddedCover: Uint8Array;

  const daemon = sharedMpd(async () => {
    folderCover = await patternPicture("png", 300);
    embeddedCover = await patternPicture("jpeg", 400);
    return {
      "first/one.flac": silentFlac({
        seconds: 180,
        cover: embeddedCover,
        tags: [
          ["TITLE", "One"],
          ["ARTIST", "Ada"],
          ["ARTIST", "Grace"],
          ["ALBUM", "Numbers"],
        ],
      }),
      "second/two.flac": silentFlac({ seconds: 65, tags: [["TITLE", 'Zwei "quoted" ünï']] }),
      "second/cover.png": folderCover,
      "bare.flac": silentFlac({ seconds: 5 }),
    };
  });
  beforeEach(async () => {
    const queue = ["first/one.flac", "second/two.flac", "bare.flac"];
    for (const command of ["clear", ...queue.map((file) => `add "${file}"`)]) {
      await daemon().command(command);
    }
  });

  test("is followed from stop over play, pause, seek, volume and next to stop", async () => {
    const listener = listenTo(daemon().address);
    expect(await listener.next()).toBeNull();

    await daemon().command("setvol 40");
    await daemon().command("play 0");
    const playing = await listener.nextThat(
      (received) => received?.state === "playing" && received.album.artworks.length > 0,
    );
    expect(playing).toMatchObject({
      source: "MPD",
      state: "playing",
      track: { id: "first/one.flac", title: "One", explicit: false },
      artists: ["Ada", "Grace"],
      album: { name: "Numbers" },
      device: { volumePercent: 40 },
    });
    expect(playing?.track.durationMs).toBeWithin(180_000, 181_000);
    expect(await playing?.album.artworks[0]?.load()).toEqual(Buffer.from(embeddedCover));

    await daemon().command("pause 1");
    expect(await listener.nextThat((received) => received?.state === "paused")).toBeObject();

    await daemon().command("seekcur 90");
    const sought = await listener.nextThat((received) => (received?.positionMs ?? 0) > 80_000);
    expect(sought?.positionMs).toBeWithin(89_000, 91_500);

    await daemon().command("setvol 75");
    const louder = await listener.nextThat((received) => received?.device.volumePercent === 75);
    expect(louder?.track.title).toBe("One");

    await daemon().command("pause 0");
    await daemon().command("next");
    const second = await listener.nextThat((received) => received?.track.id === "second/two.flac");
    expect(second?.track.title).toBe('Zwei "quoted" ünï');
    expect(second?.artists).toEqual([]);

    await daemon().command("stop");
    expect(await listener.nextThat((received) => received === null)).toBeNull();
    await listener.stop();
  });

  test("gives the folder's cover when the file has none", async () => {
    await daemon().command("play 1");
    const listener = listenTo(daemon().address);
    const received = await listener.nextThat((one) => (one?.album.artworks.length ?? 0) > 0);
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from(folderCover));
    await listener.stop();
  });

  test("names a track without tags after its file, without a cover", async () => {
    await daemon().command("play 2");
    await daemon().command("pause 1");
    const listener = listenTo(daemon().address);
    const received = await listener.next();
    expect(received?.track.title).toBe("bare");
    expect(received?.album).toEqual({ name: "", artworks: [] });
    await listener.stop();
  });

  test("is followed again after it was killed and restarted", async () => {
    await daemon().command("play 0");
    const before = listenTo(daemon().address);
    await before.nextThat((received) => received?.track.title === "One");
    await daemon().kill();
    const failure = await before.nextThat(() => false).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SourceFailure);
    expect((failure as SourceFailure).meaning.kind).toBe("unavailable");

    await daemon().start();
    await daemon().command("clear");
    await daemon().command('add "first/one.flac"');
    await daemon().command("play");
    const after = listenTo(daemon().address);
    expect((await after.nextThat((received) => received?.state === "playing"))?.track.title).toBe(
      "One",
    );
    await after.stop();
  });
});

describe("a real MPD with a password", () => {
  const daemon = sharedMpd(
    () => ({ "a.flac": silentFlac({ seconds: 30, tags: [["TITLE", "Secret"]] }) }),
    ['add "a.flac"', "play"],
    "open sesame's",
  );

  test("is followed with the right one", async () => {
    const listener = listenTo(daemon().address, "open sesame's");
    expect((await listener.next())?.track.title).toBe("Secret");
    await listener.stop();
  });

  for (const [what, password] of [
    ["a wrong one", "guess-1234"],
    ["none", undefined],
  ] as const) {
    test(`refuses ${what} as unauthorized, without telling it`, async () => {
      const failure = await listenTo(daemon().address, password)
        .next()
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SourceFailure);
      expect((failure as SourceFailure).meaning).toEqual({ kind: "unauthorized" });
      expect(String(failure)).not.toContain("guess-1234");
    });
  }
});
