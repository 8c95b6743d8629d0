import { expect } from "bun:test";
import { until } from "../fixtures/clock/waiting.ts";
import { createPushedServer } from "../fixtures/ingest/pushed-server.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { quodLibetIsInstalled, startQuodLibet } from "../fixtures/players/quod-libet.ts";
import { testWith } from "../fixtures/real-parts.ts";

testWith("Quod Libet, with its ListenBrainz plug-in and Xvfb,", quodLibetIsInstalled)(
  "Quod Libet's ListenBrainz plug-in is followed",
  async () => {
    const server = await createPushedServer("listenbrainz");
    // The plug-in takes only a host, so a proxy stands in front, as an owner would set one up.
    const proxy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const authorization = request.headers.get("authorization") ?? "";
        const path = `/listenbrainz${new URL(request.url).pathname}`;
        return server.post(path, await request.text(), { authorization });
      },
    });
    const song = silentFlac({
      seconds: 60,
      tags: [
        ["TITLE", "Glass Harbour"],
        ["ARTIST", "Juniper Vale"],
        ["ALBUM", "Slow Weather"],
      ],
    });
    const player = await startQuodLibet(song, {
      host: `127.0.0.1:${proxy.port}`,
      token: server.secret,
    });
    try {
      const shown = await until(async () => (await server.shown()) ?? undefined);
      expect(shown).toMatchObject({
        is_playing: true,
        track: { name: "Glass Harbour", duration_ms: 0 },
        artist_name: "Juniper Vale",
        album: { name: "Slow Weather" },
      });
    } finally {
      await player.stop();
      await proxy.stop(true);
      server.close();
    }
  },
);
