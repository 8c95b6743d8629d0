import type { User } from "../../accounts/users.ts";
import { type HistoryChoice, type Period, PERIODS } from "../../music/history.ts";
import type { KeptSong } from "../../music/kept-song.ts";
import type { Stream } from "../../music/streams.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import {
  asCsv,
  asText,
  chaptersOf,
  LEAST_CHAPTERS,
  LONGEST_SONG_MS,
  type SetListSong,
  setListOf,
} from "../../outputs/set-list.ts";
import { artistNames } from "../../playback.ts";
import { clockText } from "../../../widget/view.ts";
import { Copyable } from "../../html/parts.tsx";
import { ConfirmedAction, Form, Ticked } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest, OfferedFile, Section } from "../request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";

export type HistoryDeps = Pick<Parts, "accounts" | "hub" | "clock" | "budget">;

const SONGS_A_PAGE = 50;
/** The last songs of a stream in its file: two days of them, of three minutes each. */
const MOST_IN_SET_LIST = 1_000;
/** The last songs of a stream on the page: an evening of them. The file has the others, too. */
const MOST_ON_PAGE = 200;
const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];

/** The forms of a set list, with the endings of their files. */
const FORMS = { text: "txt", csv: "csv", chapters: "txt" } as const;
type SetListForm = keyof typeof FORMS;
const FORM_NAMES = Object.keys(FORMS) as readonly SetListForm[];
const formIn = (query: URLSearchParams): SetListForm =>
  FORM_NAMES.find((form) => form === query.get("as")) ?? "text";

/** The page of the songs that were played: what is kept, the stream's set list, and the songs. */
export function createSection(deps: HistoryDeps): Section {
  const { accounts, clock } = deps;
  const { history } = accounts;
  const readSetList = createReadSetList(deps);

  const show = async (request: DashboardRequest): Promise<Response> => {
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
  };

  return {
    show,
    files: { "set-list": createSetListFile(deps) },
    async act(request, form) {
      const { user, words } = request;
      const { history: t } = words;
      switch (fieldOf(form, "do")) {
        case "keep": {
          const chosen = fieldOf(form, "keeps");
          const keeps = PERIOD_NAMES.find((period) => period === chosen) ?? null;
          // Keeping nothing deletes all songs, so a text that is none of the choices does nothing.
          if (keeps === null && form.get("keeps") !== "") return show(request);
          await history.change(user, { keeps, followsStreams: fieldOf(form, "streams") === "1" });
          return { tone: "good", text: keeps === null ? t.savedOff : t.saved };
        }
        case "clear":
          await history.clear(user);
          return { tone: "good", text: t.cleared };
        default:
          return show(request);
      }
    },
  };
}

/** A stream with its songs that the user does not hide. */
interface PlayedStream {
  readonly stream: Stream;
  readonly songs: readonly SetListSong[];
}

/** Reads a user's set list. Whoever asks again meanwhile gets the same one. */
type ReadSetList = (user: User, most: number) => Promise<PlayedStream | undefined>;

function createReadSetList({ accounts: { history }, hub, budget }: HistoryDeps): ReadSetList {
  const read: ReadSetList = async (user, most) => {
    const stream = history.streamOf(user.id);
    if (!stream) return undefined;
    hub.countSongs(user.id);
    const from = stream.startedAt - LONGEST_SONG_MS;
    const range = { from, until: stream.endedAt ?? Infinity, most };
    const songs = await history.shownOf(user, range, () => budget.letOthersIn(user.id));
    return { stream, songs: setListOf(songs, stream) };
  };
  const reading = new Map<string, ReturnType<ReadSetList>>();
  return (user, most) => {
    const name = `${user.id} ${most}`;
    const running = reading.get(name);
    if (running) return running;
    const started = read(user, most).finally(() => reading.delete(name));
    reading.set(name, started);
    return started;
  };
}

const writeSetList = (
  { songs, stream }: PlayedStream,
  form: SetListForm,
  start: string,
): string => {
  if (form === "csv") return asCsv(songs);
  return form === "text" ? asText(songs) : chaptersOf(songs, stream, start).join("\n");
};

