import { PLAYER_PATH, readPlayer } from "./player.ts";
import { type FoundPlayer, type Search, trackOf } from "../../here/found.ts";
import { textIn } from "../../../decode-text.ts";
import { parseJson } from "../../../upstream/json.ts";

/** Beefweb names itself where it asks for a password (its server/basic_auth_filter.cpp). */
export async function find(
  url: string,
  { clock, signal, upstreamTo }: Search,
): Promise<FoundPlayer[]> {
  const answer = await upstreamTo(url).fetch(url + PLAYER_PATH, { signal });
  const { status, headers } = answer;
  if (status === 401 && /realm="beefweb/i.test(headers.get("www-authenticate") ?? "")) {
    return [{ settings: { url }, needs: "password" }];
  }
  if (status !== 200) return [];
  const playback = readPlayer(parseJson(await textIn(answer)), clock.monotonicMs());
  // The plug-in is known by the name of its player.
  const name = playback && { name: playback.device.name };
  return [{ ...name, settings: { url }, track: trackOf(playback) }];
}
