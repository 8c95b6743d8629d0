import { noPauses } from "../../fixtures/sources/polled.ts";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UpstreamApp, UpstreamPause } from "../../../src/accounts/upstreams.ts";
import type { Playback } from "../../../src/playback.ts";
import { Refused } from "../../../src/i18n/refused.ts";
import { type Source, SourceFailure } from "../../../src/sources/source.ts";
import { createSpotify } from "../../../src/sources/kinds/spotify/index.ts";
import {
  consentEndsAt,
  parseSpotifySettings,
  type SpotifySettings,
} from "../../../src/sources/kinds/spotify/settings.ts";
import { createCovers } from "../../../src/upstream/covers.ts";
import { createUpstream, type Fetch } from "../../../src/upstream/index.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";
import {
  inventTrack,
  type Moment,
  playingForEver,
  seededRandom,
} from "../../fixtures/spotify/listening.ts";
import {
  type SpotifyOptions,
  createSpotify as createStandIn,
  type ListeningLike,
  type StandInSpotify,
  type StandInUser,
  type Step,
} from "../../fixtures/spotify/spotify.ts";
import {
  createTestConnection,
  type TestConnection,
} from "../../fixtures/sources/stored-connection.ts";
import {
  createDemand,
  type TestDemand,
  watchContext,
} from "../../fixtures/sources/watch-context.ts";
import { networkOf } from "../../fixtures/http/network.ts";

const PLAYER = "/v1/me/player";
const TOKEN = "/api/token";

let clock: FakeClock;
let standIn: StandInSpotify;
let app: UpstreamApp | undefined;
let pause: UpstreamPause | undefined;
let source: Source;

/** The source as a server that has just been started has it. */
function startSource(fetch: Fetch = standIn.fetch, budget = 100): Source {
  return createSpotify({
    clock,
    upstream: createUpstream({ clock, trustedOrigins: [], network: networkOf(fetch) }),
    covers: createCovers({ clock, playerHosts: [], network: networkOf(fetch) }),
    apiUrl: "https://api.spotify.com",
    accountsUrl: "https://accounts.spotify.com",
    budget,
    app: () => app,
    appIsFixed: true,
    pauses: {
      ...noPauses(),
      recall: () => pause,
      remember: async (next) => {
        pause = next;
      },
    },
  });
}

// It is loaded when first needed, which no clock that stands still waits for.
beforeAll(() => import("oauth4webapi"));
beforeEach(() => begin());

/** Begins with another Spotify, on a clock of its own. */
function begin(options: Omit<SpotifyOptions, "clock"> = {}): void {
  clock = createFakeClock();
  standIn = createStandIn({ clock, ...options });
  app = { clientId: standIn.clientId, clientSecret: null };
  pause = undefined;
  source = startSource(standIn.fetch, options.budget?.calls);
}

interface Watching {
  /** What was received, by title; `null` for nothing. */
  readonly received: (string | null)[];
  readonly words: (Playback | null)[];
  /** Everything that was stored of the connection. */
  readonly kept: SpotifySettings[];
  /** What ended the watching; `undefined` while it goes on. */
  failure(): unknown;
  ended(): boolean;
  stop(): Promise<void>;
}

let connections = 0;
const newConnection = (): number => (connections += 1);
/** What is stored of each. */
const stored = new Map<number, TestConnection>();

/** Watches a user through a connection of their own, followed unless the demand says otherwise. */
function watch(
  user: Pick<StandInUser, "refreshToken">,
  given: { demand?: TestDemand; connection?: number; keep?: () => Promise<void> } = {},
): Watching {
  const { demand = createDemand(), connection = newConnection() } = given;
  const ending = new AbortController();
  const words: (Playback | null)[] = [];
  const known = stored.get(connection) ?? createTestConnection(settingsOf(user), connection);
  stored.set(connection, known);
  const kept: SpotifySettings[] = [];
  let failure: unknown;
  let over = false;
  const context = watchContext({
    signal: ending.signal,
    clock,
    demand,
    connection: {
      ...known,
      async storeSettings(settings) {
        await given.keep?.();
        await known.storeSettings(settings);
        kept.push(parseSpotifySettings(settings));
      },
    },
  });
  const listen = async () => {
    try {
      const open = source.open(known.row.settings);
      for await (const word of open.watch(context)) if (word !== undefined) words.push(word);
    } catch (error) {
      failure = error;
    } finally {
      over = true;
    }
  };
  void listen();
  return {
    get received() {
      return words.map((word) => word && word.track.title);
    },
    words,
    kept,
    failure: () => failure,
    ended: () => over,
    async stop() {
      ending.abort();
      await settle();
    },
  };
}

