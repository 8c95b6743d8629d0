import { type Upstream, UpstreamError, type UpstreamRequest } from "../../upstream/index.ts";
import { jsonIn } from "../../decode-text.ts";
import { isRecord } from "../../upstream/json.ts";
import type { TwitchSettings } from "./settings.ts";

/** A whole answer. */
export interface TwitchAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Calls Twitch. `undefined` without an answer. */
export async function ask(
  upstream: Pick<Upstream, "fetch">,
  url: string,
  request: UpstreamRequest,
): Promise<TwitchAnswer | undefined> {
  try {
    const response = await upstream.fetch(url, request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

/** Asks Twitch's API for an account, with POST if there is a body. `undefined` without an answer. */
export type Helix = (
  account: Pick<TwitchSettings, "clientId" | "accessToken">,
  path: string,
  body?: object,
) => Promise<TwitchAnswer | undefined>;

/** @param apiUrl such as `https://api.twitch.tv/helix` */
export const createHelix =
  (upstream: Pick<Upstream, "fetch">, apiUrl: string): Helix =>
  ({ clientId, accessToken }, path, body) => {
    const headers = { "client-id": clientId, authorization: `Bearer ${accessToken}` };
    const posted = body && {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return ask(upstream, apiUrl + path, posted ?? { headers });
  };

/** The list in an answer; `undefined` if there is none. */
export function dataIn(answer: TwitchAnswer | undefined): readonly unknown[] | undefined {
  const body = answer && jsonIn(answer.text);
  const data = isRecord(body) ? body["data"] : undefined;
  return Array.isArray(data) ? data : undefined;
}
