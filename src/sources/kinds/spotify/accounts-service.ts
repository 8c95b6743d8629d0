import type { UpstreamApp } from "../../../accounts/upstreams.ts";
import type * as OAuth from "oauth4webapi";
import {
  type AuthorizationRequest,
  LinkFailure,
  type LinkFailureReason,
  type OpenAttempt,
} from "../../source.ts";
import type { Upstream } from "../../../upstream/index.ts";
import { jsonIn } from "../../../decode-text.ts";
import { fieldsOf, isRecord, numberOf, textOf, UnreadableAnswer } from "../../../upstream/json.ts";

/**
 * Spotify's OAuth 2.0 service: authorization code with PKCE.
 * https://developer.spotify.com/documentation/web-api/tutorials/code-pkce-flow
 */

export interface Tokens {
  readonly accessToken: string;
  readonly expiresInMs: number;
  /** `undefined` when the old one stays valid, which is usual in an answer to a refresh. */
  readonly refreshToken: string | undefined;
}

/** The service refuses a grant; `code` is OAuth's error code (RFC 6749 § 5.2). */
export class GrantRefused extends Error {
  override readonly name = "GrantRefused";
  readonly code: string;
  readonly status: number;
  readonly retryAfter: string | null;
  constructor(code: string, status: number, message: string, retryAfter: string | null = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export type AccountsService = ReturnType<typeof createAccountsService>;

/** Permission to read only the playback and the account's profile with its subscription. */
const SCOPE = "user-read-playback-state user-read-private";
/** Spotify's access tokens are valid for an hour; its answers normally say so. */
const USUAL_EXPIRY_SECONDS = 3_600;

/** Loaded when first needed, so that a server without Spotify never loads it. */
const load = (): Promise<typeof OAuth> => import("oauth4webapi");

/** @param url the service's address without a slash at the end, such as `https://accounts.spotify.com` */
export function createAccountsService(url: string, upstream: Upstream) {
  const server: OAuth.AuthorizationServer = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/api/token`,
  };
  const clientOf = (app: UpstreamApp): OAuth.Client => ({ client_id: app.clientId });
  const authenticationOf = (oauth: typeof OAuth, app: UpstreamApp) =>
    app.clientSecret === null ? oauth.None() : oauth.ClientSecretBasic(app.clientSecret);
  const requestOptions = (oauth: typeof OAuth) => ({
    [oauth.customFetch]: (target: string, init: { body?: unknown; headers: object }) =>
      upstream.fetch(target, {
        method: "POST",
        headers: { ...init.headers },
        body: String(init.body),
      }),
    // Safe, because the settings allow plain http only to this machine.
    [oauth.allowInsecureRequests]: true,
  });

  return {
    /** The URL for the browser, and the values to store until the browser returns. */
    async begin(app: UpstreamApp, redirectUri: string): Promise<AuthorizationRequest> {
      const oauth = await load();
      const state = oauth.generateRandomState();
      const codeVerifier = oauth.generateRandomCodeVerifier();
      const target = new URL(`${url}/authorize`);
      target.search = String(
        new URLSearchParams({
          client_id: app.clientId,
          response_type: "code",
          redirect_uri: redirectUri,
          state,
          scope: SCOPE,
          code_challenge_method: "S256",
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          // Without this, linking again would not ask the user, and would be no new consent.
          show_dialog: "true",
        }),
      );
      return { url: target.href, state, redirectUri, codeVerifier };
    },

    /** @throws {GrantRefused | LinkFailure | UnreadableAnswer | UpstreamError} */
    async exchange(app: UpstreamApp, answer: URLSearchParams, attempt: OpenAttempt) {
      const oauth = await load();
      const client = clientOf(app);
      const parameters = checkAnswer(oauth, server, client, answer, attempt.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authenticationOf(oauth, app),
        parameters,
        attempt.redirectUri,
        attempt.codeVerifier,
        requestOptions(oauth),
      );
      return readTokens(response);
    },

    /** @throws {GrantRefused | UnreadableAnswer | UpstreamError} */
    async refresh(app: UpstreamApp, refreshToken: string) {
      const oauth = await load();
      const client = clientOf(app);
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        authenticationOf(oauth, app),
        refreshToken,
        requestOptions(oauth),
      );
      return readTokens(response);
    },
  };
}

/** @throws {LinkFailure} when the browser returned with a refusal */
function checkAnswer(
  oauth: typeof OAuth,
  server: OAuth.AuthorizationServer,
  client: OAuth.Client,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, answer, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    const reasons: Record<string, LinkFailureReason> = {
      access_denied: "denied",
      unauthorized_client: "wrongApp",
      invalid_client: "wrongApp",
      server_error: "unreachable",
      temporarily_unavailable: "unreachable",
    };
    throw new LinkFailure(reasons[error.error] ?? "wrongApp", `Spotify answered ${error.error}`);
  }
}

/**
 * Reads a token answer. The library is stricter: it would refuse one for a field that nobody needs, and the
 * refresh token in it may be the only one that works.
 * @throws {GrantRefused} when its HTTP status is no success
 * @throws {UnreadableAnswer} when there is no access token in it
 */
async function readTokens(response: Response): Promise<Tokens> {
  if (!response.ok) throw await refusalOf(response);
  const { access_token, expires_in, refresh_token } = fieldsOf(jsonIn(await response.text()));
  if (typeof access_token !== "string" || access_token === "") {
    throw new UnreadableAnswer("there is no access token in it");
  }
  const seconds = numberOf(expires_in) ?? 0;
  return {
    accessToken: access_token,
    expiresInMs: (seconds > 0 ? seconds : USUAL_EXPIRY_SECONDS) * 1000,
    refreshToken: textOf(refresh_token),
  };
}

async function refusalOf(response: Response): Promise<GrantRefused> {
  const body: unknown = await response.json().catch(() => undefined);
  const refusal = isRecord(body) ? body : {};
  const code = textOf(refusal["error"]) ?? "";
  const description = textOf(refusal["error_description"]);
  const words = [`Spotify's accounts service answered ${response.status}`, code, description];
  return new GrantRefused(
    code,
    response.status,
    words.filter(Boolean).join(": "),
    response.headers.get("retry-after"),
  );
}
