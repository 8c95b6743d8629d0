import { beforeAll, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../../src/accounts/accounts.ts";
import type { Reading } from "../../../src/channels/reading.ts";
import type { Fetch } from "../../../src/upstream/index.ts";
import { createFakeClock, settle, START_MS } from "../../fixtures/clock/fake-clock.ts";
import { playingForEver } from "../../fixtures/spotify/listening.ts";
import {
  createSpotify as createStandIn,
  type StandInSpotify,
  type StandInUser,
  type Step,
} from "../../fixtures/spotify/spotify.ts";
import { assembleTestServer, type TestServer } from "../../fixtures/servers/test-server.ts";
import { onlyConnection } from "../../fixtures/data/connections.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const TOKEN = "/api/token";
const PLAYLIST = playingForEver([200_000, 170_000, 230_000]);

interface Day {
  readonly server: TestServer;
  readonly standIn: StandInSpotify;
  readonly ada: Listener;
  readonly grace: Listener;
  /** Calls that were made while Spotify had asked to be left alone. */
  readonly intrusions: string[];
  /** The most refreshes of one user under way at the same time. */
  mostRefreshes(): number;
  /** Lets time pass. */
  wait(ms: number): Promise<void>;
  /** Lets time pass, with somebody calling the API every few seconds. */
  pass(ms: number): Promise<void>;
  /** What was told and called since the last time this was asked. */
  since(): { shown: string[]; status: Record<number, number>; calls: number; logged: string[] };
  close(): void;
}

interface Listener {
  readonly user: AddedUser;
  readonly account: StandInUser;
  readonly startedAtMs: number;
}

/** Everything there is of a user's music over the API. */
interface Answer {
  readonly status: number;
  readonly body: { data: { track: { name: string } } | null };
}

/** A whole server whose two users listen to Spotify: Ada's overlay is open, Grace's is not. */
async function beginDay(): Promise<Day> {
  // Loaded when first needed, in real time, which the clock does not wait for.
  await import("oauth4webapi");
  const clock = createFakeClock();
  const standIn = createStandIn({ clock, latencyMs: 120 });
  let closedUntilMs = 0;
  const intrusions: string[] = [];
  const refreshing = new Map<string, number>();
  let mostRefreshes = 0;
  const fetch: Fetch = async (url, init) => {
    const { pathname } = new URL(url);
    if (clock.monotonicMs() < closedUntilMs) intrusions.push(`${pathname} at ${timeOf(clock)}`);
    const token = pathname === TOKEN ? String(init.body) : "";
    const under = (refreshing.get(token) ?? 0) + 1;
    if (token !== "") refreshing.set(token, under);
    if (token !== "") mostRefreshes = Math.max(mostRefreshes, under);
    try {
      const response = await standIn.fetch(url, init);
      if (response.status === 429) {
        const pauseMs = Number(response.headers.get("retry-after") ?? 30) * SECOND_MS;
        closedUntilMs = Math.max(closedUntilMs, clock.monotonicMs() + pauseMs);
      }
      return response;
    } finally {
      refreshing.set(token, under - 1);
    }
  };
  const server = await assembleTestServer(clock, {
    realSources: true,
    fetch,
    logLevel: "info",
    settings: { rateLimitSeconds: "0", spotifyClientId: standIn.clientId },
  });

  const link = async (name: string): Promise<Listener> => {
    const account = standIn.addUser({ listening: PLAYLIST });
    const [user] = await server.accounts.add([name], {
      source: "spotify",
      settings: {
        clientId: standIn.clientId,
        refreshToken: account.refreshToken,
        consentedAt: clock.wallMs(),
        accountId: account.id,
        displayName: name,
        product: null,
      },
    });
    if (!user) throw new Error("no user was added");
    return { user, account, startedAtMs: clock.monotonicMs() };
  };
  const ada = await link("ada");
  const grace = await link("grace");

  const wait = async (ms: number) => {
    await clock.advance(ms);
    // Settings are decrypted in real time, which the clock does not wait for.
    await onlyConnection(server.accounts.connections, ada.user.user.id);
    await settle();
  };

  const shown: string[] = [];
  const wordOf = (reading: Reading) =>
    reading.kind === "playback" ? `plays ${reading.playback.track.title}` : reading.kind;
  server.hub.subscribe(ada.user.user.id, (reading) => {
    if (shown.at(-1) !== wordOf(reading)) shown.push(wordOf(reading));
  });

  // The first refresh reads and changes settings: in real time, too.
  for (const { user } of [ada, grace]) {
    while (server.hub.peek(user.user.id)?.kind !== "playback") await wait(20);
  }

  let statuses: Record<number, number> = {};
  const note = async (answer: Promise<Response>) => {
    const { status } = await answer;
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const told = { shown: 0, calls: 0, logged: 0 };
  const changeLines = () =>
    server.logged.filter((line) => / (?:warn|error) |reported again/.test(line));
  return {
    server,
    standIn,
    ada,
    grace,
    intrusions,
    mostRefreshes: () => mostRefreshes,
    wait,
    async pass(ms) {
      const stepMs = ms > 10 * MINUTE_MS ? 30 * SECOND_MS : SECOND_MS;
      for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
        const isAsked = stepMs > SECOND_MS || passedMs % (4 * SECOND_MS) === 0;
        for (const { user } of isAsked ? [ada, grace] : []) {
          void note(server.getAs(user, "/api/v1/now-playing"));
        }
        await wait(stepMs);
      }
    },
    since() {
      const calls = standIn.calls.length;
      const lines = changeLines();
      const news = {
        shown: shown.slice(told.shown),
        status: statuses,
        calls: calls - told.calls,
        logged: lines.slice(told.logged).map((line) => line.replace(/^\S+ /, "")),
      };
      Object.assign(told, { shown: shown.length, calls, logged: lines.length });
      statuses = {};
      return news;
    },
    close: () => server.close(),
  };
}

const timeOf = (clock: { monotonicMs(): number }): string =>
  new Date(START_MS + clock.monotonicMs() - 1_000).toISOString().slice(11, 19);

async function nowPlaying({ server, wait }: Day, { user }: Listener): Promise<Answer> {
  const answer = server.getAs(user, "/api/v1/now-playing");
  for (let second = 0; second < 5; second++) await wait(SECOND_MS);
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function musicConnected({ server }: Day, { user }: Listener): Promise<unknown> {
  const response = await server.getAs(user, "/api/v1/user");
  const body = (await response.json()) as { data: { music_connected: unknown } };
  return body.data.music_connected;
}

/** Whether the API says what is really listened to; asked twice, for a track may have ended between. */
async function isRight(day: Day, listener: Listener): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const { status, body } = await nowPlaying(day, listener);
    const truth = PLAYLIST.at(day.server.clock.monotonicMs() - listener.startedAtMs);
    if (truth.kind === "idle") throw new Error("the playlist has no end");
    if (status === 200 && body.data?.track.name === truth.track.title) return true;
  }
  return false;
}

