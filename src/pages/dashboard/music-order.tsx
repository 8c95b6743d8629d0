import type { HeardOfConnection } from "../../channels/channel.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { artistNames } from "../../playback.ts";
import { Form } from "./form.tsx";
import type { DashboardRequest } from "./request.ts";

export interface HeardProps {
  readonly request: DashboardRequest;
  readonly heard: HeardOfConnection | undefined;
}

/** A track in a line. */
export const trackText = (title: string, artist: string): string =>
  [title, artist].filter((part) => part !== "").join(" – ");

/** What a connection hears now, and whether that is shown. */
export function Heard({ request, heard }: HeardProps): JSX.Element {
  const { words } = request;
  const { music: t } = words.dashboard;
  if (heard?.playback === undefined) return <></>;
  const { playback, isShown } = heard;
  const name = playback && trackText(playback.track.title, artistNames(playback));
  return (
    <p class="facts heard">
      {isShown ? (
        <span class="tag" safe>
          {t.shown}
        </span>
      ) : (
        ""
      )}
      <span dir="auto" safe>
        {playback === null
          ? words.widget.nothingPlaying
          : fill(playback.state === "playing" ? t.plays : t.pausedAt, { track: name ?? "" })}
      </span>
    </p>
  );
}

export interface MovesProps {
  readonly request: DashboardRequest;
  /** The connection's public id. */
  readonly target: string;
  readonly label: string;
  /** Its place from 1, and how many there are. */
  readonly position: number;
  readonly count: number;
}

/** Buttons that move a connection in the user's order. */
export function Moves({ request, target, label, position, count }: MovesProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const move = (action: "up" | "down", text: string) => (
    <Form request={request} action={action} target={target} class="move">
      <button type="submit" class="quiet" aria-label={`${text}: ${label}`} safe>
        {text}
      </button>
    </Form>
  );
  return (
    <div class="row-actions">
      {position > 1 ? (move("up", t.up) as "safe") : ""}
      {position < count ? (move("down", t.down) as "safe") : ""}
    </div>
  );
}