const settingsOf = ({ refreshToken }: Pick<StandInUser, "refreshToken">): SpotifySettings => ({
  clientId: standIn.clientId,
  refreshToken,
  consentedAt: clock.wallMs(),
  accountId: null,
  displayName: "Ada",
  product: null,
  access: null,
});

const callsTo = (path: string) => standIn.calls.filter((call) => call.path === path);
const looks = () => callsTo(PLAYER).length;
const refreshes = () => callsTo(TOKEN).length;

const meaningOf = (watching: Watching) => {
  const failure = watching.failure();
  return failure instanceof SourceFailure ? failure.meaning : failure;
};

/** A long track all the time. */
const longTrack = () => standIn.addUser({ listening: playingForEver([3_000_000]) });

const [first, second] = [1, 2].map((seed) => inventTrack(seededRandom(seed), 200_000));
if (!first || !second) throw new Error("two tracks were invented");

/** The first track for a time, then the second. */
const skippedAt = (skipAtMs: number): ListeningLike => ({
  at: (ms): Moment =>
    ms < skipAtMs
      ? { kind: "playing", track: first, positionMs: 60_000 + ms, sinceMs: 0 }
      : { kind: "playing", track: second, positionMs: ms - skipAtMs, sinceMs: skipAtMs },
});

describe("looking", () => {
  test("anchors what was reported half-way between question and answer", async () => {
    begin({ latencyMs: 400 });
    const { words } = watch(longTrack());
    await clock.advance(2_000);
    const [word] = words;
    const asked = callsTo(PLAYER)[0]?.atMs ?? 0;
    expect(word?.observedAtMs).toBe(asked + 200);
    expect(word?.positionMs).toBe(asked + 200 - 1_000);
  });
});

describe("a question", () => {
  test("never brings a second call while the first is under way", async () => {
    begin({ latencyMs: 3_500 });
    const user = longTrack();
    const demand = createDemand();
    watch(user, { demand });
    for (let tenth = 0; tenth < 600; tenth++) {
      demand.ask();
      if (tenth % 7 === 0) demand.follow(tenth % 2 === 0);
      await clock.advance(100);
    }
    expect(looks()).toBeGreaterThan(5);
    expect(standIn.concurrent(user.id)).toBe(1);
  });
});

describe("a passing failure", () => {
  for (const status of [502, 500, 503, 404]) {
    test(`like a ${status} is asked about once more, at once, and nobody notices`, async () => {
      const watching = watch(longTrack());
      standIn.script({ status });
      await clock.advance(0);
      expect(callsTo(PLAYER).map((call) => call.status)).toEqual([status, 200]);
      expect(watching.received).toHaveLength(1);
      expect(watching.ended()).toBe(false);
    });

    test(`like a ${status} that is repeated is told after two calls`, async () => {
      const watching = watch(longTrack());
      standIn.script({ status }, { status }, { status });
      await clock.advance(0);
      expect(looks()).toBe(2);
      expect(meaningOf(watching)).toEqual({ kind: "unavailable" });
    });
  }

  test("like a status nobody knows is not repeated", async () => {
    const watching = watch(longTrack());
    standIn.script({ status: 418 });
    await clock.advance(0);
    expect(looks()).toBe(1);
    expect(meaningOf(watching)).toEqual({ kind: "unavailable" });
  });

  test("like a page instead of data is unavailable", async () => {
    const watching = watch(longTrack());
    standIn.script("garbage");
    await clock.advance(0);
    expect(meaningOf(watching)).toEqual({ kind: "unavailable", reason: "unexpected" });
  });

  test("leaves what is known of the listener: no other token, and no stale answer believed", async () => {
    const connection = newConnection();
    const user = standIn.addUser({ listening: skippedAt(10_000) });
    const before = watch(user, { connection });
    await clock.advance(15_000);
    standIn.script({ status: 502 }, { status: 502 });
    await clock.advance(5_000);
    expect(meaningOf(before)).toEqual({ kind: "unavailable" });
    standIn.script("stale");
    const after = watch(user, { connection });
    await clock.advance(10_000);
    expect(new Set(after.received)).toEqual(new Set([second.title]));
    expect(refreshes()).toBe(1);
  });
});

describe("a stale answer", () => {
  test("of the track before is not shown, and is asked about again soon", async () => {
    const watching = watch(standIn.addUser({ listening: skippedAt(10_000) }));
    await clock.advance(10_000);
    while (watching.received.at(-1) !== second.title) await clock.advance(100);
    const received = watching.received.length;
    const made = looks();
    standIn.script("stale");
    while (looks() === made) await clock.advance(100);
    expect(watching.received).toHaveLength(received);
    await clock.advance(1_300);
    expect(looks()).toBe(made + 2);
    expect(new Set(watching.received.slice(received))).toEqual(new Set([second.title]));
  });
});

