import { nameOfAddress } from "../../../address-name.ts";
import { decodeText } from "../../../decode-text.ts";
import { hostOf } from "../../../ip-address.ts";
import type { Playback } from "../../../playback.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import { UnreadableAnswer } from "../../../upstream/json.ts";
import { MOST_REDIRECTS, redirectOf } from "../../../upstream/redirects.ts";
import type { UpstreamStream } from "../../../upstream/stream.ts";
import { statusFailure } from "../../answer-failure.ts";
import { SourceFailure, type WatchContext } from "../../source.ts";
import { type ByteBudget, createByteBudget } from "../../streams/byte-budget.ts";
import { createIcyReader } from "../../streams/icy.ts";
import { createOggReader, isOgg } from "../../streams/ogg.ts";
import { firstSeen, onAirTrack } from "../../track.ts";
import { mayBeEnteredByAll, RADIO, type RadioDeps } from "./settings.ts";
import { entryOf, isPlaylist, LARGEST_PLAYLIST_BYTES } from "./playlist.ts";

/** A server that sends no audio for this long is gone. */
const SILENCE_MS = 15_000;
/** Names may change so often, however many of them arrive; meanwhile the audio waits. */
const SHORTEST_SHOWN_MS = 1_000;

/** What is said of the song, before it is read. */
interface Said {
  readonly title: string;
  readonly artist?: string;
  readonly album?: string;
  readonly isAdvertisement?: boolean;
}

/** Listens as one listener does, and passes over the audio. */
export async function* listen(
  { url }: { readonly url: string },
  deps: RadioDeps,
  context: WatchContext,
): AsyncGenerator<Playback | null, void> {
  const { clock, signal } = context;
  const { stream, at } = await openAudio(new URL(url), deps, signal);
  try {
    const station = stream.headers.get("icy-name") ?? stream.headers.get("ice-name") ?? "";
    const spend = budgetOf(stream.headers, clock.monotonicMs());
    const parts = { station, place: nameOfAddress(at.href) };
    let read: ((bytes: Uint8Array) => Said | undefined) | undefined;
    let shown: string | undefined;
    for (;;) {
      const bytes = await stream.read();
      if (!bytes) throw new UpstreamError(`${at.origin}${at.pathname} ended the stream`);
      read ??= readerOf(stream.headers, bytes);
      const said = read(bytes);
      const saying = JSON.stringify(said);
      if (said && saying !== shown) {
        shown = saying;
        yield playbackOf(said, parts, clock.monotonicMs());
        await clock.sleep(SHORTEST_SHOWN_MS, signal);
      }
      const waitMs = spend(bytes.length, clock.monotonicMs());
      if (waitMs > 0) await clock.sleep(waitMs, signal);
    }
  } finally {
    stream.close();
  }
}

/** Follows redirects and playlists to the audio; each address on the way is judged as one that is entered. */
async function openAudio(
  entered: URL,
  { playerHosts, upstreamOf }: RadioDeps,
  signal: AbortSignal,
): Promise<{ readonly stream: UpstreamStream; readonly at: URL }> {
  const allowed = [...playerHosts, ...(mayBeEnteredByAll(entered) ? [] : [hostOf(entered)])];
  let at = entered;
  for (let step = 0; step <= MOST_REDIRECTS; step += 1) {
    const origins = allowed.includes(hostOf(at)) ? [at.origin] : [];
    const upstream = upstreamOf(origins, entered.protocol === "http:");
    const headers = { "Icy-MetaData": "1", Accept: "*/*" };
    const stream = await upstream.openStream(at, { headers, signal, silenceMs: SILENCE_MS });
    const next = redirectOf(at, stream, () => true) ?? (await listedIn(stream, at));
    if (!next && stream.status === 200 && !isPage(stream.headers)) return { stream, at };
    stream.close();
    if (!next) throw withoutAudio(at, stream);
    at = next;
  }
  throw new UpstreamError(`${entered.origin}${entered.pathname} leads on too often`);
}

/** What an answer that neither is audio nor leads to it means. */
function withoutAudio({ origin, pathname }: URL, answer: UpstreamStream): Error {
  const place = `${origin}${pathname}`;
  if (answer.status === 200) {
    return offAir(`${place} is a page: enter the address of the stream itself`);
  }
  return saysOffAir(answer)
    ? offAir(`${place} has no stream (${answer.status}): the station may be off the air`)
    : statusFailure(place, answer.status);
}

const offAir = (message: string): SourceFailure =>
  new SourceFailure({ kind: "unavailable", reason: "offAir" }, message);

/** SHOUTcast says so by `ICY 401 Service Unavailable`; other servers ask for a password by this status. */
const saysOffAir = ({ status, headers }: UpstreamStream): boolean =>
  status === 404 || status === 410 || (status === 401 && !headers.has("www-authenticate"));

/** Whether an answer is a web page. A server of audio that calls it one names the station. */
const isPage = (headers: Headers): boolean =>
  /^(?:text\/html|application\/xhtml)/i.test(headers.get("content-type") ?? "") &&
  !headers.has("icy-name") &&
  !headers.has("icy-metaint");

/** The address that an answer lists if it is a playlist. */
async function listedIn(stream: UpstreamStream, at: URL): Promise<URL | undefined> {
  if (stream.status !== 200 || !isPlaylist(at, stream.headers)) return undefined;
  const parts: Uint8Array[] = [];
  for (let left = LARGEST_PLAYLIST_BYTES; left > 0;) {
    const bytes = await stream.read();
    if (!bytes) break;
    parts.push(bytes);
    left -= bytes.length;
  }
  const entry = entryOf(decodeText(Buffer.concat(parts)), at);
  if (entry) return entry;
  stream.close();
  throw new UnreadableAnswer(
    `${at.origin}${at.pathname} lists no stream that names its songs: HLS does not`,
  );
}

/** How the audio's names are read; where it has none, the station alone is named. */
function readerOf(headers: Headers, first: Uint8Array): (bytes: Uint8Array) => Said | undefined {
  const interval = Number(headers.get("icy-metaint"));
  if (Number.isSafeInteger(interval) && interval > 0) {
    const readIcy = createIcyReader(interval);
    return (bytes) => readIcy(bytes).at(-1);
  }
  const isNamedOgg = /\bogg\b/i.test(headers.get("content-type") ?? "");
  return isNamedOgg || isOgg(first) ? createOggReader() : () => ({ title: "" });
}

function playbackOf(
  { title, artist, album, isAdvertisement }: Said,
  { station, place }: { readonly station: string; readonly place: string },
  nowMs: number,
): Playback | null {
  const onAir = readOnAir({ text: title, artist, station, otherwise: place });
  if (onAir === null || isAdvertisement) return null;
  return firstSeen(onAirTrack(onAir, RADIO, { album }), nowMs);
}

/** Servers send some seconds at once to whoever begins to listen. */
const BURST_BYTES = 1024 * 1024;
/** No radio sends more. One that says less than the least may be wrong. */
const KBIT_PER_SECOND = { least: 320, most: 4_000 };
/** A listener reads a stream that comes in time, and no more. */
const SHARE = 1.5;

/** Half as many bytes again as a stream has. */
function budgetOf(headers: Headers, startedAtMs: number): ByteBudget {
  const said = Number.parseInt(headers.get("icy-br") ?? headers.get("ice-bitrate") ?? "", 10);
  const { least, most } = KBIT_PER_SECOND;
  const kbit = Number.isNaN(said) ? most : Math.min(Math.max(said, least), most);
  return createByteBudget({ kbitPerSecond: kbit * SHARE, burst: BURST_BYTES }, startedAtMs);
}
