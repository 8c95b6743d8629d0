import type { Artwork, Playback } from "../playback.ts";
import {
  addressOf,
  parseServerUrl,
  passwordOption,
  readTexts,
  urlOption,
  userOption,
} from "./entered-server.ts";
import { isRecord, numberOf, recordOf, recordsOf, textOf } from "./json.ts";
import {
  type Answer,
  definePolledSource,
  jsonIn,
  jsonOf,
  type PolledSourceDeps,
  type Polling,
  type Track,
  unauthorized,
  unavailable,
} from "./polling/polled-source.ts";
import { type Source, SourceSettingsError } from "./source.ts";

/** Servers with the Subsonic API, such as Navidrome: https://opensubsonic.netlify.app/docs/ */

interface SubsonicSettings {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

const NAME = "Subsonic";
const DEFAULT_URL = "http://127.0.0.1:4533";
/** Error codes: https://opensubsonic.netlify.app/docs/responses/error/ */
const PARAMETER_MISSING = 10;
const WRONG_CREDENTIALS = 40;
const NO_TOKENS = 41;
const NOT_ALLOWED = 50;
/** A track whose length is unknown is believed to play this long. */
const USUAL_LENGTH_S = 600;

export function createSubsonic(deps: PolledSourceDeps): Source {
  return definePolledSource<SubsonicSettings>(
    {
      id: "subsonic",
      name: NAME,
      intervalMs: 5_000,
      options: [
        urlOption("Where your music server is.", DEFAULT_URL),
        userOption("Your user name on the music server."),
        passwordOption("Your password on the music server."),
      ],
      parseSettings(input) {
        const { url, user, password } = readTexts(input, ["url", "user", "password"]);
        if (user === "") throw new SourceSettingsError("user: must be your name on the server.");
        return { url: parseServerUrl(url || DEFAULT_URL), user, password };
      },
      account: ({ user }) => ({ displayName: user, product: null }),
      addressOf,
      urlOf: ({ url }) => url,
      begin(settings, polling) {
        let credentials = saltedToken;
        const addressTo = (method: string, parameters: Readonly<Record<string, string>> = {}) =>
          `${settings.url}/rest/${method}?${new URLSearchParams({
            u: settings.user,
            ...credentials(settings.password),
            v: "1.16.1",
            c: "Marquee",
            f: "json",
            ...parameters,
          })}`;
        const ask = async () => {
          const answer = await polling.get(addressTo("getNowPlaying"));
          return { answer, code: errorCodeIn(answer) };
        };
        return async () => {
          let { answer, code } = await ask();
          // Some servers, such as supysonic, take only the password itself.
          if ((code === NO_TOKENS || code === PARAMETER_MISSING) && credentials === saltedToken) {
            credentials = encodedPassword;
            ({ answer, code } = await ask());
          }
          return readNowPlaying(answer, code, settings.user, {
            ...polling,
            coverOf: (id) => polling.artwork(id, addressTo("getCoverArt", { id, size: "640" })),
          });
        };
      },
    },
    deps,
  );
}

function saltedToken(password: string): Record<string, string> {
  const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString("base64url");
  const token = new Bun.CryptoHasher("md5").update(password + salt).digest("hex");
  return { t: token, s: salt };
}

const encodedPassword = (password: string): Record<string, string> => ({
  p: `enc:${Buffer.from(password).toString("hex")}`,
});

/** Errors come with status 200 or another one, depending on the server. */
function errorCodeIn({ text }: Answer): number | undefined {
  const body = jsonIn(text);
  const response = isRecord(body) ? body["subsonic-response"] : undefined;
  if (!isRecord(response) || response["status"] !== "failed") return undefined;
  return (isRecord(response["error"]) ? numberOf(response["error"]["code"]) : undefined) ?? 0;
}

function readNowPlaying(
  answer: Answer,
  code: number | undefined,
  user: string,
  context: Pick<Polling, "withoutPosition"> & { coverOf(id: string): Artwork },
): Playback | null {
  const { from } = answer;
  if (code !== undefined) {
    const refused = [WRONG_CREDENTIALS, NO_TOKENS, PARAMETER_MISSING, NOT_ALLOWED].includes(code);
    throw refused
      ? unauthorized(`${from} refuses the user name or the password (error ${code})`)
      : unavailable(`${from} does not tell what is playing (error ${code})`);
  }
  const body = recordOf(jsonOf(answer), "the answer");
  const response = recordOf(body["subsonic-response"], "subsonic-response");
  const { nowPlaying } = response;
  const entries = recordsOf(isRecord(nowPlaying) ? nowPlaying["entry"] : undefined).filter(
    (entry) =>
      textOf(entry["username"])?.toLowerCase() === user.toLowerCase() && isStillPlaying(entry),
  );
  // A user may have several players: a playing one counts, then the one that was heard last.
  const [entry] = entries.toSorted(
    (a, b) => Number(isPaused(a)) - Number(isPaused(b)) || minutesAgo(a) - minutesAgo(b),
  );
  return entry === undefined ? null : readEntry(entry, answer.observedAtMs, context);
}

function readEntry(
  entry: Record<string, unknown>,
  observedAtMs: number,
  { withoutPosition, coverOf }: Parameters<typeof readNowPlaying>[3],
): Playback {
  const durationS = numberOf(entry["duration"]) ?? 0;
  const durationMs = durationS > 0 ? Math.round(durationS * 1000) : null;
  const names = recordsOf(entry["artists"]).map(({ name }) => textOf(name));
  const artist = textOf(entry["displayArtist"]) ?? textOf(entry["artist"]);
  const cover = textOf(entry["coverArt"]);
  const track: Track = {
    source: NAME,
    track: {
      id: textOf(entry["id"]) ?? "",
      title: textOf(entry["title"]) ?? "",
      durationMs,
      explicit: entry["explicitStatus"] === "explicit",
    },
    artists: (names.length > 0 ? names : [artist]).filter((name) => name !== undefined),
    album: {
      name: textOf(entry["album"]) ?? "",
      artworks: cover === undefined ? [] : [coverOf(cover)],
    },
    device: {
      name: textOf(entry["playerName"]) ?? NAME,
      type: "subsonic",
      volumePercent: null,
    },
  };
  // Only servers with the extension `playbackReport` tell the position.
  const positionMs = numberOf(entry["positionMs"]);
  if (positionMs === undefined || textOf(entry["state"]) === undefined) {
    return withoutPosition(track);
  }
  const rate = numberOf(entry["playbackRate"]) ?? 1;
  return {
    ...track,
    state: isPaused(entry) ? "paused" : "playing",
    positionMs: Math.min(Math.max(0, positionMs), durationMs ?? Number.MAX_SAFE_INTEGER),
    observedAtMs,
    rate: rate > 0 ? rate : 1,
  };
}

const isPaused = (entry: Record<string, unknown>): boolean => entry["state"] === "paused";

const minutesAgo = (entry: Record<string, unknown>): number => numberOf(entry["minutesAgo"]) ?? 0;

/** Servers without `playbackReport` list a track for minutes after its end. */
function isStillPlaying(entry: Record<string, unknown>): boolean {
  const { state, duration } = entry;
  if (textOf(state) !== undefined) return state !== "stopped";
  const lengthS = numberOf(duration) || USUAL_LENGTH_S;
  return minutesAgo(entry) * 60 <= lengthS * 1.05 + 60;
}
