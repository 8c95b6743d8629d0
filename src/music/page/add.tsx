import { attribute } from "../../html/attribute.ts";
import {
  ADD,
  type Tile,
  tileOf,
  Tiles,
  TILES,
  WAY_ID,
  waysOf,
} from "../../dashboard/music/tiles.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { enterApp } from "../../linking/actions.ts";
import type { Found } from "../../sources/here/players-here.ts";
import { sourceName } from "../../sources/connected-music.ts";
import { isLinked, type Source } from "../../sources/source.ts";
import { connect, mayConnect } from "../connect-actions.ts";
import { ConnectionForm, isNamed } from "./connection-form.tsx";
import { Guide } from "./guide.tsx";
import { LinkControls } from "./link-controls.tsx";
import type { MusicView } from "./view.ts";

/** In the address of the page: the source that is added, by its id. */
const CHOOSE = "choose";

/** The page on which a source is added, at what adds it. */
export const wayAddress = (request: DashboardRequest, sourceId: string, tile: Tile): string =>
  `${pathTo(request, "music")}?${ADD}=${tile}&${CHOOSE}=${sourceId}#${WAY_ID}`;

/** What somebody has chosen to add. */
export interface ChosenWay {
  readonly tile: Tile;
  readonly source: Source;
  /** The other ways of the tile. */
  readonly others: readonly Source[];
}

/** What is chosen by the page's address, or by the form that was refused. */
export function chosenWay({ deps, request, music }: MusicView): ChosenWay | undefined {
  const { query, refused } = request;
  const offered = deps.sources.all.filter(
    (source) =>
      mayConnect(request.user, source) &&
      // A second demo would play the same.
      !(source.id === "demo" && music.some((one) => one.source === source)),
  );
  const wanted = refused ? sourceAdded(refused) : query.get(CHOOSE);
  const named = offered.find(({ id }) => id === wanted);
  const tile = TILES.find((one) => one === query.get(ADD)) ?? (named && tileOf(named.id));
  if (tile === undefined) return undefined;
  const ways = waysOf(tile, offered);
  const { config } = deps.settings;
  const works = ({ keySetting }: Source) => keySetting === undefined || config[keySetting] !== null;
  const source = named ?? ways.find(works) ?? ways[0];
  return source && { tile, source, others: ways.filter((way) => way !== source) };
}

/** The source that a refused form would have added. */
function sourceAdded({ action, texts }: NonNullable<DashboardRequest["refused"]>) {
  const { id = "", source } = texts;
  const adds = action === enterApp.name || (action === connect.name && (id === "" || id === "new"));
  return adds ? String(source) : undefined;
}

interface AddMusicProps {
  readonly view: MusicView;
  readonly chosen: ChosenWay | undefined;
  /** A player that was found on this machine: its address is filled in. */
  readonly found: Found | undefined;
}

/** What people listen with, and below it the one way that was chosen. */
export const AddMusic = ({ view, chosen, found }: AddMusicProps): JSX.Element => (
  <>
    <Tiles request={view.request} chosen={chosen?.tile} />
    {chosen !== undefined && <Way view={view} chosen={chosen} found={found} />}
  </>
);

/** What is said about a source begins with what it is; how soon it reports comes after. */
const FIRST_SENTENCE = /^(.*?\.)(?:\s|$)/s;

function Way({ view, chosen, found }: AddMusicProps & { readonly chosen: ChosenWay }) {
  const { request } = view;
  const { source, tile, others } = chosen;
  const { music: t } = request.words.dashboard;
  const about: Readonly<Record<string, string>> = t.about;
  return (
    <section class="source chosen-way" id={WAY_ID}>
      <h3 safe>{wayName(request, source)}</h3>
      <p safe>{about[source.id] ?? ""}</p>
      <WayForm view={view} source={source} found={found} />
      <Guide request={request} source={source} />
      {others.length > 0 && (
        <nav class="other-ways" aria-labelledby="other-ways">
          <h3 id="other-ways" safe>
            {t.otherWays}
          </h3>
          <ul>
            {others.map((other) => (
              <li>
                <a href={attribute(wayAddress(request, other.id, tile))} safe>
                  {wayName(request, other)}
                </a>{" "}
                <span safe>{FIRST_SENTENCE.exec(about[other.id] ?? "")?.[1] ?? ""}</span>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </section>
  );
}

/** A protocol goes by what it is for. */
function wayName({ words }: DashboardRequest, source: Source): string {
  const ways: Readonly<Record<string, string>> = words.dashboard.music.ways;
  return ways[source.id] ?? sourceName(source, words);
}

interface WayFormProps extends Omit<AddMusicProps, "chosen"> {
  readonly source: Source;
}

function WayForm({ view: { request, music }, source, found }: WayFormProps): JSX.Element {
  const { music: t } = request.words.dashboard;
  const same = music.filter((one) => one.source === source);
  const isFirst = same.length === 0;
  const isAnother = same.some((one) => !isNamed(one));
  if (!isLinked(source)) {
    return <ConnectionForm {...{ request, source, isAnother }} found={found?.settings} />;
  }
  if (isAnother) return <p safe>{t.nameFirst}</p>;
  const label = fill(t.link, { source: source.name });
  return <LinkControls request={request} source={source} label={label} isFirst={isFirst} />;
}
