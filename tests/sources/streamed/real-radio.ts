import { afterAll, beforeAll, describe, expect } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createRadio } from "../../../src/sources/kinds/radio/index.ts";
import type { Playback } from "../../../src/playback.ts";
import { createUpstream, NETWORK } from "../../../src/upstream/index.ts";
import {
  createIcecastServer,
  icecastIsInstalled,
  type IcecastServer,
} from "../../fixtures/players/icecast-server.ts";
import {
  FORMATS,
  type Format,
  liquidsoapIsInstalled,
  startLiquidsoap,
} from "../../fixtures/players/liquidsoap.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";
import { until } from "../../fixtures/clock/waiting.ts";

const radio = createRadio({
  playerHosts: [],
  upstreamOf: (trustedOrigins, allowsHttp) =>
    createUpstream({ clock: systemClock, trustedOrigins, allowsHttp, network: NETWORK }),
});

describe("a radio of a real Icecast", () => {
  const areInstalled = icecastIsInstalled && liquidsoapIsInstalled;
  const test = testWith("icecast2, ffmpeg or liquidsoap", areInstalled);
  const formats = Object.keys(FORMATS) as Format[];
  const stop = new AbortController();
  let icecast: IcecastServer;
  let liquidsoap: ReturnType<typeof startLiquidsoap>;
  beforeAll(async () => {
    if (!areInstalled) return;
    icecast = await createIcecastServer();
    liquidsoap = startLiquidsoap(formats.map((format) => ({ ...icecast.target, format })));
    // Liquidsoap takes its time, and begins with all of them at once.
    await until(async () => {
      const status = await (await fetch(`${icecast.url}/status-json.xsl`)).text();
      return formats.every((format) => status.includes(`/${format}"`)) ? true : undefined;
    });
  }, 60_000);
  afterAll(async () => {
    stop.abort();
    await liquidsoap?.stop();
    await icecast?.stop();
  });
  const listen = (mount: string) =>
    listenTo(radio, { url: `${icecast.url}/${mount}` }, systemClock, stop.signal);

  test.each(formats)("names what Liquidsoap broadcasts in %s, as it changes", async (format) => {
    const heard = listen(format);
    const numberOf = ({ track }: Playback) =>
      Number(/^Ночь 夜 (\d+)$/.exec(track.title)?.[1] ?? Number.NaN);
    let number = -1;
    for (let changes = 0; changes < 3; changes += 1) {
      const next = await heard.next((playback) => numberOf(playback) > number);
      expect(next).toMatchObject({ artists: ["Ada"], state: "playing" });
      number = numberOf(next);
    }
  });

  test("names what FFmpeg broadcasts within three seconds after Icecast has it", async () => {
    await icecast.broadcast("/live", "Radio Lantern");
    await icecast.announce("/live", "Juniper Vale - Paper Lanterns", "UTF-8");
    const heard = listen("live");
    await heard.next(isTitled("Paper Lanterns"));
    for (const [title, charset] of [
      ["Björk - Jóga", undefined],
      ["Кино - Группа крови; Ночь", "UTF-8"],
      ["椎名林檎 - 丸の内サディスティック", "UTF-8"],
    ] as const) {
      await icecast.announce("/live", title, charset);
      const announcedAtMs = performance.now();
      const [artist = "", name = ""] = title.split(" - ");
      expect(await heard.next(({ artists }) => artists[0] === artist)).toMatchObject({
        track: { title: name },
        album: { name: "Radio Lantern" },
      });
      const tookMs = performance.now() - announcedAtMs;
      console.log(`radio: ${Math.round(tookMs)} ms after Icecast had ${title}`);
      expect(tookMs).toBeLessThan(3_000);
    }
  });
});
