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

/** The part of a connection's card that changes while the page is open. It has no controls. */
export function LivePart({ deps, reader, music, all, readings }: LivePartProps): JSX.Element {
  const { connection, source, stored } = music;
  const { tone, text } = describeStatus(music, reader.language, deps.clock.wallMs());
  const own = readings.find(({ connectionId }) => connectionId === connection.id);
  return (
    <>
      {isPushed(source) && stored.usable ? (
        <Received deps={deps} reader={reader} connection={connection} />
      ) : (
        <p class={`status ${tone}`} safe>
          {text}
        </p>
      )}
      {own !== undefined && <Reported reader={reader} own={own} all={all} readings={readings} />}
    </>
  );
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
      <p class={`status ${receivedAt === null ? "idle" : "good"}`} safe>
        {receivedAt === null ? nothing : fill(t.received, { time: time(receivedAt) })}
      </p>
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

/** What a connection reports now, whether that is shown, and why. */
function Reported({ reader, own, all, readings }: ReportedProps): JSX.Element {
  const { dashboard, widget } = reader.words;
  const { music: t } = dashboard;
  const { playback, isShown } = own;
  if (playback === undefined) return <></>;
  const name = playback && trackText(playback.track.title, artistNames(playback));
  const reason = shownReason(own, readings);
  const shown =
    reason && "shown" in reason
      ? all.find(({ connection }) => connection.id === reason.shown.connectionId)
      : undefined;
  return (
    <>
      <p class="facts reported">
        {isShown && (
          <span class="tag" safe>
            {t.shown}
          </span>
        )}
        <span dir="auto" safe>
          {playback === null
            ? widget.nothingPlaying
            : fill(playback.state === "playing" ? t.plays : t.pausedAt, { track: name ?? "" })}
        </span>
      </p>
      {playback?.given !== undefined && (
        <p class="hint" dir="auto" safe>
          {fill(t.titles.asGivenTrack, {
            track: trackText(playback.given.title, artistNames(playback.given)),
          })}
        </p>
      )}
      {reason !== undefined && (
        <p class="hint why" safe>
          {fill(t.why[reason.kind], { source: shown ? labelOf(shown) : "" })}
        </p>
      )}
    </>
  );
}
