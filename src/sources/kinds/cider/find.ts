import type { FoundPlayer, Search } from "../../here/found.ts";
import { textIn } from "../../../decode-text.ts";
import { isRecord, parseJson, textOf } from "../../../upstream/json.ts";
import { wantsToken } from "./listen.ts";

/** Whether Cider plays or pauses would need a second request. */
export async function find(url: string, { signal, upstreamTo }: Search): Promise<FoundPlayer[]> {
  const answer = await upstreamTo(url).fetch(`${url}/api/v1/playback/now-playing`, { signal });
  const body = parseJson(await textIn(answer));
  if (!isRecord(body)) return [];
  if (wantsToken(body)) return [{ settings: { url }, needs: "token" }];
  const { info } = body;
  if (answer.status !== 200 || !isRecord(info)) return [];
  const title = textOf(info["name"]);
  const artist = textOf(info["artistName"]) ?? "";
  return [{ settings: { url }, track: title === undefined ? null : { title, artist } }];
}
