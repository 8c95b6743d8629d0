import { noPauses } from "../fixtures/sources/polled.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { type Pace, steadyPace, USUAL_PACE } from "../../src/sources/polling/cadence.ts";
import type { Reading } from "../../src/channels/reading.ts";
import { createHub } from "../../src/channels/hub.ts";
import { type Playback, positionAt } from "../../src/playback.ts";
import { createLog } from "../../src/log.ts";
import { type Source, UNSTORED } from "../../src/sources/source.ts";
import { createSpotify } from "../../src/sources/kinds/spotify/index.ts";
import { createCovers } from "../../src/upstream/covers.ts";
import { createUpstream } from "../../src/upstream/index.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import {
  type ChangeKind,
  type Habits,
  type Listening,
  seededRandom,
  simulateListening,
} from "../fixtures/spotify/listening.ts";
import {
  createSpotify as createStandIn,
  type StandInSpotify,
} from "../fixtures/spotify/spotify.ts";
import { quantile } from "./measure.ts";
import { networkOf } from "../fixtures/http/network.ts";

/** How soon changes at Spotify are shown, and how many calls that takes, in simulated listening. */

export interface Detection {
  /** Upstream calls per hour of listening. */
  readonly callsPerHour: number;
  /** Seconds from a change until it is shown, by kind of change. */
  readonly latencies: Readonly<Record<ChangeKind, readonly number[]>>;
  /** Share of the time in which the shown playback was wrong. */
  readonly wrongShare: number;
  readonly refusals: number;
  readonly standIn: StandInSpotify;
}

export interface DetectionOptions {
  readonly seed: number;
  readonly hours: number;
  readonly users?: number;
  /** Request budget in calls per 30 seconds, for both Marquee and the stand-in Spotify. */
  readonly budget?: number;
  readonly watch: Watching;
  readonly habits?: Partial<Habits>;
}

/** Marquee's own source with a given pace, or a client that polls at a fixed interval. */
export type Watching =
  | { readonly kind: "marquee"; readonly pace?: Pace }
  | { readonly kind: "poller"; readonly everyMs: number };

const HOUR_MS = 3_600_000;
const SAMPLE_MS = 100;
/** A position error that a viewer would not notice. */
const SAME_POSITION_MS = 2_000;

