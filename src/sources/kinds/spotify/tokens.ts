import type { SettingsChange } from "../../../music/settings-writes.ts";
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
import { parseSpotifySettings, type SpotifySettings, type StoredAccess } from "./settings.ts";

/** A user's access tokens for the Web API, refreshed when needed. */
export interface AccessTokens {
  /**
   * A token that stays valid for a while. Concurrent calls share one refresh.
   * @throws {SourceFailure}
   */
  current(): Promise<string>;
  /** Call this when the Web API refused this token although it had not expired. */
  forget(token: string): void;
}

export interface AccessTokensDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "wallMs" | "sleep">;
  readonly service: Pick<AccountsService, "refresh">;
  /** @throws {SourceFailure} when there is none, or it is not the one the user linked through */
  app(): Promise<UpstreamApp>;
  /** The settings as they were stored when the watching began. */
  readonly settings: SpotifySettings;
  /** Where they are stored. Other nodes may do the same with them at the same time. */
  readonly connection: Pick<StoredConnection, "readSettings" | "changeSettings">;
  /** Is called when a new refresh token is not stored yet, although the old one has ended. */
  onUnstored(error: unknown): void;
  /** Is called when Spotify has asked for a pause. */
  onLimited(retryAfter: string | null, message: string): Promise<SourceFailure>;
}

/** A token is refreshed this long before it expires, so that no call uses an expired one. */
const AHEAD_MS = 120_000;
const WRONG_APP_PAUSE_MS = 60_000;
/** How much the wall clocks of two nodes may differ, or one may be set back. */
const CLOCKS_DIFFER_MS = 60_000;
/**
 * When Spotify refuses a refresh token, another node may have just replaced it. That node has its
 * answer within five seconds and then stores it, so the settings are read again for so long.
 */
const READ_AGAIN_AFTER_MS = [0, 250, 750, 2_000, 5_000];

/** A token in use; its time runs on the monotonic clock. */
interface Held {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** What a refresh has brought. */
interface Renewal {
  /** The refresh token that was used. */
  readonly used: string;
  /** The one to use next: another one if Spotify has rotated it. */
  readonly next: string;
  /** The access token that was stored before. */
  readonly before: string | undefined;
  readonly access: StoredAccess;
}

export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { clock, service, connection } = deps;
  /** As far as they are known. Those that are stored may be newer. */
  let { settings } = deps;
  /** The last access token that the Web API refused. */
  let forgotten: string | undefined;
  let refreshing: Promise<string> | undefined;
  /** A rotated refresh token that is not stored yet: the stored one no longer works. */
  let unstored: Renewal | undefined;

  /** The token that is stored, if it can still be valid by the wall clock, which may jump. */
  const heldIn = ({ access }: SpotifySettings): Held | undefined => {
    if (!access || access.token === forgotten) return undefined;
    const nowMs = clock.wallMs();
    const isPlausible =
      nowMs > access.askedAt - CLOCKS_DIFFER_MS && nowMs < access.expiresAt - AHEAD_MS;
    if (!isPlausible) return undefined;
    return { token: access.token, expiresAtMs: clock.monotonicMs() + access.expiresAt - nowMs };
  };
  let held = heldIn(settings);

  /** Takes over what is stored. Where nothing is, what is known stays. */
  const readAgain = async () => {
    try {
      const stored = await connection.readSettings();
      if (stored !== undefined) settings = parseSpotifySettings(stored);
    } catch (cause) {
      throw unavailable("the stored Spotify tokens cannot be read", { cause });
    }
  };

  const store = async (renewal: Renewal) => {
    const stored = await connection.changeSettings((now) =>
      renewed(parseSpotifySettings(now), renewal),
    );
    settings =
      stored === undefined
        ? { ...settings, refreshToken: renewal.next, access: renewal.access }
        : parseSpotifySettings(stored);
    if (unstored === renewal) unstored = undefined;
  };

