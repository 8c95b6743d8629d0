import type { UpstreamApp } from "../../../accounts/upstreams.ts";
import type { Clock } from "../../../clock.ts";
import {
  LinkFailure,
  type LinkFailureReason,
  type OAuthLinking,
  type PauseReason,
  SourceFailure,
} from "../../source.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import { type AccountsService, GrantRefused, type Tokens } from "./accounts-service.ts";
import { isRecord, textOf, UnreadableAnswer } from "../../../upstream/json.ts";
import type { SpotifySettings } from "./settings.ts";
import type { WebApi } from "./web-api.ts";

export interface LinkingDeps {
  readonly service: AccountsService;
  readonly api: WebApi;
  readonly clock: Pick<Clock, "wallMs">;
  app(): UpstreamApp | undefined;
  readonly appIsFixed: boolean;
}

/** Has no hyphen, because Spotify can fail with one in a redirect URI (n8n#25805). */
const CALLBACK_PATH = "/callback/spotify";

export function createLinking(deps: LinkingDeps): OAuthLinking {
  const { service, api, clock } = deps;
  const requireApp = (): UpstreamApp => {
    const app = deps.app();
    if (!app) throw new LinkFailure("appMissing", "no Spotify app has been entered yet");
    return app;
  };
  return {
    callbackPath: CALLBACK_PATH,
    registrationUrl: "https://developer.spotify.com/dashboard",
    app: deps.app,
    appIsFixed: deps.appIsFixed,
    // Plain http is accepted only for loopback IP addresses, and not for the name "localhost".
    acceptsRedirect: (redirectUri) =>
      /^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?\/)/.test(redirectUri),
    begin: async (redirectUri) => service.begin(requireApp(), redirectUri),
    async finish(attempt, answer) {
      const app = requireApp();
      try {
        const tokens = await service.exchange(app, answer, attempt);
        return await settingsOf(app, tokens);
      } catch (error) {
        throw toLinkFailure(error);
      }
    },
  };

  async function settingsOf(app: UpstreamApp, tokens: Tokens): Promise<SpotifySettings> {
    if (tokens.refreshToken === undefined) {
      throw new LinkFailure("unreachable", "Spotify gave no refresh token");
    }
    const consentedAt = clock.wallMs();
    const access = { current: async () => tokens.accessToken, forget() {} };
    const { body } = await api.get("/v1/me", access, "trackEnd", AbortSignal.timeout(15_000));
    const profile = isRecord(body) ? body : {};
    return {
      clientId: app.clientId,
      refreshToken: tokens.refreshToken,
      consentedAt,
      accountId: textOf(profile["id"]) ?? null,
      displayName: textOf(profile["display_name"]) ?? textOf(profile["id"]) ?? null,
      // Absent for apps in development mode.
      product: textOf(profile["product"]) ?? null,
      access: {
        token: tokens.accessToken,
        askedAt: consentedAt,
        expiresAt: consentedAt + tokens.expiresInMs,
      },
    };
  }
}

function toLinkFailure(error: unknown): LinkFailure {
  if (error instanceof LinkFailure) return error;
  const cause = { cause: error };
  if (error instanceof GrantRefused) {
    return new LinkFailure(reasonOfRefusal(error), error.message, cause);
  }
  if (error instanceof SourceFailure) {
    const { meaning } = error;
    const reason =
      meaning.kind === "retryLater"
        ? reasonOfPause(meaning.reason)
        : ("unreachable" satisfies LinkFailureReason);
    return new LinkFailure(reason, error.message, cause);
  }
  const readable = error instanceof UpstreamError || error instanceof UnreadableAnswer;
  const message = readable ? error.message : "Spotify's answer could not be understood";
  return new LinkFailure("unreachable", message, cause);
}

function reasonOfRefusal({ code, status, message }: GrantRefused): LinkFailureReason {
  if (status === 429) return "limited";
  if (/redirect/i.test(message)) return "wrongRedirect";
  if (code === "invalid_client" || code === "unauthorized_client") return "wrongApp";
  if (code === "invalid_grant") return "codeExpired";
  // Without a code of OAuth's, it is not the service that answered, or it has failed.
  return status >= 500 || code === "" ? "unreachable" : "wrongApp";
}

function reasonOfPause(reason: PauseReason): LinkFailureReason {
  if (reason === "appRefused" || reason === "keyRefused") return "wrongApp";
  return reason === "keyMissing" ? "appMissing" : reason;
}
