import { LANGUAGES } from "../languages.ts";

/**
 * Removes the base path from request URLs, so that each route is registered once. Some proxies
 * have already removed it. The request object stays the same: Bun opens WebSockets and returns
 * client addresses only for the request objects that it created.
 */
export function createBasePath(basePath: string, routes: readonly string[]) {
  if (basePath === "") return () => {};
  const beginnings = new Set<string>([...LANGUAGES, ...routes.map((path) => wordAt(path, 0))]);
  // With a base path such as `/en`, `/en/docs` means `/docs`, or `/en/docs` behind some proxies.
  const mayBeOurs = beginnings.has(wordAt(basePath, 0));
  return (request: Request): void => {
    const { url } = request;
    const start = url.indexOf("/", "https://".length);
    const end = start + basePath.length;
    if (!url.startsWith(basePath, start) || !/^[/?]?$/.test(url.charAt(end))) return;
    if (mayBeOurs && !beginnings.has(wordAt(url, end))) return;
    const slash = url.charAt(end) === "/" ? "" : "/";
    Object.defineProperty(request, "url", { value: url.slice(0, start) + slash + url.slice(end) });
  };
}

/** The path segment that follows the slash at `start`. */
const wordAt = (path: string, start: number): string =>
  path.slice(start + 1).split(/[/?]/, 1)[0] ?? "";
