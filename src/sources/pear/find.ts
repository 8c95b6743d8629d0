import type { FoundPlayer, Search } from "../found.ts";
import { isRecord, parseJson, textOf } from "../json.ts";
import type { Upstream } from "../upstream.ts";
import { fromAmuse } from "./listen.ts";

/** Amuse needs no token; if it is not switched on, the API server is found, which needs one. */
export async function find(
  urls: { readonly amuse: string; readonly api: string },
  search: Search,
  upstreamOf: (url: string) => Upstream,
): Promise<FoundPlayer[]> {
  const [amuse, api] = await Promise.all([
    findAmuse(urls.amuse, search, upstreamOf(urls.amuse)).catch(() => undefined),
    findApi(urls.api, search, upstreamOf(urls.api)).catch(() => undefined),
  ]);
  if (amuse) return [{ ...amuse, otherSettings: { url: urls.api } }];
  return api ? [{ ...api, otherSettings: { url: urls.amuse } }] : [];
}

async function findAmuse(
  url: string,
  { signal }: Search,
  upstream: Upstream,
): Promise<FoundPlayer | undefined> {
  const answer = await upstream.fetch(`${url}/query`, { signal });
  const body = parseJson(await answer.text());
  const isAmuse = isRecord(body) && isRecord(body["player"]) && "hasSong" in body["player"];
  if (answer.status !== 200 || !isAmuse) return undefined;
  const { song, isPlaying } = fromAmuse(body);
  const title = textOf(song?.["title"]);
  if (title === undefined) return { settings: { url }, track: null };
  const artist = textOf(song?.["artist"]) ?? "";
  return { settings: { url }, track: { title, artist, state: isPlaying ? "playing" : "paused" } };
}

async function findApi(
  url: string,
  { signal }: Search,
  upstream: Upstream,
): Promise<FoundPlayer | undefined> {
  const { status } = await upstream.fetch(`${url}/api/v1/song`, { signal });
  return status === 401 ? { settings: { url }, needs: "token" } : undefined;
}
