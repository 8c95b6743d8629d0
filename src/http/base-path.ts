import { LANGUAGES } from "../languages.ts";

/**
 * Takes the base path off the addresses of requests, so that each route stands in the map once; some
 * proxies have done so before. The request stays the same object: Bun opens sockets and tells client
 * addresses only for the one that it made.
 */
export function createBasePath(basePath: string, routes: readonly string[]) {
  if (basePath === "") return () => {};
  const beginnings = new Set<string>([...LANGUAGES, ...routes.map((path) => wordAt(path, 0))]);
  // Below a base path such as `/en`, `/en/docs` may be either `/docs` or, from some proxies, `/en/docs`.
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

/** The word of a path that begins with the slash at `start`. */
const wordAt = (path: string, start: number): string =>
  path.slice(start + 1).split(/[/?]/, 1)[0] ?? "";
