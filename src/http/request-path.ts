import { LANGUAGES } from "../languages.ts";

/** Letters, digits and `-._~`, percent-encoded. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/**
 * Brings request URLs to the one spelling of their path that routes know. The request object stays
 * the same: Bun opens WebSockets and returns client addresses only for the request objects that it
 * created.
 * @param routes the paths of all routes
 */
export function createRequestPath(basePath: string, routes: readonly string[]) {
  const beginnings = new Set<string>([...LANGUAGES, ...routes.map((path) => wordAt(path, 0))]);
  // With a base path such as `/en`, `/en/docs` means `/docs`, or `/en/docs` behind some proxies.
  const mayBeOurs = beginnings.has(wordAt(basePath, 0));
  /** What is decoded, or below the base path, may look as if it were to be again. */
  const respelled = new WeakSet<Request>();

  const decoded = (url: string): string => {
    if (!url.includes("%")) return url;
    const start = pathStart(url);
    const [path = "", ...query] = url.slice(start).split("?");
    const plain = path.replace(ENCODED_UNRESERVED, (code) => decodeURIComponent(code));
    // Elysia would give handlers `null` in the place of texts.
    const decodable = isDecodable(plain) ? plain : plain.replaceAll("%", "%25");
    return url.slice(0, start) + [decodable, ...query].join("?");
  };
  const below = (url: string): string => {
    const start = pathStart(url);
    const end = start + basePath.length;
    if (!url.startsWith(basePath, start) || !/^[/?]?$/.test(url.charAt(end))) return url;
    if (mayBeOurs && !beginnings.has(wordAt(url, end))) return url;
    const slash = url.charAt(end) === "/" ? "" : "/";
    return url.slice(0, start) + slash + url.slice(end);
  };

  const move = (request: Request, value: string): boolean => {
    if (value === request.url) return false;
    Object.defineProperty(request, "url", { value, configurable: true });
    return true;
  };

  return {
    /**
     * Decodes percent-encoded characters that need no encoding
     * (https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2), takes percent signs of a path that cannot
     * be decoded for percent signs, and removes the base path, so that each route is registered once.
     * Some proxies have removed it. Returns whether the path is another one now.
     */
    respell(request: Request) {
      const { url } = request;
      const spelling = basePath === "" ? decoded(url) : below(decoded(url));
      if (spelling === url || respelled.has(request)) return false;
      respelled.add(request);
      return move(request, spelling);
    },
    /** Puts a name of ours in the place of the request's, which may be malformed. Returns whether it was another. */
    forgetHost: (request: Request) =>
      move(request, `http://localhost${request.url.slice(pathStart(request.url))}`),
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The path of a request; its URL is not parsed, because a foreign host may be malformed. */
export const pathOf = ({ url }: Pick<Request, "url">): string =>
  url.slice(pathStart(url)).split(/[?#]/, 1)[0] ?? "";

/** Where the path begins: at once if the host is missing or malformed. */
const pathStart = (url: string): number =>
  url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);

/** The path segment that follows the slash at `start`. */
const wordAt = (path: string, start: number): string =>
  path.slice(start + 1).split(/[/?]/, 1)[0] ?? "";
