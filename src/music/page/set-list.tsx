import type { User } from "../../accounts/users.ts";
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
import { Copyable, Hint, LinkButton, Status, Titled } from "../../html/parts.tsx";
import type { DashboardRequest, OfferedFile } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";
import type { HistoryChoice } from "../history.ts";
import type { Stream } from "../streams.ts";

export type SetListDeps = Pick<Parts, "accounts" | "hub" | "clock" | "budget">;

/** The last songs of a stream in its file: two days of them, of three minutes each. */
const MOST_IN_SET_LIST = 1_000;
/** The last songs of a stream on the page: an evening of them. The file has the others, too. */
export const MOST_ON_PAGE = 200;

/** The forms of a set list, with the endings of their files. */
const FORMS = { text: "txt", csv: "csv", chapters: "txt" } as const;
type SetListForm = keyof typeof FORMS;
const FORM_NAMES = Object.keys(FORMS) as readonly SetListForm[];
const formIn = (query: URLSearchParams): SetListForm =>
  FORM_NAMES.find((form) => form === query.get("as")) ?? "text";

/** A stream with its songs that the user does not hide. */
interface PlayedStream {
  readonly stream: Stream;
  readonly songs: readonly SetListSong[];
}

/** Reads a user's set list. Whoever asks again meanwhile gets the same one. */
type ReadSetList = (user: User) => Promise<PlayedStream | undefined>;

/** @param most how many of a stream's songs are read: the last ones */
export function createReadSetList(
  { accounts: { history }, hub, budget }: SetListDeps,
  most: number,
): ReadSetList {
  const read: ReadSetList = async (user) => {
    const stream = history.streamOf(user.id);
    if (!stream) return undefined;
    hub.countSongs(user.id);
    const from = stream.startedAt - LONGEST_SONG_MS;
    const range = { from, until: stream.endedAt ?? Infinity, most };
    const songs = await history.shownOf(user, range, () => budget.letOthersIn(user.id));
    return { stream, songs: setListOf(songs, stream) };
  };
  const reading = new Map<number, ReturnType<ReadSetList>>();
  return (user) => {
    const running = reading.get(user.id);
    if (running) return running;
    const started = read(user).finally(() => reading.delete(user.id));
    reading.set(user.id, started);
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

export function createSetListFile(deps: SetListDeps) {
  const readSetList = createReadSetList(deps, MOST_IN_SET_LIST);
  return async ({ user, query, words }: DashboardRequest): Promise<OfferedFile> => {
    const form = formIn(query);
    const list = await readSetList(user);
    const day = new Date(list?.stream.startedAt ?? deps.clock.wallMs()).toISOString().slice(0, 10);
    const text = list ? writeSetList(list, form, words.history.start) : "";
    return {
      body: form === "csv" || text === "" ? text : `${text}\n`,
      name: `marquee-${form === "chapters" ? "chapters" : "set-list"}-${day}.${FORMS[form]}`,
      type: `text/${form === "csv" ? "csv" : "plain"}; charset=utf-8`,
    };
  };
}

interface SetListProps {
  readonly request: DashboardRequest;
  readonly choice: HistoryChoice;
  readonly list: PlayedStream | undefined;
  readonly nowMs: number;
}

/** The part of the page about the stream that runs, or the last one. */
export function SetList({ request, choice, list, nowMs }: SetListProps): JSX.Element {
  const { history: t } = request.words;
  return (
    <Titled
      title={list && list.stream.endedAt !== null ? t.lastStream : t.thisStream}
      class="set-list"
    >
      {list ? (
        <PlayedSetList request={request} list={list} nowMs={nowMs} />
      ) : choice.followsStreams ? (
        <p safe>{t.noStream}</p>
      ) : (
        <>
          <p safe>{t.notReported}</p>
          <p class="actions">
            <LinkButton label={t.keepTitle} href={`${pathTo(request, "history")}?settings`} />
          </p>
        </>
      )}
    </Titled>
  );
}

function PlayedSetList({
  request,
  list,
  nowMs,
}: Omit<SetListProps, "choice" | "list"> & { readonly list: PlayedStream }): JSX.Element {
  const { language, words, query } = request;
  const { history: t } = words;
  const { startedAt, endedAt } = list.stream;
  const form = formIn(query);
  const text = writeSetList(list, form, t.start);
  const path = pathTo(request, "history");
  const isTooShort = form === "chapters" && text.split("\n").length < LEAST_CHAPTERS;
  return (
    <>
      <Status
        tone={endedAt === null ? "good" : "idle"}
        text={
          endedAt === null
            ? fill(t.since, { time: formatTime(language, startedAt, nowMs) })
            : fill(t.fromTo, {
                from: formatTime(language, startedAt),
                to: formatTime(language, endedAt, startedAt),
              })
        }
      />
      {list.songs.length === 0 ? (
        <p safe>{t.noSongsYet}</p>
      ) : (
        <>
          <nav class="tabs forms" aria-label={t.forms}>
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
            <Hint text={fill(t.onlyLast, { most: String(MOST_ON_PAGE) })} />
          )}
          <p class="actions">
            <LinkButton label={t.download} href={`${path}/set-list?as=${form}`} download="" />
          </p>
        </>
      )}
    </>
  );
}
