import type { Config } from "./config.ts";
import type { Language } from "./languages.ts";

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
export async function knownBaseUrl(
  config: Config,
  accounts: { lastBaseUrl(): Promise<string | undefined> },
): Promise<string> {
  return config.baseUrl ?? (await accounts.lastBaseUrl()) ?? baseUrlOf(config, config.port);
}

/** The path of the base URL, without a slash at the end: empty where a server has a host of its own. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "");

/**
 * The address of a page. Like all below, it stands on a base without a slash at the end: the base
 * URL where it leaves the server, the base path on pages of ours.
 */
export const pageAddress = (base: string, language: Language, path: string): string =>
  `${base}/${language}/${path}`;

export const docsAddress = (base: string, language: Language, page: string): string =>
  pageAddress(base, language, `docs/${page}`);

/** @param below of a section or of what it offers, such as `/music` */
export const dashboardAddress = (base: string, language: Language, below = ""): string =>
  pageAddress(base, language, `dashboard${below}`);

/** A link that signs a browser in. */
export const signInAddress = (base: string, language: Language, secret: string): string =>
  pageAddress(base, language, `sign-in/${secret}`);

/** Where a user links an account in the browser. */
export const connectAddress = (
  base: string,
  language: Language,
  source: string,
  secret: string,
): string => pageAddress(base, language, `connect/${source}/${secret}`);

export const widgetAddress = (base: string, language: Language, token: string): string =>
  pageAddress(base, language, `widget/${token}`);

export const apiAddress = (base: string, endpoint: string): string => `${base}/api/v1/${endpoint}`;