export async function measureDetection(options: DetectionOptions): Promise<Detection> {
  const { seed, hours, users = 1, budget } = options;
  const clock = createFakeClock();
  const random = seededRandom(seed);
  const standIn = createStandIn({
    clock,
    latencyMs: () => 80 + random() * 220,
    ...(budget !== undefined && { budget: { calls: budget, windowMs: 30_000 } }),
  });
  const lengthMs = hours * HOUR_MS;
  const startedAtMs = clock.monotonicMs();
  const watched = Array.from({ length: users }, (_, index) => {
    const listening = simulateListening({
      seed: seed * 1_000 + index,
      lengthMs,
      ...(options.habits && { habits: options.habits }),
    });
    const person = standIn.addUser({ listening, startedAtMs });
    return { listening, person, shown: undefined as Playback | null | undefined };
  });

  const source =
    options.watch.kind === "marquee"
      ? marqueeSource(clock, standIn, budget, options.watch.pace)
      : pollingSource(clock, standIn, options.watch.everyMs);
  const log = createLog({ level: "error", format: "text", write: () => {}, wallMs: clock.wallMs });
  const hub = createHub({
    clock,
    log,
    random,
    privacyOf: () => NOTHING_HIDDEN,
    foundCover: () => undefined,
    connectionsOf: (userId) => {
      const { person } = watched[userId - 1] ?? {};
      const settings = {
        clientId: standIn.clientId,
        refreshToken: person?.refreshToken ?? "",
        consentedAt: clock.wallMs(),
        accountId: null,
        displayName: null,
        product: null,
        access: null,
      };
      const connection = { ...UNSTORED, id: userId };
      return [
        {
          connectionId: userId,
          wasOk: false,
          delivery: "polled",
          watch: (context) => source.open(settings).watch({ ...context, connection }),
        },
      ];
    },
    onStatus: async () => {},
  });
  watched.forEach((one, index) => {
    hub.subscribe(index + 1, (reading: Reading) => {
      one.shown = reading.kind === "playback" ? reading.playback : null;
    });
  });

  const latencies: Record<ChangeKind, number[]> = {
    naturalEnd: [],
    skip: [],
    pause: [],
    resume: [],
    seek: [],
  };
  const cursors = watched.map(() => 0);
  let wrongSamples = 0;
  let samples = 0;
  for (let atMs = 0; atMs < lengthMs; atMs += SAMPLE_MS) {
    await clock.advance(SAMPLE_MS);
    watched.forEach(({ listening, shown }, index) => {
      samples += 1;
      const nowMs = clock.monotonicMs();
      const sinceStartMs = nowMs - startedAtMs;
      const right = isRight(listening, sinceStartMs, shown, nowMs);
      if (!right) wrongSamples += 1;
      // Of the changes up to now only the latest counts; earlier ones that were never shown do not.
      let cursor = cursors[index] ?? 0;
      while ((listening.changes[cursor + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= sinceStartMs) {
        cursor += 1;
      }
      const change = listening.changes[cursor];
      if (right && change && change.atMs <= sinceStartMs) {
        latencies[change.kind].push((sinceStartMs - change.atMs) / 1000);
        cursor += 1;
      }
      cursors[index] = cursor;
    });
  }
  hub.stop();
  return {
    callsPerHour:
      standIn.calls.filter(({ path }) => path === "/v1/me/player").length / hours / users,
    latencies,
    wrongShare: wrongSamples / samples,
    refusals: standIn.calls.filter(({ status }) => status === 429).length,
    standIn,
  };
}

function isRight(
  listening: Listening,
  sinceStartMs: number,
  shown: Playback | null | undefined,
  nowMs: number,
): boolean {
  const truth = listening.at(sinceStartMs);
  if (truth.kind === "idle") return shown === null;
  return (
    shown != null &&
    shown.track.id === truth.track.id &&
    shown.state === truth.kind &&
    Math.abs(positionAt(shown, nowMs) - truth.positionMs) <= SAME_POSITION_MS
  );
}

function marqueeSource(
  clock: FakeClock,
  standIn: StandInSpotify,
  budget: number | undefined,
  pace: Pace | undefined,
): Source {
  return createSpotify({
    clock,
    upstream: createUpstream({ clock, trustedOrigins: [], network: networkOf(standIn.fetch) }),
    covers: createCovers({ clock, playerHosts: [], network: networkOf(standIn.fetch) }),
    apiUrl: "https://api.spotify.com",
    accountsUrl: "https://accounts.spotify.com",
    budget: budget ?? 180,
    app: () => ({ clientId: standIn.clientId, clientSecret: null }),
    appIsFixed: true,
    pauses: noPauses(),
    ...(pace && { pace }),
  });
}

/** The same source, polled at a fixed interval in every state, as other programs do. */
function pollingSource(clock: FakeClock, standIn: StandInSpotify, everyMs: number): Source {
  // No limit on its calls: only the interval decides.
  const source = marqueeSource(clock, standIn, 100_000, steadyPace(everyMs));
  return {
    ...source,
    open(settings) {
      const open = source.open(settings);
      return {
        ...open,
        async *watch(context) {
          for (;;) {
            const once = new AbortController();
            for await (const playback of open.watch({ ...context, signal: once.signal })) {
              yield playback;
              break;
            }
            once.abort();
            if (context.signal.aborted) return;
            await clock.sleep(everyMs, context.signal);
          }
        },
      };
    },
  };
}

/** The median and the 95th percentile of the latencies, in seconds. */
function latencyText(values: readonly number[]): string {
  return [0.5, 0.95].map((share) => quantile(values, share).toFixed(2)).join(" / ");
}

const SEED = 7;
const HOURS = 12;
const BUDGET = 180;
/** How many users share the budget, and for how long each of them is watched. */
const SHARED = [
  { users: 1, hours: HOURS },
  { users: 5, hours: 3 },
  { users: 12, hours: 1 },
  { users: 50, hours: 0.5 },
  { users: 200, hours: 0.5 },
] as const;

/** Calls, latencies and share of wrong time, for pollers and for Marquee at several budgets. */
export async function detectionTable(): Promise<string[]> {
  const watchings: readonly [string, Watching][] = [
    ["a poller, every 5 s", { kind: "poller", everyMs: 5_000 }],
    ["a poller, every 3 s", { kind: "poller", everyMs: 3_000 }],
    ["Marquee, at the usual pace", { kind: "marquee", pace: USUAL_PACE }],
    ["Marquee as it comes", { kind: "marquee" }],
  ];
  const habits: readonly [string, Partial<Habits>][] = [
    ["restless", {}],
    ["playlists of short tracks", SHORT_TRACKS],
  ];
  const lines = [
    "| Listening | Watched by | calls an hour | natural end | skip | pause, seek | resume | wrong |",
    "|---|---|---|---|---|---|---|---|",
  ];
  for (const [mood, given] of habits) {
    for (const [name, watch] of watchings) {
      const found = await measureDetection({ seed: SEED, hours: HOURS, watch, habits: given });
      lines.push(`| ${mood} | ${name} | ${detectionCells(found).join(" | ")} |`);
    }
  }
  const shared: string[] = [];
  for (const { users, hours } of SHARED) {
    const found = await measureDetection({
      seed: SEED,
      hours,
      users,
      budget: BUDGET,
      watch: { kind: "marquee" },
    });
    const cells = detectionCells(found).join(" | ");
    lines.push(`| restless | Marquee for ${users}, ${BUDGET} calls in 30 s, each | ${cells} |`);
    shared.push(
      `For ${users}: ${found.refusals} calls refused, ${mostInWindow(found)} at most in 30 s, the longest anybody went unseen ${longestGapSeconds(found).toFixed(0)} s.`,
    );
  }
  lines.push("", ...shared);
  return lines;
}

function detectionCells({ callsPerHour, latencies, wrongShare }: Detection): string[] {
  return [
    callsPerHour.toFixed(0),
    latencyText(latencies.naturalEnd),
    latencyText(latencies.skip),
    latencyText([...latencies.pause, ...latencies.seek]),
    latencyText(latencies.resume),
    `${(wrongShare * 100).toFixed(1)} %`,
  ];
}

/** A user who lets music play: most changes are the ends of tracks. */
const SHORT_TRACKS: Partial<Habits> = {
  shortestTrackMs: 30_000,
  longestTrackMs: 90_000,
  meanToEarlySkipMs: 200_000,
  meanToLateSkipMs: 250_000,
  meanToPauseMs: 240_000,
  meanToSeekMs: 240_000,
};

const looksAt = ({ standIn }: Detection) =>
  standIn.calls.filter(({ path }) => path === "/v1/me/player");

function mostInWindow(found: Detection): number {
  const times = looksAt(found).map(({ atMs }) => atMs);
  return times.reduce((most, endMs, index) => {
    const first = times.findIndex((atMs) => atMs > endMs - 30_000);
    return Math.max(most, index - first + 1);
  }, 0);
}

function longestGapSeconds(found: Detection): number {
  const lastLookMs = new Map<string | null, number>();
  let longestMs = 0;
  for (const { userId, atMs } of looksAt(found)) {
    longestMs = Math.max(longestMs, atMs - (lastLookMs.get(userId) ?? atMs));
    lastLookMs.set(userId, atMs);
  }
  return longestMs / 1000;
}
