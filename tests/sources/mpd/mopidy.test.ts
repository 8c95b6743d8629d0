import { expect } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { positionAt } from "../../../src/playback.ts";
import { createMpd } from "../../../src/sources/kinds/mpd/index.ts";
import { NETWORK } from "../../../src/upstream/index.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import { createMopidyServer, mopidyIsInstalled } from "../../fixtures/players/mopidy-server.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { listenTo } from "../../fixtures/sources/polled.ts";

const song = (title: string) =>
  silentFlac({
    seconds: 120,
    tags: [
      ["TITLE", title],
      ["ARTIST", "Juniper Vale"],
      ["ALBUM", "Slow Weather"],
    ],
  });

testWith("mopidy with mopidy-mpd", mopidyIsInstalled)(
  "Mopidy is followed by MPD's protocol over pause, seek and the next file to the stop",
  async () => {
    const mopidy = await createMopidyServer({
      "1.flac": song("Glass Harbour"),
      "2.flac": song("Paper Lanterns"),
    });
    const listener = listenTo(
      createMpd({ network: NETWORK }),
      { address: mopidy.address },
      systemClock,
    );
    try {
      const first = await listener.nextThat((now) => now?.track.title === "Glass Harbour");
      expect(first).toMatchObject({
        state: "playing",
        track: { durationMs: 120_000 },
        artists: ["Juniper Vale"],
        // Mopidy's plug-in for MPD's protocol has no covers.
        album: { name: "Slow Weather", artworks: [] },
      });
      await mopidy.command("pause 1");
      await listener.nextThat((now) => now?.state === "paused");
      await mopidy.command("pause 0");
      await listener.nextThat((now) => now?.state === "playing");
      await mopidy.command("seekcur 60");
      const sought = await listener.nextThat((now) => (now?.positionMs ?? 0) >= 60_000);
      if (!sought) throw new Error("it plays");
      expect(positionAt(sought, systemClock.monotonicMs())).toBeWithin(60_000, 75_000);
      await mopidy.command("next");
      await listener.nextThat((now) => now?.track.title === "Paper Lanterns");
      await mopidy.command("stop");
      await listener.nextThat((now) => now === null);
    } finally {
      await listener.stop();
      await mopidy.stop();
    }
  },
);
