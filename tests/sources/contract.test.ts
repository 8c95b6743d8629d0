import { afterAll, beforeAll, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { createInbox } from "../../src/ingest/inbox.ts";
import { demo } from "../../src/sources/kinds/demo/index.ts";
import { createMpd } from "../../src/sources/kinds/mpd/index.ts";
import { createMacos, createWindows } from "../../src/sources/kinds/media-session/index.ts";
import { oneReader } from "../../src/sources/kinds/media-session/readers.ts";
import { createMpris } from "../../src/sources/kinds/mpris/index.ts";
import { createPushedSources } from "../../src/sources/pushed.ts";
import { createSpotify } from "../../src/sources/kinds/spotify/index.ts";
import { createCovers } from "../../src/upstream/covers.ts";
import { createUpstream, type Fetch, NETWORK } from "../../src/upstream/index.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMixxx, createSerato } from "../../src/sources/kinds/decks/index.ts";
import { createTextFile } from "../../src/sources/kinds/text-file/index.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { playingDatabase } from "../fixtures/sources/decks.ts";
import { createRadio } from "../../src/sources/kinds/radio/index.ts";
import { createVlc } from "../../src/sources/kinds/vlc/index.ts";
import { sharedVlc } from "../fixtures/players/shared-vlc.ts";
import { vlcIsInstalled } from "../fixtures/players/vlc-player.ts";
import { noPauses, polledDeps } from "../fixtures/sources/polled.ts";
import { BAD_URLS, LOST, polledSources } from "../fixtures/sources/polled-sources.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { sharedMpd } from "../fixtures/mpd/shared-mpd.ts";
import { aSession as aPlayer, lineOf, readerThat } from "../fixtures/media-session/sessions.ts";
import { startFakePlayer } from "../fixtures/mpris/fake-player.ts";
import { dbusIsInstalled, startSessionBus } from "../fixtures/mpris/session-bus.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { sharedPart } from "../fixtures/shared-part.ts";
import { playingForEver } from "../fixtures/spotify/listening.ts";
import { createSpotify as createStandIn } from "../fixtures/spotify/spotify.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import { createEmby, createJellyfin } from "../../src/sources/kinds/media-browser/index.ts";
import { streamedDeps } from "../fixtures/sources/streamed/listening.ts";
import { aSession, startMediaServer } from "../fixtures/sources/streamed/media-server.ts";
import { createHomeAssistant } from "../../src/sources/kinds/homeassistant/index.ts";
import { startHomeAssistant } from "../fixtures/sources/streamed/home-assistant.ts";
import { createPlex } from "../../src/sources/kinds/plex/index.ts";
import { aTrack, startPlex } from "../fixtures/sources/streamed/plex-server.ts";
import { createPear } from "../../src/sources/kinds/pear/index.ts";
import { startPearDesktop } from "../fixtures/sources/streamed/pear-desktop.ts";
import { createCider } from "../../src/sources/kinds/cider/index.ts";
import { startCider } from "../fixtures/sources/streamed/cider-app.ts";
import { describeSourceContract } from "./conformance.ts";
import { AUDIO, icyHead, icyTitle, startRadio } from "../fixtures/streams/radio-server.ts";
import { networkOf, NO_NETWORK } from "../fixtures/http/network.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";

describeSourceContract({
  source: demo,
  test,
  clock: createFakeClock(),
  goodSettings: () => null,
  badSettings: [],
});

const daemon = sharedMpd(
  () => ({ "a.flac": silentFlac({ seconds: 60 }) }),
  ['add "a.flac"', "play"],
);

describeSourceContract({
  source: createMpd({ network: NETWORK }),
  test: testWith("mpd", mpdIsInstalled),
  clock: systemClock,
  goodSettings: () => ({ address: daemon().address }),
  badSettings: [
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

const standInOrNobody: Fetch = (url, init) =>
  String(init.body).includes(LOST)
    ? Promise.reject(new Error(`no answer from ${url} to ${String(init.body)}`))
    : standIn.fetch(url, init);

const startSpotify = () =>
  createSpotify({
    clock: spotifyClock,
    upstream: createUpstream({
      clock: spotifyClock,
      trustedOrigins: [],
      network: networkOf(standInOrNobody),
    }),
    covers: createCovers({
      clock: spotifyClock,
      playerHosts: [],
      network: networkOf(standInOrNobody),
    }),
    apiUrl: "https://api.spotify.com",
    accountsUrl: "https://accounts.spotify.com",
    budget: 180,
    app: () => ({ clientId: standIn.clientId, clientSecret: null }),
    appIsFixed: true,
    pauses: noPauses(),
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

const vlc = sharedVlc(() => ({ "a.flac": silentFlac({ seconds: 60 }) }));

describeSourceContract({
  source: createVlc(polledDeps(systemClock)),
  test: testWith("vlc", vlcIsInstalled),
  clock: systemClock,
  goodSettings: () => ({ url: vlc().url, password: vlc().password }),
  badSettings: [...BAD_URLS.map((url) => ({ url })), { password: 1 }],
  unreachable: {
    settings: { url: `http://127.0.0.1:${freePort()}`, password: LOST },
    secret: LOST,
  },
  refused: { settings: () => ({ url: vlc().url, password: LOST }), secret: LOST },
});

const LOST_SERVER = "http://lost.test";

for (const { create, answer, good, bad, lost } of polledSources) {
  const clock = createFakeClock();
  const fetch: Fetch = async (url, { headers }) => {
    if (url.includes("plays.test")) return Response.json(answer);
    throw new Error(`no answer from ${url} to ${JSON.stringify(headers)}`);
  };
  describeSourceContract({
    source: create({ ...polledDeps(clock, fetch), pauses: noPauses() }),
    test,
    clock,
    goodSettings: () => good,
    badSettings: bad,
    ...(lost && { unreachable: { settings: { url: LOST_SERVER, ...lost }, secret: LOST } }),
  });
}

const station = startRadio(Buffer.concat([Buffer.from(icyHead()), AUDIO, icyTitle("Ada - One")]));
afterAll(() => station.stop());
describeSourceContract({
  source: createRadio({
    playerHosts: [],
    upstreamOf: (trustedOrigins) =>
      createUpstream({ clock: systemClock, trustedOrigins, network: NETWORK }),
  }),
  test,
  clock: systemClock,
  goodSettings: () => ({ url: station.url, delay: "0" }),
  badSettings: [
    ...["", "two words", "ftp://host", "http://user:secret@host", 8080].map((url) => ({ url })),
    ...["-1", "31", "soon"].map((delay) => ({ url: station.url, delay })),
  ],
  unreachable: {
    settings: { url: `http://127.0.0.1:${freePort()}/live?token=${LOST}` },
    secret: LOST,
  },
});

const decks = createTempFolder();
afterAll(() => decks.remove());
for (const [deck, create] of [
  ["mixxx", createMixxx],
  ["serato", createSerato],
] as const) {
  const path = playingDatabase(deck, decks.path);
  describeSourceContract({
    source: create(emptyMachine),
    test,
    clock: systemClock,
    goodSettings: () => ({ path }),
    badSettings: [{ path: "line\nbreak" }, { path, delay: "31" }],
    unreachable: { settings: { path: "/nonexistent" }, secret: LOST },
  });
}

writeFileSync(join(decks.path, "now.txt"), "Ada - One");
describeSourceContract({
  source: createTextFile(),
  test,
  clock: systemClock,
  goodSettings: () => ({ path: join(decks.path, "now.txt") }),
  badSettings: [
    {},
    { path: "" },
    { path: "x", pattern: "{artist}" },
    { path: "x", pattern: "{artist}{title}" },
    { path: "x", encoding: "klingon" },
    { path: "x", delay: "31" },
  ],
  unreachable: { settings: { path: "/nonexistent" }, secret: LOST },
});

const lute = sharedPart({
  isInstalled: dbusIsInstalled,
  async start() {
    const bus = await startSessionBus();
    return { bus, player: await startFakePlayer(bus.address, "lute") };
  },
  isRunning: ({ bus }) => bus.isRunning(),
  async stop({ bus, player }) {
    await player.leaves();
    await bus.stop();
  },
});

const startMpris = (busAddress: string) =>
  createMpris({
    covers: createCovers({ clock: systemClock, playerHosts: [], network: NO_NETWORK }),
    busAddress,
  });

describeSourceContract({
  source: {
    ...startMpris(emptyMachine.busAddress),
    open: (settings) => startMpris(lute().bus.address).open(settings),
  },
  test: testWith("dbus-daemon", dbusIsInstalled),
  clock: systemClock,
  goodSettings: () => ({}),
  badSettings: [{ player: "two words" }, { player: "../bus" }, { player: 1 }],
});

for (const create of [createWindows, createMacos]) {
  const reader = oneReader(systemClock, async () => readerThat(lineOf(aPlayer)));
  describeSourceContract({
    source: create({ reader }),
    test,
    clock: systemClock,
    goodSettings: () => ({}),
    badSettings: [{ player: 1 }, { player: "line\nbreak" }, { player: "x".repeat(201) }],
  });
}

/** Every source that listens to a server at an address takes these for a mistake. */
const BAD_SERVERS = [
  ...BAD_URLS.map((url) => ({ url })),
  { token: "line\nbreak" },
  { token: 'quo"te' },
];

const listing = (kind: "jellyfin" | "emby") => {
  const server = startMediaServer(kind);
  server.hides([aSession()]);
  return server;
};
const plexServer = startPlex();
plexServer.lists([aTrack()]);
const home = startHomeAssistant();

/** Sources that listen to a server, with what they need besides its address and its token. */
const streamed = [
  {
    create: createJellyfin,
    server: listing("jellyfin"),
    more: { user: "ada" },
    bad: [{ user: " " }, { token: "" }],
  },
  {
    create: createEmby,
    server: listing("emby"),
    more: { user: "ada" },
    bad: [{ user: " " }, { token: "" }],
  },
  {
    create: createHomeAssistant,
    server: home,
    more: { entity: home.entity },
    bad: [
      { token: "" },
      { entity: "" },
      { entity: "light.kitchen" },
      { entity: "media_player.a/../b" },
    ],
  },
  { create: createPlex, server: plexServer, more: {}, bad: [{ token: "" }, { user: 1 }] },
  { create: createPear, server: startPearDesktop(), more: {}, bad: [] },
  { create: createCider, server: startCider(), more: {}, bad: [] },
];

for (const { create, server, more, bad } of streamed) {
  afterAll(() => server.stop());
  const good = { ...more, url: server.url, token: server.token };
  const nowhere = `http://127.0.0.1:${freePort()}`;
  describeSourceContract({
    source: create(streamedDeps(systemClock)),
    test,
    clock: systemClock,
    goodSettings: () => good,
    badSettings: [...BAD_SERVERS, ...bad].map((one) => ({ ...good, ...one })),
    unreachable: { settings: { ...good, url: nowhere, token: LOST }, secret: LOST },
    refused: { settings: () => ({ ...good, token: LOST }), secret: LOST },
  });
}

const pushedClock = createFakeClock();
const inbox = createInbox(pushedClock);
/** The id of the connection in the contract's context. */
const PUSHED_TO = 1;

for (const source of createPushedSources(inbox, { host: "127.0.0.1", port: 8000 })) {
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
