import type { DashboardRequest } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";
import { Html } from "../../jsx.ts";
import { lineOf, lineValuesOf } from "../../outputs/line.ts";
import { readTextOptions } from "../../outputs/options.ts";
import { testTrack } from "../../outputs/test-track.ts";
import { lineWords, USUAL_MOST } from "../../outputs/text.ts";

/** The two ways to answer in a chat: Marquee itself, or a bot that asks it. */
export const WAYS = ["twitch", "bot"] as const;
export type Way = (typeof WAYS)[number];

/** The query of the page of a way. */
export const queryOfWay = (way: Way): string => `with=${way}`;

interface WaysProps {
  readonly request: DashboardRequest;
  readonly chosen: Way;
}

/** The choice between the two ways. */
export function Ways({ request, chosen }: WaysProps): JSX.Element {
  const { ways: t } = request.words.dashboard.chat;
  const path = pathTo(request, "chat");
  return (
    <nav class="chat-ways" aria-label={t.label}>
      {WAYS.map((way) => (
        <a href={`${path}?${queryOfWay(way)}`} {...(way === chosen && { "aria-current": "true" })}>
          <strong safe>{t[way].title}</strong>
          <span safe>{t[way].text}</span>
        </a>
      ))}
    </nav>
  );
}

/** A question in a chat and its answer, with what plays now or an invented song. */
export function Sample({
  request: { user, words, language },
  deps: { accounts, hub, clock },
}: {
  readonly request: DashboardRequest;
  readonly deps: Pick<Parts, "accounts" | "hub" | "clock">;
}): JSX.Element {
  const nowMs = clock.monotonicMs();
  const reading = hub.peek(user.id);
  const playback = reading?.kind === "playback" ? reading.playback : testTrack(words, nowMs);
  const text = accounts.widgets.allOf(user).find(({ kind }) => kind === "text");
  const line = lineOf(
    lineValuesOf({ kind: "playback", playback, connectionId: undefined }, nowMs),
    {
      options: readTextOptions(text?.options ?? {}),
      words: lineWords(text?.language ?? language),
      most: USUAL_MOST,
    },
  );
  return (
    <div class="chat-sample">
      <p>!song</p>
      <p dir="auto" safe>
        {line}
      </p>
    </div>
  );
}