  /** A full disk may have space again. A token that a crash would lose is not used for a refresh. */
  const storeRotated = async () => {
    if (!unstored) return;
    try {
      await store(unstored);
    } catch (cause) {
      throw unavailable("a renewed Spotify token cannot be stored", { cause });
    }
  };

  const renew = async (app: UpstreamApp, used: string): Promise<string> => {
    const askedAtMs = clock.monotonicMs();
    const askedAt = clock.wallMs();
    const before = settings.access?.token;
    // Not aborted with the caller's request: a rotated token would be lost with the answer.
    const answer = await service.refresh(app, used);
    const { accessToken: token, expiresInMs, refreshToken: next = used } = answer;
    const access = { token, askedAt, expiresAt: askedAt + expiresInMs };
    const renewal = { used, next, before, access };
    const isRotated = next !== used;
    if (isRotated) unstored = renewal;
    await store(renewal).catch((error: unknown) => {
      // Only without a rotation nothing is lost: the next start makes a refresh.
      if (isRotated) deps.onUnstored(error);
    });
    held = { token, expiresAtMs: askedAtMs + expiresInMs };
    return token;
  };

  /** Whether another refresh token has been stored by another node, or is within seconds. */
  const isReplaced = async (used: string): Promise<boolean> => {
    for (const waitMs of READ_AGAIN_AFTER_MS) {
      await clock.sleep(waitMs, new AbortController().signal);
      await readAgain();
      if (settings.refreshToken !== used) return true;
    }
    return false;
  };

  /** Removes a refused refresh token. Returns false if another one has taken its place. */
  const discard = async (used: string): Promise<boolean> => {
    try {
      const stored = await connection.changeSettings((now) =>
        discarded(parseSpotifySettings(now), used),
      );
      if (stored !== undefined) settings = parseSpotifySettings(stored);
    } catch {
      // If the disk is full, the token stays stored. Spotify refuses it anyway.
      return true;
    }
    return settings.refreshToken === used || settings.refreshToken === null;
  };

  const refresh = async (): Promise<string> => {
    const app = await deps.app();
    await storeRotated();
    await readAgain();
    for (;;) {
      held = heldIn(settings);
      if (held) return held.token;
      const { refreshToken } = settings;
      if (refreshToken === null) throw linkEnded();
      try {
        return await renew(app, refreshToken);
      } catch (error) {
        const isRefused = error instanceof GrantRefused && error.code === "invalid_grant";
        if (!isRefused) throw await explain(error);
        if (!(await isReplaced(refreshToken)) && (await discard(refreshToken))) {
          throw linkEnded(error.message);
        }
      }
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
    async current() {
      if (held && clock.monotonicMs() < held.expiresAtMs - AHEAD_MS) return held.token;
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    forget(token) {
      if (held?.token !== token) return;
      forgotten = token;
      held = undefined;
    },
  };
}

/** The user has to link again. */
export const linkEnded = (message = "Spotify has to be linked again") => unauthorized(message);

/**
 * What is to be stored after a refresh; `undefined` where something newer is stored. A rotated
 * token also replaces a refusal: another node has tried the old one meanwhile.
 */
function renewed(
  stored: SpotifySettings,
  { used, next, before, access }: Renewal,
): SettingsChange | undefined {
  const isNewest =
    next === used
      ? stored.refreshToken === used && [before, undefined].includes(stored.access?.token)
      : stored.refreshToken === used || stored.refreshToken === null;
  if (!isNewest) return undefined;
  return { settings: { ...stored, refreshToken: next, access }, isRefused: false };
}

/** What is to be stored after the refusal of a refresh token, unless another one is stored. */
function discarded(stored: SpotifySettings, refused: string): SettingsChange | undefined {
  if (stored.refreshToken !== refused) return undefined;
  return { settings: { ...stored, refreshToken: null, access: null }, isRefused: true };
}