/** The set list as a file. */
function createSetListFile(deps: HistoryDeps) {
  const readSetList = createReadSetList(deps);
  return async ({ user, query, words }: DashboardRequest): Promise<OfferedFile> => {
    const form = formIn(query);
    const list = await readSetList(user, MOST_IN_SET_LIST);
    const day = new Date(list?.stream.startedAt ?? deps.clock.wallMs()).toISOString().slice(0, 10);
    const text = list ? writeSetList(list, form, words.history.start) : "";
    return {
      body: form === "csv" || text === "" ? text : `${text}\n`,
      name: `marquee-${form === "chapters" ? "chapters" : "set-list"}-${day}.${FORMS[form]}`,
      type: `text/${form === "csv" ? "csv" : "plain"}; charset=utf-8`,
    };
  };
}

interface PartProps {
  readonly request: DashboardRequest;
  readonly choice: HistoryChoice;
}

function Choice({ request, choice: { keeps, followsStreams } }: PartProps): JSX.Element {
  const { history: t } = request.words;
  return (
    <section>
      <h2 safe>{t.keepTitle}</h2>
      <p class={`status ${keeps === null ? "idle" : "good"}`} safe>
        {keeps === null ? t.off : t.kept[keeps]}
      </p>
      <p class="hint" safe>
        {t.limits}
      </p>
      <Form request={request} action="keep" class="form wide">
        <>
          <fieldset class="periods">
            <legend safe>{t.keepFor}</legend>
            {[null, ...PERIOD_NAMES].map((period) => (
              <label class="ticked">
                <input
                  type="radio"
                  name="keeps"
                  value={period ?? ""}
                  {...(period === keeps && { checked: true })}
                />
                <span safe>{t.periods[period ?? "off"]}</span>
              </label>
            ))}
          </fieldset>
          <p class="hint" safe>
            {t.shorter}
          </p>
          <Ticked id="streams" label={t.streams} hint={t.streamsHint} isOn={followsStreams} />
          <button type="submit" safe>
            {t.save}
          </button>
        </>
      </Form>
    </section>
  );
}

function SetList({
  request,
  choice,
  list,
  nowMs,
}: PartProps & {
  readonly list: PlayedStream | undefined;
  readonly nowMs: number;
}): JSX.Element {
  const { history: t } = request.words;
  return (
    <section class="set-list">
      <h2 safe>{list && list.stream.endedAt !== null ? t.lastStream : t.thisStream}</h2>
      {list ? (
        <PlayedSetList request={request} list={list} nowMs={nowMs} />
      ) : (
        <p safe>{choice.followsStreams ? t.noStream : t.notReported}</p>
      )}
    </section>
  );
}

function PlayedSetList({
  request,
  list,
  nowMs,
}: {
  readonly request: DashboardRequest;
  readonly list: PlayedStream;
  readonly nowMs: number;
}): JSX.Element {
  const { language, words, query } = request;
  const { history: t } = words;
  const { startedAt, endedAt } = list.stream;
  const form = formIn(query);
  const text = writeSetList(list, form, t.start);
  const path = pathTo(request, "history");
  const isTooShort = form === "chapters" && text.split("\n").length < LEAST_CHAPTERS;
  return (
    <>
      <p class={`status ${endedAt === null ? "good" : "idle"}`} safe>
        {endedAt === null
          ? fill(t.since, { time: formatTime(language, startedAt, nowMs) })
          : fill(t.fromTo, {
              from: formatTime(language, startedAt),
              to: formatTime(language, endedAt, startedAt),
            })}
      </p>
      {list.songs.length === 0 ? (
        <p safe>{t.noSongsYet}</p>
      ) : (
        <>
          <nav class="forms" aria-label={t.forms}>
            {FORM_NAMES.map((name) => (
              <a
                href={`${path}?as=${name}`}
                {...(name === form && { "aria-current": "true" })}
                safe
              >
                {t.form[name]}
              </a>
            ))}
          </nav>
          <Copyable language={language} text={text.replace("\uFEFF", "").trimEnd()} />
          {form === "chapters" && (
            <p class={isTooShort ? "status warn" : "hint"} safe>
              {isTooShort ? fill(t.tooFew, { least: String(LEAST_CHAPTERS) }) : t.chaptersHint}
            </p>
          )}
          {list.songs.length === MOST_ON_PAGE && (
            <p class="hint" safe>
              {fill(t.onlyLast, { most: String(MOST_ON_PAGE) })}
            </p>
          )}
          <p class="actions">
            <a class="button quiet" href={`${path}/set-list?as=${form}`} download="" safe>
              {t.download}
            </a>
          </p>
        </>
      )}
    </>
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
        request={request}
        action="clear"
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
