import type { Accounts } from "../accounts/accounts.ts";
import type { MagicLinkSecret, WidgetToken } from "../accounts/credential.ts";
import type { Config } from "../config.ts";
import { type Language, languageOr } from "../languages.ts";

/** Host and port at which programs of this machine, such as a proxy, reach a server. */
export function listeningAddressOf({ host }: Pick<Config, "host">, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = host.includes(":") ? `[${host}]` : host;
  return `${everywhere ? "127.0.0.1" : name}:${port}`;
}

/** Where a server that listens on this port is reached, without a slash at the end. */
export function baseUrlOf(config: Pick<Config, "baseUrl" | "host">, port: number): string {
  return config.baseUrl ?? `http://${listeningAddressOf(config, port)}`;
}

/** The base URL for a command: as set, else where the server was last reached, else the default. */
export async function knownBaseUrl(config: Config, accounts: Accounts): Promise<string> {
  return config.baseUrl ?? (await accounts.lastBaseUrl()) ?? baseUrlOf(config, config.port);
}

/** Where a user links an account in the browser. */
export function connectUrl(baseUrl: string, source: string, secret: MagicLinkSecret): string {
  return `${baseUrl}/en/connect/${source}/${secret}`;
}

/** A link that signs a browser in, in the user's language once there is one. */
export function signInUrl(
  baseUrl: string,
  secret: MagicLinkSecret,
  language: string | null,
): string {
  return `${baseUrl}/${languageOr(language, "en")}/sign-in/${secret}`;
}

export function widgetUrl(baseUrl: string, token: WidgetToken, language: Language = "en"): string {
  return `${baseUrl}/${language}/widget/${token}`;
}