describe("an access token", () => {
  test("that has expired is renewed once, and nobody notices", async () => {
    const user = longTrack();
    const watching = watch(user);
    await clock.advance(0);
    user.expireAccessTokens();
    await clock.advance(10_000);
    expect(refreshes()).toBe(2);
    expect(watching.ended()).toBe(false);
    expect(callsTo(PLAYER).filter(({ status }) => status === 401)).toHaveLength(1);
  });

  test("that is refused again although it is new is a failure, not a storm", async () => {
    const watching = watch(longTrack());
    standIn.script({ status: 401 }, { status: 401 });
    await clock.advance(0);
    expect({ looks: looks(), refreshes: refreshes() }).toEqual({ looks: 2, refreshes: 2 });
    expect(meaningOf(watching)).toEqual({ kind: "unavailable" });
  });
});

describe("a refusal that a person has to end", () => {
  test("of a user who is not on the app's list is asked about again after minutes", async () => {
    const watching = watch(standIn.addUser({ listening: skippedAt(1e9), onAppList: false }));
    await clock.advance(0);
    expect(meaningOf(watching)).toEqual({
      kind: "retryLater",
      afterMs: 300_000,
      reason: "notOnAppList",
    });
    expect(looks()).toBe(1);
  });

  test("for want of Premium says so", async () => {
    const watching = watch(longTrack());
    standIn.script({ status: 403, body: { error: { status: 403, message: "Premium required" } } });
    await clock.advance(0);
    expect(meaningOf(watching)).toMatchObject({ kind: "retryLater", reason: "noPremium" });
  });

  test("for want of an app costs no call", async () => {
    app = undefined;
    const watching = watch(longTrack());
    await clock.advance(0);
    expect(meaningOf(watching)).toMatchObject({ kind: "retryLater", reason: "appMissing" });
    expect(standIn.calls).toEqual([]);
  });

  test("because the account was linked through another app costs no call", async () => {
    app = { clientId: "another", clientSecret: null };
    const watching = watch(longTrack());
    await clock.advance(0);
    expect(meaningOf(watching)).toMatchObject({ kind: "retryLater", reason: "appRefused" });
    expect(standIn.calls).toEqual([]);
  });
});

describe("a pause that Spotify asks for", () => {
  test("is kept for all users: no call is made until it is over", async () => {
    const [ada, grace] = [longTrack(), longTrack()];
    const demand = createDemand();
    const watchingAda = watch(ada);
    const watchingGrace = watch(grace, { demand });
    await clock.advance(5_000);
    standIn.script({ status: 429, retryAfter: "30" });
    while (!watchingAda.ended() && !watchingGrace.ended()) await clock.advance(100);
    const closedAtMs = callsTo(PLAYER).at(-1)?.atMs ?? 0;
    const made = standIn.calls.length;
    while (clock.monotonicMs() < closedAtMs + 29_000) {
      for (const user of [ada, grace]) await watch(user).stop();
      demand.ask();
      await clock.advance(500);
    }
    expect(standIn.calls).toHaveLength(made);
    expect(meaningOf(watchingAda)).toMatchObject({ kind: "retryLater", reason: "limited" });
    expect(meaningOf(watchingGrace)).toMatchObject({ kind: "retryLater", reason: "limited" });
    await clock.advance(1_500);
    const after = watch(ada);
    await clock.advance(0);
    expect(after.received).toHaveLength(1);
  });

  test("of the day's quota is told with its hours, and remembered over a restart", async () => {
    const user = longTrack();
    const watching = watch(user);
    standIn.script("quota");
    await clock.advance(0);
    expect(meaningOf(watching)).toEqual({
      kind: "retryLater",
      afterMs: 48_925_000,
      reason: "limited",
    });
    await clock.advance(3_600_000);
    source = startSource();
    const made = callsTo(PLAYER).length;
    const again = watch(user);
    await clock.advance(60_000);
    expect(callsTo(PLAYER)).toHaveLength(made);
    expect(meaningOf(again)).toMatchObject({ kind: "retryLater", afterMs: 45_325_000 });
  });

  test("from before a restart is obeyed by the accounts service's calls too", async () => {
    pause = { from: clock.wallMs(), until: clock.wallMs() + 600_000 };
    watch(longTrack());
    await clock.advance(60_000);
    expect(standIn.calls).toEqual([]);
  });

  test("by the accounts service closes the Web API too", async () => {
    standIn.script({ status: 429, retryAfter: "20", target: "token" });
    const watching = watch(longTrack());
    await clock.advance(0);
    expect(meaningOf(watching)).toEqual({
      kind: "retryLater",
      afterMs: 20_000,
      reason: "limited",
    });
    watch(longTrack());
    await clock.advance(19_000);
    expect(standIn.calls).toHaveLength(1);
  });
});

