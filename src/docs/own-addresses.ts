/**
 * The documentation's files use the addresses of a server with default settings. A page gives its
 * own server's addresses instead, so that copied examples work without changes:
 *
 * - `http://127.0.0.1:4747` is the base URL;
 * - in the configuration of a proxy, and without `http://`, `127.0.0.1:4747` is where this server
 *   listens, since the base URL is the proxy's own address;
 * - `mqw_…` is the widget token of a reader who is signed in, but only in what the copy buttons give:
 *   streamers read the documentation on air, so the page itself never shows the token.
 */

const BASE_URL_IN_FILES = "http://127.0.0.1:4747";
const LISTENING_ADDRESS_IN_FILES = "127.0.0.1:4747";
const ANY_ADDRESS_IN_FILES = /(?:http:\/\/)?127\.0\.0\.1:4747/g;
/** Stands for the widget token. The ellipsis makes it differ from a mention of the prefix alone. */
export const WIDGET_TOKEN_IN_FILES = "mqw_…";

const PROXY_LANGUAGES: readonly (string | undefined)[] = [
  "caddyfile",
  "nginx",
  "apache",
  "haproxy",
];

export interface ServersAddresses {
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port for programs on the same machine. */
  readonly listeningAddress: string;
}

/** A code example, as HTML, with this server's addresses instead of those in the files. */
export function withServersAddresses(
  code: string,
  language: string | undefined,
  { baseUrl, listeningAddress }: ServersAddresses,
): string {
  return PROXY_LANGUAGES.includes(language)
    ? code.replaceAll(LISTENING_ADDRESS_IN_FILES, () => Bun.escapeHTML(listeningAddress))
    : code.replace(ANY_ADDRESS_IN_FILES, (address) =>
        Bun.escapeHTML(address === BASE_URL_IN_FILES ? baseUrl : listeningAddress),
      );
}

/** An example as a signed-in reader copies it. */
export const withWidgetToken = (example: string, token: string): string =>
  example.replaceAll(WIDGET_TOKEN_IN_FILES, token);
