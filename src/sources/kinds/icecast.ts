import { decodedPath, nameOfAddress } from "../../address-name.ts";
import { matching } from "../../field.ts";
import { addressOf, urlOption } from "../entered-server.ts";
import { jsonIn } from "../../decode-text.ts";
import { isRecord, recordsOf, textOf, UnreadableAnswer } from "../../upstream/json.ts";
import { textOf200 } from "../asked-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../polling/polled-source.ts";
import { firstSeen, onAirTrack, type Track } from "../track.ts";
import type { Source } from "../source.ts";
import { readOnAir } from "../../titles/on-air.ts";
import { saysSomething } from "../../titles/text.ts";

/** An Icecast server's stream: https://icecast.org/docs/icecast-latest/server-stats.html */

const ICECAST = { id: "icecast", name: "Icecast" } as const;
const DEFAULT_URL = "http://127.0.0.1:8000";

export const createIcecast = (deps: PolledSourceDeps): Source =>
  definePolledSource({
    deps,
    ...ICECAST,
    facts: {
      runs: "server",
      delayMs: 5_000,
      calls: ["entered"],
    },
    intervalMs: 5_000,
    options: {
      url: urlOption("Where Icecast is.", DEFAULT_URL),
      mount: {
        placeholder: "/live",
        help: "The stream's mount point; without it, the first stream with a title.",
        fallback: "",
        ...matching(/^\/[^\s?#]*$/, "a mount point that starts with a slash, such as /live"),
      },
    },
    account: () => ({ displayName: ICECAST.name }),
    addressOf,
    urlOf: ({ url }) => url,
    begin({ mount }, { get }) {
      return async () => {
        const answer = await get("/status-json.xsl");
        const track = readStatus(textOf200(answer), mount);
        return track && firstSeen(track, answer.observedAtMs);
      };
    },
  });

/** The stream's track; `null` when nobody broadcasts, and for an advertisement. */
function readStatus(text: string, mount: string): Track | null {
  const answer = jsonIn(repaired(text));
  const stats = isRecord(answer) ? answer["icestats"] : undefined;
  if (!isRecord(stats)) throw new UnreadableAnswer("the answer is not Icecast's");
  const streams = recordsOf(stats["source"]).filter(({ listenurl }) => listenurl !== undefined);
  const stream =
    mount === ""
      ? (streams.find(({ title }) => saysSomething(textOf(title) ?? "")) ?? streams[0])
      : streams.find((one) => decodedPath(mountOf(one)) === decodedPath(mount));
  if (stream === undefined) return null;
  const [title, station, artist] = ["title", "server_name", "artist"].map((name) =>
    textOf(stream[name]),
  );
  const onAir = readOnAir({
    text: title,
    station,
    artist,
    otherwise: nameOfAddress(mountOf(stream)),
  });
  return onAir && onAirTrack(onAir, ICECAST, { id: `${mountOf(stream)} ${onAir.song}` });
}

/** The path of the stream's address. */
function mountOf({ listenurl }: Record<string, unknown>): string {
  return URL.parse(textOf(listenurl) ?? "")?.pathname ?? "/";
}

/**
 * Icecast 2.4 sends titles such as `1979`, `.5` and `-` without quotation marks, which changes them
 * or is not even JSON: everything bare is quoted. Before the first broadcast it forgets a brace.
 * https://github.com/xiph/Icecast-Server/issues/34 and https://github.com/xiph/Icecast-Server/issues/38
 */
function repaired(text: string): string {
  return text
    .replace(/^\s*\{\s*"icestats"\s*:\s*(?=")/, '{"icestats":{')
    .replace(/"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+/gs, (word) =>
      word.startsWith('"') || /^(true|false|null)$/.test(word) ? word : JSON.stringify(word),
    );
}