describe("the pace", () => {
  const looksIn = async (ms: number) => {
    const before = looks();
    await clock.advance(ms);
    return looks() - before;
  };

  test("of a lone user is a look every second and a quarter", async () => {
    watch(longTrack());
    expect(await looksIn(60_000)).toBe(49);
  });

  test("of many users is the usual one", async () => {
    for (let user = 0; user < 8; user++) watch(longTrack());
    // Half of a budget of 100 would be a look every 4.96 seconds.
    expect((await looksIn(120_000)) / 8).toBeWithin(24, 34);
  });

  test("of more users than the usual one has room for leaves a fifth of the budget free", async () => {
    source = startSource(standIn.fetch, 20);
    for (let user = 0; user < 16; user++) watch(longTrack());
    await clock.advance(0);
    // One look of each in 31 seconds, the window with its margin.
    expect(await looksIn(10 * 31_000)).toBe(10 * 16);
  });

  test("is the usual one after an answer that never comes", async () => {
    const user = longTrack();
    watch(user);
    await clock.advance(10_000);
    standIn.script("hang");
    await clock.advance(7_000);
    watch(user);
    const before = looks();
    await clock.advance(30_000);
    expect(looks() - before).toBeWithin(7, 9);
  });

  test("is no quicker for requests of a user whom nobody watches", async () => {
    const demand = createDemand(false);
    watch(longTrack(), { demand });
    for (let second = 0; second < 600; second++) {
      demand.ask();
      await clock.advance(1_000);
    }
    expect(looks()).toBeLessThanOrEqual(870 / 6 + 16);
  });
});

describe("many users", () => {
  test("share the budget: Spotify never has to refuse one", async () => {
    begin({ budget: { calls: 40, windowMs: 30_000 }, latencyMs: 200 });
    const watched = Array.from({ length: 30 }, (_, index) =>
      watch(standIn.addUser({ listening: playingForEver([100_000 + index * 1_000]) })),
    );
    for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
    expect(callsTo(PLAYER).filter(({ status }) => status === 429)).toEqual([]);
    for (const watching of watched) {
      expect(watching.ended()).toBe(false);
      expect(watching.received.length).toBeGreaterThan(12);
    }
  });
});

describe("whatever Spotify does", () => {
  const step = fc.oneof(
    fc.constantFrom<Step>("ok", "ok", "garbage", "hang", "stale", "quota"),
    fc
      .constantFrom(200, 204, 301, 400, 401, 403, 404, 418, 429, 500, 502, 503)
      .map((status): Step => ({ status, body: { error: { status, message: "no" } } })),
    fc.json().map((text): Step => ({ body: JSON.parse(text) })),
    fc.constantFrom(400, 401, 429, 500, 502).map((status): Step => ({ status, target: "token" })),
    fc.constantFrom<Step>(
      { answer: "garbage", target: "token" },
      { answer: "hang", target: "token" },
    ),
    fc.json().map((text): Step => ({ body: JSON.parse(text), target: "token" })),
  );

  test("only a failure with a meaning comes of it, and no token is told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        begin();
        const user = longTrack();
        standIn.script(...steps);
        const connection = newConnection();
        for (let attempt = 0; attempt < 4; attempt++) {
          const watching = watch(user, { connection });
          await clock.advance(40_000);
          await watching.stop();
          const failure = watching.failure();
          if (failure === undefined) continue;
          expect(failure).toBeInstanceOf(SourceFailure);
          expect(Bun.inspect(failure)).not.toMatch(/\b(AQ|BQ)[0-9A-Za-z]{20}/);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("settings", () => {
  test("that were not made by linking are refused", () => {
    for (const settings of [null, {}, [], "token", { clientId: "a" }, { consentedAt: 1 }]) {
      expect(() => source.open(settings)).toThrow(Refused);
    }
  });

  test("tell the account and the day on which its consent ends", () => {
    const settings = { ...settingsOf({ refreshToken: "a" }), consentedAt: Date.UTC(2026, 0, 15) };
    expect(source.open(settings).account).toEqual({
      id: null,
      displayName: "Ada",
      product: null,
      linkedUntil: Date.UTC(2026, 6, 15),
    });
  });

  test("of a consent at the end of a long month end with the short one", () => {
    expect(consentEndsAt({ consentedAt: Date.UTC(2026, 7, 31, 9) })).toBe(Date.UTC(2027, 1, 28, 9));
  });
});

describe("a cover", () => {
  test("has the same key in every report that names it", async () => {
    const { words } = watch(longTrack());
    await clock.advance(10_000);
    expect(words.length).toBeGreaterThan(1);
    expect(words[1]?.album.artworks[0]?.key).toBe(words[0]?.album.artworks[0]?.key ?? "none");
  });
});
