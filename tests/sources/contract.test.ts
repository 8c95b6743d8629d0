import { afterAll, beforeAll, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { demo } from "../../src/sources/demo.ts";
import { mpd } from "../../src/sources/mpd.ts";
import { createFakeClock } from "../fixtures/fake-clock.ts";
import { silentFlac } from "../fixtures/flac.ts";
import { createMpdDaemon, type MpdDaemon, mpdIsInstalled } from "../fixtures/mpd-daemon.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { freePort } from "../fixtures/waiting.ts";
import { describeSourceContract } from "./conformance.ts";

describeSourceContract({
  source: demo,
  test,
  clock: createFakeClock(),
  goodSettings: () => null,
  badSettings: [],
});

let daemon: MpdDaemon | undefined;
beforeAll(async () => {
  if (!mpdIsInstalled) return;
  daemon = await createMpdDaemon({ music: { "a.flac": silentFlac({ seconds: 60 }) } });
  await daemon.command('add "a.flac"');
  await daemon.command("play");
});
afterAll(() => daemon?.stop());

describeSourceContract({
  source: mpd,
  test: testWith("mpd", mpdIsInstalled),
  clock: systemClock,
  goodSettings: () => ({ address: daemon?.address ?? "127.0.0.1:6600" }),
  badSettings: [
    { address: "" },
    { address: "two words" },
    { address: "host:99999" },
    { address: "http://host:6600" },
    { address: 6600 },
    { address: "host", password: "line\nbreak" },
  ],
  unreachable: {
    settings: { address: `127.0.0.1:${freePort()}`, password: "correct-horse" },
    secret: "correct-horse",
  },
});
