import { afterAll, beforeAll, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { createInbox } from "../../src/ingest/inbox.ts";
import { demo } from "../../src/sources/demo.ts";
import { mpd } from "../../src/sources/mpd.ts";
import { createPushedSources } from "../../src/sources/pushed.ts";
import { createSpotify } from "../../src/sources/spotify.ts";
import { createUpstream, type Fetch } from "../../src/sources/upstream.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { createMpdDaemon, type MpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { playingForEver } from "../fixtures/spotify/listening.ts";
import { createSpotify as createStandIn } from "../fixtures/spotify/spotify.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
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

// It is loaded when first needed, which no clock that stands still waits for.
beforeAll(() => import("oauth4webapi"));

const spotifyClock = createFakeClock();
const standIn = createStandIn({ clock: spotifyClock });
const listener = standIn.addUser({ listening: playingForEver() });
const linkedWith = (refreshToken: string) => ({
  clientId: standIn.clientId,
  refreshToken,
  consentedAt: spotifyClock.wallMs(),
  accountId: null,
  displayName: null,
  product: null,
});

/** Nobody answers whoever comes with this token. */
const LOST = "correct-horse";
const standInOrNobody: Fetch = (url, init) =>
  String(init.body).includes(LOST)
    ? Promise.reject(new Error(`no answer from ${url} to ${String(init.body)}`))
    : standIn.fetch(url, init);

const startSpotify = () =>
  createSpotify({
    clock: spotifyClock,
    upstream: createUpstream({ clock: spotifyClock, trustedOrigins: [], fetch: standInOrNobody }),
    apiUrl: "https://api.spotify.com",
    accountsUrl: "https://accounts.spotify.com",
    budget: 180,
    app: async () => ({ clientId: standIn.clientId, clientSecret: null }),
    appIsFixed: true,
    pauses: { recall: async () => undefined, remember: async () => {} },
  });

describeSourceContract({
  // Each is opened by a server just started: what one has learned is of no use to the next.
  source: {
    ...startSpotify(),
    open: (settings) => startSpotify().open(settings),
  },
  test,
  clock: spotifyClock,
  goodSettings: () => linkedWith(listener.refreshToken),
  // They come from linking alone, so there is nothing that they must be.
  badSettings: [],
  unreachable: { settings: linkedWith(LOST), secret: LOST },
});

const pushedClock = createFakeClock();
const inbox = createInbox(pushedClock);
/** The id of the connection in the contract's context. */
const PUSHED_TO = 1;

for (const source of createPushedSources(inbox)) {
  describeSourceContract({
    source,
    test,
    clock: pushedClock,
    goodSettings() {
      inbox.put(PUSHED_TO, { playback: aPlayback(), lifetime: { kind: "untilItsEnd" } });
      return null;
    },
    // There is nothing to set: each connection has a secret instead.
    badSettings: [],
  });
}
