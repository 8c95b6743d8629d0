import { addressOf, parseServerUrl, readTexts, urlOption } from "../entered-server.ts";
import { isRecord, recordsOf, textOf, UnreadableAnswer, jsonIn } from "../../upstream/json.ts";
import {
  definePolledSource,
  type PolledSourceDeps,
  textOf200,
  type Track,
} from "../polling/polled-source.ts";
import { splitStreamTitle } from "../stream-title.ts";
import { type Source, wrongOption } from "../source.ts";

/** An Icecast server's stream: https://icecast.org/docs/icecast-latest/server-stats.html */

const NAME = "Icecast";
const DEFAULT_URL = "http://127.0.0.1:8000";

export function createIcecast(deps: PolledSourceDeps): Source {
  return definePolledSource<{ url: string; mount: string }>(
    {
      id: "icecast",
      name: NAME,
      facts: {
        runs: "server",
        position: "no",
        pause: "no",
        cover: "no",
        volume: "no",
        delayMs: 5_000,
        calls: ["entered"],
      },
      intervalMs: 5_000,
      options: [
        urlOption("Where Icecast is.", DEFAULT_URL),
        {
          name: "mount",
          placeholder: "/live",
          help: "The stream's mount point; without it, the first stream with a title.",
        },
      ],
      parseSettings(input) {
        const { url, mount } = readTexts(input, ["url", "mount"]);
        if (mount !== "" && !/^\/[^\s?#]*$/.test(mount)) {
          throw wrongOption("mount", "must start with a slash, such as /live.");
        }
        return { url: parseServerUrl(url || DEFAULT_URL), mount };
      },
      account: () => ({ displayName: NAME, product: null }),
      addressOf,
      urlOf: ({ url }) => url,
      begin({ mount }, { url, get, withoutPosition }) {
        return async () => {
          const track = readStatus(textOf200(await get(`${url}/status-json.xsl`)), mount);
          return track && withoutPosition(track);
        };
      },
    },
    deps,
  );
}

/** The stream's track; `null` when nobody broadcasts. */
function readStatus(text: string, mount: string): Track | null {
  const answer = jsonIn(repaired(text));
  const stats = isRecord(answer) ? answer["icestats"] : undefined;
  if (!isRecord(stats)) throw new UnreadableAnswer("the answer is not Icecast's");
  const streams = recordsOf(stats["source"]).filter(({ listenurl }) => listenurl !== undefined);
  const stream =
    mount === ""
      ? (streams.find(titleOf) ?? streams[0])
      : streams.find((one) => mountOf(one) === mount);
  if (stream === undefined) return null;
  const station = textOf(stream["server_name"]);
  const onAir = titleOf(stream) ?? station ?? mountOf(stream);
  const { artist = textOf(stream["artist"]) ?? station, title } = splitStreamTitle(onAir);
  return {
    source: NAME,
    track: { id: `${mountOf(stream)} ${onAir}`, title, durationMs: null, explicit: false },
    artists: artist === undefined || artist === title ? [] : [artist],
    namesFrom: { origin: "upload", text: onAir },
    album: { name: station ?? "", artworks: [] },
    device: { name: station ?? NAME, type: "icecast", volumePercent: null },
  };
}

/** The title; `undefined` for the lone dash that stands between an empty artist and title. */
const titleOf = ({ title }: Record<string, unknown>): string | undefined =>
  textOf(textOf(title)?.replace(/^[\s-]+$/, ""));

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
