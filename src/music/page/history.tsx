import type { HistoryChoice } from "../history.ts";
import { clearHistory, keepHistory, PERIOD_NAMES } from "../history-actions.ts";
import type { KeptSong } from "../kept-song.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { artistNames } from "../../playback.ts";
import { clockText } from "../../../widget/view.ts";
import { ActionForm, ConfirmedAction, formOf, TickInput } from "../../dashboard/action-form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import {
  createReadSetList,
  createSetListFile,
  MOST_ON_PAGE,
  SetList,
  type SetListDeps,
} from "./set-list.tsx";

const SONGS_A_PAGE = 50;

/** The page of the songs that were played: what is kept, the stream's set list, and the songs. */
export function createSection(deps: SetListDeps): Section {
  const { accounts, clock } = deps;
  const { history } = accounts;
  const readSetList = createReadSetList(deps);

  return {
    files: { "set-list": createSetListFile(deps) },
    async show(request) {
      const { words, user, query } = request;
      deps.hub.countSongs(user.id);
      const choice = history.of(user.id);
      const count = await history.countOf(user);
      const pages = Math.max(1, Math.ceil(count / SONGS_A_PAGE));
      const page = Math.min(pages, Math.max(1, Math.trunc(Number(query.get("page"))) || 1));
      const skip = (page - 1) * SONGS_A_PAGE;
      const songs = await history.songsOf(user, { most: SONGS_A_PAGE, skip });
      const nowMs = clock.wallMs();
      return dashboardPage({
        request,
        title: words.dashboard.sections.history,
        lead: words.history.lead,
        children: (
          <>
            <Choice request={request} choice={choice} />
            {choice.keeps !== null && (
              <>
                <SetList
                  request={request}
                  choice={choice}
                  list={await readSetList(user, MOST_ON_PAGE)}
                  nowMs={nowMs}
                />
                <Songs request={request} songs={songs} page={page} pages={pages} nowMs={nowMs} />
              </>
            )}
          </>
        ),
      });
    },
  };
}

interface ChoiceProps {
  readonly request: DashboardRequest;
  readonly choice: HistoryChoice;
}

function Choice({ request, choice: { keeps, followsStreams } }: ChoiceProps): JSX.Element {
  const { history: t } = request.words;
  const form = formOf(request, keepHistory);
  return (
    <section>
      <h2 safe>{t.keepTitle}</h2>
      <p class={`status ${keeps === null ? "idle" : "good"}`} safe>
        {keeps === null ? t.off : t.kept[keeps]}
      </p>
      <p class="hint" safe>
        {t.limits}
      </p>
      <ActionForm form={form} class="form wide">
        <>
          <fieldset class="periods">
            <legend safe>{t.keepFor}</legend>
            {(["off", ...PERIOD_NAMES] as const).map((period) => (
              <label class="ticked">
                <input
                  type="radio"
                  name="time"
                  value={period}
                  {...(period === (keeps ?? "off") && { checked: true })}
                />
                <span safe>{t.periods[period]}</span>
              </label>
            ))}
          </fieldset>
          <p class="hint" safe>
            {t.shorter}
          </p>
          <TickInput
            form={form}
            name="streams"
            label={t.streams}
            hint={t.streamsHint}
            isOn={followsStreams}
          />
          <button type="submit" safe>
            {t.save}
          </button>
        </>
      </ActionForm>
    </section>
  );
}

interface SongsProps {
  readonly request: DashboardRequest;
  readonly songs: readonly KeptSong[];
  readonly page: number;
  readonly pages: number;
  readonly nowMs: number;
}

function Songs({ request, songs, page, pages, nowMs }: SongsProps): JSX.Element {
  const { history: t } = request.words;
  const path = pathTo(request, "history");
  if (songs.length === 0) {
    return (
      <section>
        <h2 safe>{t.songs}</h2>
        <p safe>{t.none}</p>
      </section>
    );
  }
  return (
    <section>
      <h2 safe>{t.songs}</h2>
      <ol class="played-songs">
        {songs.map((song) => (
          <SongRow request={request} song={song} nowMs={nowMs} />
        ))}
      </ol>
      {pages > 1 && (
        <nav class="actions" aria-label={t.songs}>
          {page > 1 && (
            <a class="button quiet" rel="prev" href={`${path}?page=${page - 1}`} safe>
              {t.newer}
            </a>
          )}
          {page < pages && (
            <a class="button quiet" rel="next" href={`${path}?page=${page + 1}`} safe>
              {t.older}
            </a>
          )}
        </nav>
      )}
      <ConfirmedAction
        form={formOf(request, clearHistory)}
        label={t.clear}
        consequence={t.clearText}
        go={t.clearGo}
      />
    </section>
  );
}

function SongRow({
  request: { basePath, language, words },
  song,
  nowMs,
}: Pick<SongsProps, "request" | "nowMs"> & { readonly song: KeptSong }): JSX.Element {
  const { coverPath, startedAt, playedMs, track } = song;
  return (
    <li>
      <span class="sleeve">
        {coverPath !== null && (
          <img
            src={`${basePath}${coverPath}/256.webp`}
            alt=""
            width="48"
            height="48"
            loading="lazy"
          />
        )}
      </span>
      <span class="song">
        <strong dir="auto" safe>
          {track.title}
        </strong>
        <span dir="auto" safe>
          {artistNames(song)}
        </span>
      </span>
      <span class="when">
        <time datetime={new Date(startedAt).toISOString()} safe>
          {formatTime(language, startedAt, nowMs)}
        </time>
        <span safe>{fill(words.history.playedFor, { time: clockText(playedMs) })}</span>
      </span>
    </li>
  );
}