const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

// It is loaded when first needed, which no clock that stands still waits for.
beforeAll(() => import("oauth4webapi"));

describe("on a bad day at Spotify", () => {
  test("the server stays up, stays polite, and is right again by itself", async () => {
    const day = await beginDay();
    const { server, standIn, ada, grace, pass, since } = day;
    const { clock } = server;
    /** Something happens, and time passes. Answers what was shown and called meanwhile. */
    const hour = async (_what: string, ms: number, happen: () => void = () => {}) => {
      happen();
      await pass(ms);
      return since();
    };
    const isWell = (news: ReturnType<typeof since>) => {
      expect(Object.keys(news.status)).toEqual(["200"]);
      expect(news.shown.every((word) => word.startsWith("plays "))).toBe(true);
    };

    isWell(await hour("All is well", 2 * MINUTE_MS));

    const bursts = await hour("Six 502s in a row", 2 * MINUTE_MS, () =>
      standIn.script(...times(6, { status: 502 })),
    );
    isWell(bursts);
    expect(bursts.logged.length).toBeLessThanOrEqual(4);

    const limited = await hour("A 429 with Retry-After 30, track ends meanwhile", MINUTE_MS, () =>
      standIn.script({ status: 429, retryAfter: "30" }),
    );
    expect(limited.shown.filter((word) => word === "unavailable").length).toBeLessThanOrEqual(1);
    expect(limited.logged.filter((line) => line.includes("cannot be followed"))).toHaveLength(2);

    isWell(await hour("Well again", 2 * MINUTE_MS));

    isWell(
      await hour("Two answers half-open, for five seconds each", 2 * MINUTE_MS, () =>
        standIn.script("hang", "ok", "hang"),
      ),
    );
    isWell(
      await hour("Pages and strange JSON instead of data", 2 * MINUTE_MS, () =>
        standIn.script("garbage", { body: [] }, { body: "hello" }, "garbage"),
      ),
    );
    isWell(
      await hour("All access tokens expire at once", 2 * MINUTE_MS, () => {
        ada.account.expireAccessTokens();
        grace.account.expireAccessTokens();
      }),
    );
    isWell(
      await hour("The accounts service answers 503 while tokens expire", 2 * MINUTE_MS, () => {
        ada.account.expireAccessTokens();
        standIn.script({ status: 503, target: "token" }, { answer: "garbage", target: "token" });
      }),
    );
    isWell(
      await hour("The wall clock is set twenty minutes forward", 2 * MINUTE_MS, () => {
        clock.setWallMs(clock.wallMs() + 20 * MINUTE_MS);
      }),
    );
    isWell(
      await hour("The wall clock is set two hours back", 2 * MINUTE_MS, () => {
        clock.setWallMs(clock.wallMs() - 2 * HOUR_MS);
      }),
    );

    const quota = await hour("QUOTA_EXCEEDED with Retry-After 48925", 5 * MINUTE_MS, () =>
      standIn.script("quota"),
    );
    expect(quota.shown).toContain("unavailable");
    expect(quota.calls).toBeLessThanOrEqual(2);
    const longQuota = await hour("Still within the quota's hours", 13 * HOUR_MS);
    expect(longQuota.calls).toBe(0);
    expect(longQuota.logged).toEqual([]);
    await hour("The quota's hours end", HOUR_MS);
    isWell(await hour("Well again", 5 * MINUTE_MS));
    expect(await isRight(day, ada)).toBe(true);
    expect(await isRight(day, grace)).toBe(true);

    const revoked = await hour("Ada takes her consent back", 5 * MINUTE_MS, () => {
      ada.account.revoke();
      ada.account.expireAccessTokens();
    });
    expect(revoked.shown.at(-1)).toBe("unlinked");
    expect(revoked.logged.filter((line) => line.includes("connected again"))).toHaveLength(1);
    expect(await nowPlaying(day, ada)).toMatchObject({ status: 200, body: { data: null } });
    expect(await musicConnected(day, ada)).toBe(false);
    expect(await musicConnected(day, grace)).toBe(true);
    const refused = standIn.calls.filter(({ path, status }) => path === TOKEN && status === 400);
    expect(refused).toHaveLength(1);
    isWell({ ...(await hour("Grace goes on listening", 2 * MINUTE_MS)), shown: [] });
    expect(await isRight(day, grace)).toBe(true);

    expect(day.intrusions).toEqual([]);
    expect(day.mostRefreshes()).toBe(1);
    expect(server.logged.join("\n")).not.toMatch(/\b(AQ|BQ)[0-9A-Za-z]{20}/);
    for (const listener of [ada, grace]) {
      expect(standIn.concurrent(listener.account.id)).toBe(1);
    }
    day.close();
  });
});
