import { LANGUAGES } from "../languages.ts";

/**
 * Brings request URLs to the one spelling of their path that routes know. The request object stays
 * the same: Bun opens WebSockets and returns client addresses only for the request objects that it
 * created.
 */
export interface RequestPath {
  /**
   * Decodes percent-encoded characters that need no encoding:
   * https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
   */
  decodeUnreserved(request: Request): void;
  /** Removes the base path, so that each route is registered once. Some proxies have removed it. */
  takeBasePathOff(request: Request): void;
}

/** Letters, digits and `-._~`, percent-encoded. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** @param routes the paths of all routes */
export function createRequestPath(basePath: string, routes: readonly string[]): RequestPath {
  const beginnings = new Set<string>([...LANGUAGES, ...routes.map((path) => wordAt(path, 0))]);
  // With a base path such as `/en`, `/en/docs` means `/docs`, or `/en/docs` behind some proxies.
  const mayBeOurs = beginnings.has(wordAt(basePath, 0));
  return {
    decodeUnreserved(request) {
      const { url } = request;
      if (!url.includes("%")) return;
      const [path = "", ...query] = url.slice(pathStart(url)).split("?");
      const plain = path.replace(ENCODED_UNRESERVED, (code) => decodeURIComponent(code));
      if (plain !== path) moveTo(request, [plain, ...query].join("?"));
    },
    takeBasePathOff(request) {
      if (basePath === "") return;
      const { url } = request;
      const start = pathStart(url);
      const end = start + basePath.length;
      if (!url.startsWith(basePath, start) || !/^[/?]?$/.test(url.charAt(end))) return;
      if (mayBeOurs && !beginnings.has(wordAt(url, end))) return;
      const slash = url.charAt(end) === "/" ? "" : "/";
      moveTo(request, slash + url.slice(end));
    },
  };
}

/** Gives a request another path and query, and another origin if one is given. */
export function moveTo(request: Request, path: string, origin?: string): void {
  const { url } = request;
  const value = (origin ?? url.slice(0, pathStart(url))) + path;
  Object.defineProperty(request, "url", { value, configurable: true });
}

/** Path and query of a request; its URL is not parsed, because a foreign host may be malformed. */
export const pathAndQueryOf = ({ url }: Request): string => url.slice(pathStart(url));

/** Where the path begins: at once if the host is missing or malformed. */
const pathStart = (url: string): number =>
  url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);

/** The path segment that follows the slash at `start`. */
const wordAt = (path: string, start: number): string =>
  path.slice(start + 1).split(/[/?]/, 1)[0] ?? "";
