import { hidesTrack, type PrivacyRules } from "../../accounts/privacy.ts";
import { hideTitle } from "../../accounts/privacy-actions.ts";
import { clockText } from "../../../widget/view.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { attribute } from "../../html/attribute.ts";
import { pathTo } from "../../html/section-paths.ts";
import { fill, formatPastDay, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { artistNames } from "../../playback.ts";
import { keepHistory } from "../history-actions.ts";
import type { KeptSong } from "../kept-song.ts";
import { createFindSongs, type FoundSongs, LONGEST_SEARCH } from "./find-songs.ts";
import { KeepForm, KeptSettings } from "./keeping.tsx";
import {
  createReadSetList,
  createSetListFile,
  MOST_ON_PAGE,
  SetList,
  type SetListDeps,
} from "./set-list.tsx";
import { Hint, LinkButton, Submit } from "../../html/parts.tsx";

/** A song that ended so much earlier or later than it should has its own length beside it. */
const DIFFERENT_MS = 10_000;

/** The page of the songs that were played; the stream's set list, and what is kept, on demand. */
export function createSection(deps: SetListDeps): Section {
  const { accounts, clock } = deps;
  const { history, privacy } = accounts;
  const readSetList = createReadSetList(deps, MOST_ON_PAGE);
  const findSongs = createFindSongs(deps);

  return {
    files: { "set-list": createSetListFile(deps) },
    async show(request) {
      const { words, user, query } = request;
      deps.hub.countSongs(user.id);
      const choice = history.of(user.id);
      const asked = askedIn(query);
      const found = await findSongs(user, asked.find, asked.until ?? Infinity);
      const list = query.has("as") ? await readSetList(user) : undefined;
      const nowMs = clock.wallMs();
      const panel =
        query.has("settings") || request.refused?.action === keepHistory.name ? (
          <KeptSettings request={request} choice={choice} />
        ) : (
          query.has("as") && <SetList {...{ request, choice, list, nowMs }} />
        );
      return dashboardPage({
        request,
        title: words.dashboard.sections.history,
        lead: words.history.lead,
        children:
          choice.keeps === null ? (
            <KeepForm request={request} />
          ) : (
            <>
              <Tools request={request} asked={asked} />
              {panel as "safe"}
              <Songs {...{ request, asked, found, nowMs }} rules={privacy.of(user.id)} />
            </>
          ),
      });
    },
  };
}

/** What an address asks the list for. */
interface Asked {
  readonly find: string;
  /** Unix milliseconds; songs that started later are left out. */
  readonly until: number | undefined;
}

function askedIn(query: URLSearchParams): Asked {
  const until = query.get("until") ?? "";
  return {
    find: (query.get("find") ?? "").trim().slice(0, LONGEST_SEARCH),
    until: /^\d{1,15}$/.test(until) ? Number(until) : undefined,
  };
}

/** The query of a list. */
function queryOf({ find, until }: Asked): string {
  const query = new URLSearchParams();
  if (find !== "") query.set("find", find);
  if (until !== undefined) query.set("until", String(until));
  return query.toString();
}

const addressOf = (path: string, asked: Asked): string => {
  const query = queryOf(asked);
  return query === "" ? path : `${path}?${query}`;
};

interface ToolsProps {
  readonly request: DashboardRequest;
  readonly asked: Asked;
}

/** The search, and what is opened above the songs: a second click closes it. */
function Tools({ request, asked }: ToolsProps): JSX.Element {
  const { query, words } = request;
  const { history: t } = words;
  const path = pathTo(request, "history");
  const panel = (name: string, label: string) => (
    <LinkButton
      label={label}
      href={query.has(name) ? path : `${path}?${name}`}
      {...(query.has(name) && { "aria-current": "true" })}
    />
  );
  return (
    <div class="song-tools">
      <form action={path} role="search">
        <input
          type="search"
          name="find"
          value={attribute(asked.find)}
          maxlength={String(LONGEST_SEARCH)}
          placeholder={attribute(t.search)}
          aria-label={attribute(t.search)}
          autocomplete="off"
          spellcheck="false"
          dir="auto"
        />
        <Submit label={t.searchGo} class="quiet" />
      </form>
      {panel("as", t.setList)}
      {panel("settings", t.keepTitle)}
    </div>
  );
}

interface SongsProps extends ToolsProps {
  readonly found: FoundSongs;
  readonly rules: PrivacyRules;
  readonly nowMs: number;
}

function Songs(props: SongsProps): JSX.Element {
  const { request, asked, found, nowMs } = props;
  const { language, words } = request;
  const { history: t } = words;
  const { songs, olderUntil } = found;
  const isSearch = asked.find !== "";
  const path = pathTo(request, "history");
  const days = Map.groupBy(songs, ({ startedAt }) => formatPastDay(language, startedAt, nowMs));
  return (
    <>
      {songs.length === 0 && (
        <p class="no-songs" dir="auto" safe>
          {isSearch ? fill(t.noneFound, { find: asked.find }) : t.none}
        </p>
      )}
      {[...days].map(([day, played]) => (
        <>
          <h2 class="day" safe>
            {day}
          </h2>
          <ol class="played-songs">
            {played.map((song) => (
              <SongRow {...props} song={song} />
            ))}
          </ol>
        </>
      ))}
      {isSearch && olderUntil !== undefined && (
        <Hint text={fill(t.searchedUntil, { time: formatTime(language, olderUntil, nowMs) })} />
      )}
      {(asked.until !== undefined || isSearch || olderUntil !== undefined) && (
        <nav class="actions" aria-label={t.songs}>
          {asked.until !== undefined && (
            <LinkButton label={t.newest} href={addressOf(path, { ...asked, until: undefined })} />
          )}
          {isSearch && <LinkButton label={t.all} href={path} />}
          {olderUntil !== undefined && (
            <LinkButton
              label={t.older}
              href={addressOf(path, { ...asked, until: olderUntil })}
              rel="next"
            />
          )}
        </nav>
      )}
    </>
  );
}

function SongRow({
  request,
  asked,
  rules,
  song,
}: Omit<SongsProps, "found"> & { readonly song: KeptSong }): JSX.Element {
  const { basePath, language, words } = request;
  const { history: t } = words;
  const { coverPath, startedAt, playedMs, track } = song;
  const isOdd = track.durationMs !== null && Math.abs(playedMs - track.durationMs) > DIFFERENT_MS;
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
          {formatTime(language, startedAt, startedAt)}
        </time>
        {isOdd && (
          <span safe>
            {fill(t.playedOf, {
              played: clockText(playedMs),
              length: clockText(track.durationMs),
            })}
          </span>
        )}
      </span>
      {hidesTrack(rules, song) ? (
        <span class="hides" safe>
          {t.hidden}
        </span>
      ) : (
        <ActionForm
          form={formOf(request, hideTitle, { title: track.title })}
          class="hides"
          at={queryOf(asked)}
        >
          <Submit label={t.hide} aria-label={attribute(`${t.hide}: ${track.title}`)} />
        </ActionForm>
      )}
    </li>
  );
}
