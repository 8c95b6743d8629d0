import type { UpstreamApp } from "../../../accounts/upstreams.ts";
import type { Clock } from "../../../clock.ts";
import {
  retryLater,
  type SourceFailure,
  type StoredConnection,
  unauthorized,
  unavailable,
} from "../../source.ts";
import { type AccountsService, GrantRefused } from "./accounts-service.ts";
import type { SpotifySettings } from "./settings.ts";

/** A user's access tokens for the Web API, refreshed when needed. */
export type AccessTokens = ReturnType<typeof createAccessTokens>;

export interface AccessTokensDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "wallMs">;
  readonly service: Pick<AccountsService, "refresh">;
  /** @throws {SourceFailure} when there is none, or it is not the one the user linked through */
  app(): UpstreamApp;
  /** The settings as they were stored when the watching began. */
  readonly settings: SpotifySettings;
  /** Where they are stored. */
  readonly connection: Pick<StoredConnection, "storeSettings" | "expectSettings">;
  /** Is called when a new refresh token is not stored yet, although the old one has ended. */
  onUnstored(error: unknown): void;
  /** Is called when Spotify has asked for a pause. */
  onLimited(retryAfter: string | null, message: string): Promise<SourceFailure>;
}

/** A token is refreshed this long before it expires, so that no call uses an expired one. */
const AHEAD_MS = 120_000;
/** A short-lived one is used for half of its time: each call would refresh it otherwise. */
const usableMs = (lifeMs: number): number => Math.max(lifeMs - AHEAD_MS, lifeMs / 2);
const WRONG_APP_PAUSE_MS = 60_000;
/** How much the wall clock may have been set back since a token was stored. */
const CLOCK_SET_BACK_MS = 60_000;

/** A token in use; its time runs on the monotonic clock. */
interface Held {
  readonly token: string;
  readonly refreshAtMs: number;
}

export function createAccessTokens(deps: AccessTokensDeps) {
  const { clock, service, connection } = deps;
  /** As they are stored, or soon will be. */
  let { settings } = deps;
  let held = heldIn(settings, clock);
  let refreshing: Promise<string> | undefined;
  /** Whether a rotated refresh token is not stored yet: the stored one no longer works. */
  let isUnstored = false;

  const store = async () => {
    const stored = settings;
    await connection.storeSettings(stored);
    if (settings === stored) isUnstored = false;
  };

  /** A full disk may have space again. A token that a crash would lose is not used for a refresh. */
  const storeRotated = async () => {
    if (!isUnstored) return;
    try {
      await store();
    } catch (cause) {
      throw unavailable("a renewed Spotify token cannot be stored", { cause });
    }
  };

  const renew = async (app: UpstreamApp, used: string): Promise<string> => {
    const askedAtMs = clock.monotonicMs();
    const askedAt = clock.wallMs();
    // Not aborted with the caller's request: a rotated token would be lost with the answer.
    const answer = await service.refresh(app, used);
    const { accessToken: token, expiresInMs, refreshToken = used } = answer;
    isUnstored = refreshToken !== used;
    const access = { token, askedAt, expiresAt: askedAt + expiresInMs };
    settings = { ...settings, refreshToken, access };
    await store().catch((error: unknown) => {
      // Only without a rotation nothing is lost: the next start makes a refresh.
      if (isUnstored) deps.onUnstored(error);
    });
    held = { token, refreshAtMs: askedAtMs + usableMs(expiresInMs) };
    return token;
  };

  /** Removes a refused refresh token. If the disk is full, it stays stored: Spotify refuses it anyway. */
  const discard = async () => {
    settings = { ...settings, refreshToken: null, access: null };
    await store().catch(() => {});
  };

  const refresh = async (): Promise<string> => {
    const app = deps.app();
    await storeRotated();
    const { refreshToken } = settings;
    if (refreshToken === null) throw linkEnded();
    try {
      return await renew(app, refreshToken);
    } catch (error) {
      const isRefused = error instanceof GrantRefused && error.code === "invalid_grant";
      if (!isRefused) throw await explain(error);
      await discard();
      throw linkEnded(error.message);
    }
  };

  const explain = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof GrantRefused)) return error;
    if (error.status === 429) return deps.onLimited(error.retryAfter, error.message);
    if (error.code === "invalid_client" || error.code === "unauthorized_client") {
      return retryLater(WRONG_APP_PAUSE_MS, "appRefused", error.message);
    }
    return unavailable(error.message);
  };

  return {
    /**
     * A token that stays valid for a while. Concurrent calls share one refresh.
     * @throws {SourceFailure}
     */
    async current(): Promise<string> {
      if (held && clock.monotonicMs() < held.refreshAtMs) return held.token;
      refreshing ??= connection.expectSettings(refresh()).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    /** Call this when the Web API refused this token although it had not expired. */
    forget(token: string) {
      if (held?.token !== token) return;
      held = undefined;
    },
  };
}

/** The user has to link again. */
export const linkEnded = (message = "Spotify has to be linked again") => unauthorized(message);

/** The token that is stored, if it can still be valid by the wall clock, which may jump. */
function heldIn(
  { access }: SpotifySettings,
  clock: Pick<Clock, "monotonicMs" | "wallMs">,
): Held | undefined {
  if (!access) return undefined;
  const nowMs = clock.wallMs();
  const leftMs = access.askedAt + usableMs(access.expiresAt - access.askedAt) - nowMs;
  const isPlausible = nowMs > access.askedAt - CLOCK_SET_BACK_MS && leftMs > 0;
  return isPlausible
    ? { token: access.token, refreshAtMs: clock.monotonicMs() + leftMs }
    : undefined;
}
