import type { UpstreamApp } from "../../accounts/upstreams.ts";
import type { Clock } from "../../clock.ts";
import { SourceFailure } from "../source.ts";
import { type AccountsService, GrantRefused, type Tokens } from "./accounts-service.ts";

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
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly service: AccountsService;
  /** @throws {SourceFailure} when there is none, or it is not the one the user linked through */
  app(): Promise<UpstreamApp>;
  /** The current refresh token. */
  refreshToken(): string;
  /** Stores a new refresh token in place of the old one; resolves when it is stored. */
  replaceRefreshToken(token: string): Promise<void>;
  onUnstored(error: unknown): void;
  /** Is called when Spotify has asked for a pause. */
  onLimited(retryAfter: string | null, message: string): Promise<SourceFailure>;
}

/** A token is refreshed this long before it expires, so that no call uses an expired one. */
const AHEAD_MS = 120_000;
const WRONG_APP_PAUSE_MS = 60_000;

export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { clock, service } = deps;
  let held: { readonly token: string; readonly expiresAtMs: number } | undefined;
  let refreshing: Promise<string> | undefined;
  /** A rotated refresh token that is not stored yet: the stored one no longer works. */
  let unstored: string | undefined;

  const keep = async ({ accessToken, expiresInMs, refreshToken }: Tokens, askedAtMs: number) => {
    if (refreshToken !== undefined && refreshToken !== deps.refreshToken()) unstored = refreshToken;
    await storeRotated().catch(deps.onUnstored);
    held = { token: accessToken, expiresAtMs: askedAtMs + expiresInMs };
    return accessToken;
  };

  const storeRotated = async () => {
    if (unstored === undefined) return;
    await deps.replaceRefreshToken(unstored);
    unstored = undefined;
  };

  const refresh = async (): Promise<string> => {
    const app = await deps.app();
    // A full disk may have space again. A token that a crash would lose is not used for a refresh.
    await storeRotated().catch((cause: unknown) => {
      const message = "a renewed Spotify token cannot be stored";
      throw new SourceFailure({ kind: "unavailable" }, message, { cause });
    });
    const askedAtMs = clock.monotonicMs();
    try {
      // Not aborted with the caller's request: a rotated token would be lost with the answer.
      return await keep(await service.refresh(app, deps.refreshToken()), askedAtMs);
    } catch (error) {
      throw await explain(error);
    }
  };

  const explain = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof GrantRefused)) return error;
    if (error.status === 429) return deps.onLimited(error.retryAfter, error.message);
    if (error.code === "invalid_grant") {
      return new SourceFailure({ kind: "unauthorized" }, error.message);
    }
    if (error.code === "invalid_client" || error.code === "unauthorized_client") {
      return new SourceFailure(
        { kind: "retryLater", afterMs: WRONG_APP_PAUSE_MS, reason: "appRefused" },
        error.message,
      );
    }
    return new SourceFailure({ kind: "unavailable" }, error.message);
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
      if (held?.token === token) held = undefined;
    },
  };
}
