import type { Upstream } from "../../upstream/index.ts";
import {
  type DeviceCode,
  readDeviceCode,
  readMessage,
  readTokens,
  readValidation,
  type TwitchTokens,
  type Validation,
} from "./answers.ts";
import { ask, type TwitchAnswer } from "./helix.ts";

/** To read a chat and to answer there; nothing more is asked for. */
export const CHAT_SCOPES = ["user:read:chat", "user:write:chat"] as const;

/** Twitch has said no, in its own words. */
export interface Refusal {
  readonly kind: "refused";
  readonly message: string;
}

/** It is not known what has happened: no answer in time, or an error of the server. */
export interface Uncertain {
  readonly kind: "uncertain";
}

export type DeviceAnswer =
  { readonly kind: "code"; readonly code: DeviceCode } | Refusal | Uncertain;

export type Grant =
  { readonly kind: "tokens"; readonly tokens: TwitchTokens } | Refusal | Uncertain;

export type PollAnswer =
  | Grant
  /** The user has not decided. */
  | { readonly kind: "pending" }
  /** The code has expired, was used or never given. */
  | { readonly kind: "invalid" };

export type ValidationAnswer =
  | { readonly kind: "valid"; readonly validation: Validation }
  /** The access token has ended. */
  | { readonly kind: "invalid" }
  | Uncertain;

/** id.twitch.tv for a public client, which has no secret. */
export type TwitchId = ReturnType<typeof createTwitchId>;

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPES = CHAT_SCOPES.join(" ");
const UNCERTAIN: Uncertain = { kind: "uncertain" };

export interface TwitchIdDeps {
  readonly upstream: Pick<Upstream, "fetch">;
  /** Such as `https://id.twitch.tv/oauth2`. */
  readonly idUrl: string;
}

export function createTwitchId({ upstream, idUrl }: TwitchIdDeps) {
  const isStandIn = new URL(idUrl).protocol === "http:";

  /** Never aborted by a caller. */
  const post = (path: string, form: Record<string, string>) =>
    ask(upstream, `${idUrl}/${path}`, { method: "POST", body: new URLSearchParams(form) });

  const grantIn = (answer: TwitchAnswer | undefined): Grant => {
    const { status, text } = answer ?? { status: 0, text: "" };
    if (status === 400 || status === 401 || status === 403) {
      return { kind: "refused", message: readMessage(text) };
    }
    const tokens = status === 200 ? readTokens(text) : undefined;
    return tokens ? { kind: "tokens", tokens } : UNCERTAIN;
  };

  return {
    async askForCode(clientId: string): Promise<DeviceAnswer> {
      const answer = await post("device", { client_id: clientId, scopes: SCOPES });
      if (answer === undefined || answer.status >= 500) return UNCERTAIN;
      const { status, text } = answer;
      const code = status === 200 ? readDeviceCode(text, isStandIn) : undefined;
      return code ? { kind: "code", code } : { kind: "refused", message: readMessage(text) };
    },
    /** Whether the user has agreed. */
    async poll(clientId: string, deviceCode: string): Promise<PollAnswer> {
      const form = { client_id: clientId, scopes: SCOPES, device_code: deviceCode };
      const grant = grantIn(await post("token", { ...form, grant_type: DEVICE_GRANT }));
      if (grant.kind !== "refused") return grant;
      if (/^authorization_pending$/i.test(grant.message)) return { kind: "pending" };
      return /^invalid device code$/i.test(grant.message) ? { kind: "invalid" } : grant;
    },
    /** Uses up a refresh token. `uncertain` says nothing about whether it still works. */
    async refresh(clientId: string, refreshToken: string) {
      const form = { client_id: clientId, refresh_token: refreshToken };
      return grantIn(await post("token", { ...form, grant_type: "refresh_token" }));
    },
    async validate(accessToken: string): Promise<ValidationAnswer> {
      const headers = { authorization: `OAuth ${accessToken}` };
      const answer = await ask(upstream, `${idUrl}/validate`, { headers });
      if (answer?.status === 401) return { kind: "invalid" };
      const validation = answer?.status === 200 ? readValidation(answer.text) : undefined;
      return validation ? { kind: "valid", validation } : UNCERTAIN;
    },
    /** Ends a token. Resolves with whether Twitch has confirmed that. */
    async revoke(clientId: string, token: string) {
      const answer = await post("revoke", { client_id: clientId, token });
      // What is not valid any more needs no end.
      if (answer?.status === 200) return true;
      return answer?.status === 400 && /^invalid token$/i.test(readMessage(answer.text));
    },
  };
}
