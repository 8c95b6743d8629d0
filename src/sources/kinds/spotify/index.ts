import type { UpstreamApp } from "../../../accounts/upstreams.ts";
import type { Clock } from "../../../clock.ts";
import {
  newPollState,
  type Pace,
  quickPace,
  type PollState,
  USUAL_PACE,
} from "../../polling/cadence.ts";
import { toSourceFailure } from "../../answer-failure.ts";
import { poll } from "../../polling/poller.ts";
import { expectedPosition, type IdentifiedSong, type Playback } from "../../../playback.ts";
import {
  defineSource,
  type Demand,
  retryLater,
  type Source,
  type WatchContext,
} from "../../source.ts";
import { createAccountsService } from "./accounts-service.ts";
import { isStale } from "./stale-answers.ts";
import {
  createRequestBudget,
  type PauseMemory,
  type Urgency,
} from "../../polling/request-budget.ts";
import { createLinking } from "./linking.ts";
import { readPlayer } from "./player.ts";
import { consentEndsAt, parseSpotifySettings, type SpotifySettings } from "./settings.ts";
import { type AccessTokens, createAccessTokens, linkEnded } from "./tokens.ts";
import { createWebApi } from "./web-api.ts";
import type { Covers } from "../../../upstream/covers.ts";
import type { Upstream } from "../../../upstream/index.ts";

/** Spotify, through its Web API: https://developer.spotify.com/documentation/web-api */

export interface SpotifyDeps {
  readonly clock: Clock;
  readonly upstream: Upstream;
  readonly covers: Pick<Covers, "named">;
  /** Base URLs of the Web API and of the accounts service, without slashes at their ends. */
  readonly apiUrl: string;
  readonly accountsUrl: string;
  /** Most calls to the Web API in any 30 seconds, for all users together. */
  readonly budget: number;
  /** The app as which this server is registered; `undefined` until it has been entered. */
  app(): UpstreamApp | undefined;
  readonly appIsFixed: boolean;
  readonly pauses: PauseMemory;
  /** Is called after each new poll of a connection, with the time since the poll before. */
  onPoll?(afterMs: number): void;
  /** A fixed pace in place of the one that the budget allows. */
  readonly pace?: Pace;
}

/** Without `additional_types`, Spotify answers as if a podcast were nothing. */
const PLAYER_PATH = "/v1/me/player?additional_types=track,episode";

/** The window over which Spotify counts calls. */
const BUDGET_WINDOW_MS = 30_000;
const NO_APP_PAUSE_MS = 60_000;
/** A session is kept this long after the last poll. */
const SESSION_MS = 2 * 3_600_000;

/** The state of one linked account between polls. It is kept when watching fails or stops. */
interface Session {
  readonly tokens: AccessTokens;
  usedAtMs: number;
  readonly polls: { state: PollState };
}

export function createSpotify(deps: SpotifyDeps): Source {
  const { clock, upstream } = deps;
  const requestBudget = createRequestBudget({
    clock,
    upstream: "Spotify",
    budget: deps.budget,
    windowMs: BUDGET_WINDOW_MS,
    memory: deps.pauses,
  });
  const service = createAccountsService(deps.accountsUrl, upstream);
  const api = createWebApi({ url: deps.apiUrl, upstream, requestBudget, clock });
  const sessions = new Map<number, Session>();
  const namer = { origin: "spotify", server: { url: deps.apiUrl }, isVouchedFor: true } as const;
  const artworkAt = (url: string) => deps.covers.named(url, namer);

  const openSession = (settings: SpotifySettings, context: WatchContext): Session => {
    const { connection, log } = context;
    const nowMs = clock.monotonicMs();
    forgetOldSessions(sessions, nowMs);
    const known = sessions.get(connection.id);
    if (known) {
      known.usedAtMs = nowMs;
      return known;
    }
    const session: Session = {
      tokens: createAccessTokens({
        clock,
        service,
        app: () => appOf(settings),
        settings,
        connection,
        onUnstored: () => log.error("a renewed Spotify token could not be stored yet"),
        onLimited: requestBudget.close,
      }),
      usedAtMs: nowMs,
      polls: { state: newPollState(nowMs) },
    };
    sessions.set(connection.id, session);
    return session;
  };

  const appOf = ({ clientId }: SpotifySettings): UpstreamApp => {
    const app = deps.app();
    if (app?.clientId === clientId) return app;
    const message = app
      ? "this account was linked through another Spotify app: enter that one, or link again"
      : "no Spotify app has been entered";
    throw retryLater(NO_APP_PAUSE_MS, app ? "appRefused" : "appMissing", message);
  };

  /** Requests of a user whom nobody watches bring no more polls than the usual pace. */
  const paceFor = ({ watched }: Demand): Pace =>
    watched ? quickPace(requestBudget.quickIntervalMs()) : USUAL_PACE;

  /** Asks Spotify once. */
  const ask = async (
    session: Session,
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<Playback | null> => {
    const { body, observedAtMs } = await api.get(PLAYER_PATH, session.tokens, urgency, signal);
    const { playback, lastPollMs } = session.polls.state;
    session.usedAtMs = clock.monotonicMs();
    if (playback !== undefined) deps.onPoll?.(session.usedAtMs - lastPollMs);
    const expectedPositionMs = (song: IdentifiedSong) =>
      expectedPosition(playback, song, observedAtMs);
    const context = { observedAtMs, artworkAt, expectedPositionMs };
    return body === null ? null : readPlayer(body, context);
  };

  return defineSource({
    id: "spotify",
    name: "Spotify",
    options: {},
    delivery: "polled",
    facts: {
      runs: "service",
      viewersKnow: "Spotify",
      reports: ["position", "pause", "cover"],
      reportsSometimes: ["volume"],
      delayMs: 2_000,
      calls: [{ service: deps.apiUrl }, { service: deps.accountsUrl }, "covers"],
    },
    oauth: createLinking({
      service,
      api,
      clock,
      app: deps.app,
      appIsFixed: deps.appIsFixed,
    }),
    parseSettings: parseSpotifySettings,
    account: (settings) => ({
      id: settings.accountId,
      displayName: settings.displayName,
      product: settings.product,
      linkedUntil: consentEndsAt(settings),
    }),
    async *watch(settings, context) {
      if (settings.refreshToken === null) throw linkEnded();
      const session = openSession(settings, context);
      const leave = requestBudget.join(context.demand);
      try {
        yield* poll({
          ...context,
          pace: () => deps.pace ?? paceFor(context.demand),
          budget: requestBudget,
          memory: session.polls,
          ask: (urgency, signal) => ask(session, urgency, signal),
          isSuspect: isStale,
        });
      } catch (error) {
        if (context.signal.aborted) return;
        const failure = toSourceFailure(error, "Spotify");
        if (failure.meaning.kind === "unauthorized") sessions.delete(context.connection.id);
        throw failure;
      } finally {
        leave();
      }
    },
  });
}

function forgetOldSessions(sessions: Map<number, Session>, nowMs: number): void {
  for (const [id, { usedAtMs }] of sessions) {
    if (nowMs - usedAtMs > SESSION_MS) sessions.delete(id);
  }
}
