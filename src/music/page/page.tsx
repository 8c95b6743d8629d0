import { PAGE_WAITS_MS } from "../../channels/first-answer.ts";
import { dashboardAddress } from "../../addresses.ts";
import { musicScript } from "../../html/assets.ts";
import { htmlResponse } from "../../html/html.tsx";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { MOST_CONNECTIONS } from "../connections.ts";
import { dashboardPage } from "../../dashboard/frame.tsx";
import { AddMusic, chosenWay } from "./add.tsx";
import { CoversSection } from "./covers.tsx";
import { FoundList, FoundSection, SEARCH } from "./found.tsx";
import { ConnectionRow, noticeOf } from "./row.tsx";
import { TitlesSection } from "./titles.tsx";
import type { MusicView } from "./view.ts";
import { Hint, LinkButton } from "../../html/parts.tsx";
import { pathTo } from "../../html/section-paths.ts";
import { hasOwnMusic } from "../../sources/connected-music.ts";

/** The page of the user's connections, and of what can be added to them. */
export async function musicPage(view: MusicView): Promise<Response> {
  const { deps, request, music } = view;
  const { words, user, query } = request;
  const { music: t } = words.dashboard;
  const isOwner = user.role === "owner";
  const search = isOwner ? query.get(SEARCH.name) : null;
  const chosen = chosenWay(view);
  const here =
    search !== null || (isOwner && chosen?.source.findHere) ? await deps.sources.playersHere() : [];
  const list =
    search === null ? undefined : <FoundList request={request} found={here} music={music} />;
  if (list !== undefined && search === SEARCH.listOnly) return htmlResponse(list);
  if (music.length > 1) await deps.hub.read(user.id, PAGE_WAITS_MS);
  const readings = deps.hub.readingsOf(user.id);
  const isInRow = music.some((one) => noticeOf(view, one) !== undefined);
  const isFull = music.length >= MOST_CONNECTIONS;
  return dashboardPage({
    request: isInRow ? { ...request, notice: undefined } : request,
    title: words.dashboard.sections.music,
    scripts: [musicScript.path],
    children: (
      <>
        <div class="connections" data-live={liveAddress(view)}>
          {music.map((one) => (
            <ConnectionRow view={view} one={one} readings={readings} />
          ))}
        </div>
        {music.length > 1 && <Hint text={t.several} />}
        {user.welcomedAt === null && hasOwnMusic(music) && <PutOnStream request={request} />}
        {isFull ? (
          <Hint text={fill(t.full, { most: String(MOST_CONNECTIONS) })} />
        ) : (
          <div class="add">
            <h2 safe>{music.length === 0 ? words.dashboard.home.question : t.add}</h2>
            {isOwner && <FoundSection request={request} list={list} />}
            <AddMusic
              view={view}
              chosen={chosen}
              found={here.find(({ source }) => source === chosen?.source)}
            />
          </div>
        )}
        <TitlesSection view={view} />
        {deps.settings.config.coverSearch.length > 0 && <CoversSection view={view} />}
      </>
    ),
  });
}

/** Leads somebody new, who has added music here, to what comes next. */
const PutOnStream = ({ request }: Pick<MusicView, "request">): JSX.Element => (
  <p class="actions">
    <LinkButton
      label={`${request.words.dashboard.home.putOnStream} →`}
      href={pathTo(request, "overlay")}
      isMain
    />
  </p>
);

const liveAddress = ({ request: { basePath, language } }: MusicView): string =>
  dashboardAddress(basePath, language, "/live");
