import type { ConnectionReading } from "../../channels/channel-view.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import type { Inbox } from "../../ingest/inbox.ts";
import { Html } from "../../jsx.ts";
import { artistNames } from "../../playback.ts";
import { type ConnectedMusic, labelOf } from "../../sources/connected-music.ts";
import { isPushed } from "../../sources/source.ts";
import { shownReason } from "./shown-reason.ts";
import type { DashboardRequest } from "../request.ts";
import { describeStatus } from "./status-words.ts";
import type { Parts } from "../../http/parts.ts";
import { Status } from "../../html/parts.tsx";

export interface LivePartDeps extends Pick<Parts, "clock"> {
  readonly inbox: Pick<Inbox, "postOf">;
}

type Reader = Pick<DashboardRequest, "language" | "words">;

export interface LivePartProps {
  readonly deps: LivePartDeps;
  readonly reader: Reader;
  readonly music: ConnectedMusic;
  /** All of the user's connections, and what each of those that are watched reports. */
  readonly all: readonly ConnectedMusic[];
  readonly readings: readonly ConnectionReading[];
}

/** The part of a connection's open row that changes while the page is open. It has no controls. */
export function LivePart({ deps, reader, music, all, readings }: LivePartProps): JSX.Element {
  const { connection, source, stored } = music;
  const { tone, text } = describeStatus(music, reader.language, deps.clock.wallMs());
  const own = readings.find(({ connectionId }) => connectionId === connection.id);
  return (
    <>
      {isPushed(source) && stored.usable ? (
        <Received deps={deps} reader={reader} connection={connection} />
      ) : (
        // What is wrong stands in the row.
        tone === "good" && <Status tone={tone} text={text} />
      )}
      {own !== undefined && <Reported reader={reader} own={own} all={all} readings={readings} />}
    </>
  );
}

/** What a connection's row says when it is folded: a dot, and the song or what is wrong. */
export function RowPart({ deps, reader, music, readings }: LivePartProps): JSX.Element {
  const { connection } = music;
  const own = readings.find(({ connectionId }) => connectionId === connection.id);
  const { tone, text } = rowState(deps, reader, music, own?.playback);
  return (
    <>
      <span class={`status ${tone}`}>
        <span dir="auto" safe>
          {text}
        </span>
      </span>
      {own?.isShown && own.playback ? (
        <span class="tag" safe>
          {reader.words.dashboard.music.shown}
        </span>
      ) : (
        ""
      )}
    </>
  );
}

function rowState(
  { clock, inbox }: LivePartDeps,
  { language, words }: Reader,
  music: ConnectedMusic,
  playback: ConnectionReading["playback"],
) {
  const { music: t } = words.dashboard;
  const { tone, text } = describeStatus(music, language, clock.wallMs());
  if (tone !== "good") return { tone, text };
  const { connection, source } = music;
  const post = isPushed(source) ? inbox.postOf(connection.id) : undefined;
  const warning = post?.refusal ? "warn" : undefined;
  if (playback) {
    const track = trackText(playback.track.title, artistNames(playback));
    const isPlaying = playback.state === "playing";
    return { tone: warning ?? "good", text: isPlaying ? track : fill(t.pausedAt, { track }) };
  }
  if (playback === null && connection.hasWorked) {
    return { tone: warning ?? "good", text: words.widget.nothingPlaying };
  }
  return { tone: warning ?? "idle", text: t.waiting };
}

interface ReceivedProps {
  readonly deps: LivePartDeps;
  readonly reader: Reader;
  readonly connection: ConnectedMusic["connection"];
}

/** When the last message came, and why it was refused if it was. */
function Received({ deps, reader, connection }: ReceivedProps): JSX.Element {
  const { inbox: t } = reader.words.dashboard.music;
  const { receivedAt, refusal } = deps.inbox.postOf(connection.id);
  const time = (at: number) => formatTime(reader.language, at, deps.clock.wallMs());
  // What was received is kept in memory only.
  const nothing = connection.hasWorked ? t.nothingSinceStart : t.nothing;
  return (
    <>
      <Status
        tone={receivedAt === null ? "idle" : "good"}
        text={receivedAt === null ? nothing : fill(t.received, { time: time(receivedAt) })}
      />
      {refusal !== null && (
        <p class="status warn">
          <span>
            <span safe>{fill(t.refused, { time: time(refusal.at) })}</span>{" "}
            <q lang="en" safe>
              {refusal.reason}
            </q>
          </span>
        </p>
      )}
    </>
  );
}

/** A track in a line. */
export const trackText = (title: string, artist: string): string =>
  [title, artist].filter((part) => part !== "").join(" – ");

interface ReportedProps extends Pick<LivePartProps, "reader" | "all" | "readings"> {
  readonly own: ConnectionReading;
}

/** The names as they were given, and why a connection is shown or not. */
function Reported({ reader, own, all, readings }: ReportedProps): JSX.Element {
  const { music: t } = reader.words.dashboard;
  const { playback } = own;
  if (playback === undefined) return <></>;
  const reason = shownReason(own, readings);
  const shown =
    reason && "shown" in reason
      ? all.find(({ connection }) => connection.id === reason.shown.connectionId)
      : undefined;
  return (
    <>
      {playback?.given !== undefined && (
        <p class="hint" dir="auto" safe>
          {fill(t.titles.asGivenTrack, {
            track: trackText(playback.given.title, artistNames(playback.given)),
          })}
        </p>
      )}
      {reason !== undefined && (
        <p class="hint why" safe>
          {fill(t.why[reason.kind], { source: shown ? labelOf(shown, reader.words) : "" })}
        </p>
      )}
    </>
  );
}
