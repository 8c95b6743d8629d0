import type { WidgetToken } from "../../accounts/credential.ts";

/**
 * The documentation's files name the addresses of a server without settings. A page names those of
 * the server that it comes from, so that what is copied from it works as pasted:
 *
 * - `http://127.0.0.1:4747` is the base URL;
 * - in the configuration of a proxy, `127.0.0.1:4747` is where this server listens, since the base
 *   URL is the proxy's own address;
 * - `mqw_…` is the widget token of a reader who is signed in.
 */

const BASE_URL_IN_FILES = "http://127.0.0.1:4747";
const LISTENING_ADDRESS_IN_FILES = "127.0.0.1:4747";
/** Followed by the end of an address, unlike the mention of what tokens begin with. */
export const WIDGET_TOKEN_IN_FILES = "mqw_…";

const PROXY_LANGUAGES: readonly (string | undefined)[] = ["caddyfile", "nginx"];

export interface ServersAddresses {
  /** Where the server is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port at which programs of this machine reach it. */
  readonly listeningAddress: string;
}

/** Code of the documentation, as HTML, with this server's addresses in place of those in the files. */
export function withServersAddresses(
  code: string,
  language: string | undefined,
  { baseUrl, listeningAddress }: ServersAddresses,
): string {
  return PROXY_LANGUAGES.includes(language)
    ? code.replaceAll(LISTENING_ADDRESS_IN_FILES, () => Bun.escapeHTML(listeningAddress))
    : code.replaceAll(BASE_URL_IN_FILES, () => Bun.escapeHTML(baseUrl));
}

/** A page with the reader's own widget address wherever it shows one. */
export const withWidgetToken = (html: string, token: WidgetToken): string =>
  html.replaceAll(WIDGET_TOKEN_IN_FILES, token);
