import type { FoundPlayer, Search } from "../../here/found.ts";
import { textIn } from "../../../decode-text.ts";
import { isRecord, parseJson, textOf } from "../../../upstream/json.ts";
import { fromAmuse } from "./listen.ts";

/** Amuse needs no token; if it is not switched on, the API server is found, which needs one. */
export async function find(
  urls: { readonly amuse: string; readonly api: string },
  search: Search,
): Promise<FoundPlayer[]> {
  const [amuse, api] = await Promise.all([
    findAmuse(urls.amuse, search).catch(() => undefined),
    findApi(urls.api, search).catch(() => undefined),
  ]);
  if (amuse) return [{ ...amuse, otherSettings: { url: urls.api } }];
  return api ? [{ ...api, otherSettings: { url: urls.amuse } }] : [];
}

async function findAmuse(
  url: string,
  { clock, signal, upstreamTo }: Search,
): Promise<FoundPlayer | undefined> {
  const answer = await upstreamTo(url).fetch(`${url}/query`, { signal });
  const body = parseJson(await textIn(answer));
  const isAmuse = isRecord(body) && isRecord(body["player"]) && "hasSong" in body["player"];
  if (answer.status !== 200 || !isAmuse) return undefined;
  const { song, isPlaying } = fromAmuse(body, clock.monotonicMs());
  const title = textOf(song?.["title"]);
  if (title === undefined) return { settings: { url }, track: null };
  const artist = textOf(song?.["artist"]) ?? "";
  return { settings: { url }, track: { title, artist, state: isPlaying ? "playing" : "paused" } };
}

async function findApi(
  url: string,
  { signal, upstreamTo }: Search,
): Promise<FoundPlayer | undefined> {
  const { status } = await upstreamTo(url).fetch(`${url}/api/v1/song`, { signal });
  return status === 401 ? { settings: { url }, needs: "token" } : undefined;
}
