import type { Config } from "./config.ts";
import { hostInUrl } from "./ip-address.ts";
import type { Language } from "./languages.ts";

/** Host and port where programs on this machine, such as a proxy, reach a server. */
export function listeningAddressOf({ host }: Pick<Config, "host">, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  return `${everywhere ? "127.0.0.1" : hostInUrl(host)}:${port}`;
}

/** The base URL of a server that listens on this port, without a slash at the end. */
export function baseUrlOf(config: Pick<Config, "baseUrl" | "host">, port: number): string {
  return config.baseUrl ?? `http://${listeningAddressOf(config, port)}`;
}

/** Where a server is reached. */
export interface ServerPlace {
  /** Its base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** The base URL's path: see {@link basePathOf}. */
  readonly basePath: string;
}

/** The base URL's path, without a slash at the end: empty when the server has its own host. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "");

/**
 * The address of a page. Here and below, `base` has no slash at the end. It is the base URL for
 * addresses used outside the server, and the base path for hyperlinks on the server's own pages.
 */
export const pageAddress = (base: string, language: Language, path: string): string =>
  `${base}/${language}/${path}`;

export const docsAddress = (base: string, language: Language, page: string): string =>
  pageAddress(base, language, `docs/${page}`);

/** @param below the path below the dashboard, such as `/music` for a section */
export const dashboardAddress = (base: string, language: Language, below = ""): string =>
  pageAddress(base, language, `dashboard${below}`);

/** A magic link: it signs a browser in. Its page is in the browser's language. */
export const signInAddress = (base: string, secret: string): string => `${base}/sign-in/${secret}`;

/** Where a user links an account in the browser. */
export const connectAddress = (
  base: string,
  language: Language,
  source: string,
  secret: string,
): string => pageAddress(base, language, `connect/${source}/${secret}`);

export const widgetAddress = (base: string, language: Language, token: string): string =>
  pageAddress(base, language, `widget/${token}`);

/** The address of what a widget's token opens. */
export function outputAddress(
  base: string,
  language: Language,
  kind: "overlay" | "text" | "card",
  token: string,
): string {
  if (kind === "overlay") return widgetAddress(base, language, token);
  return pageAddress(base, language, kind === "text" ? `text/${token}` : `card/${token}.svg`);
}

/** Where an overlay is shown, or hidden, on demand. */
export const onDemandAddress = (base: string, does: "show" | "hide", token: string): string =>
  `${base}/${does}/${token}`;

/** The address of a font that a user has uploaded. */
export const fontAddress = (base: string, id: string): string => `${base}/fonts/${id}.woff2`;

/** The address of a picture that a user's overlays show where a track has no cover. */
export const standInCoverAddress = (base: string, id: string): string =>
  `${base}/covers/${id}.webp`;

export const apiAddress = (base: string, endpoint: string): string => `${base}/api/v1/${endpoint}`;

/** A path with a query, if the query is not empty. */
export function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
