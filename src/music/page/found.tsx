import type { Texts } from "../../actions/action.ts";
import { readKeyName } from "../../accounts/key-name.ts";
import { fill, type Words } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { type ConnectedMusic, sourceName } from "../../sources/connected-music.ts";
import type { FoundTrack } from "../../sources/here/found.ts";
import { optionField } from "../../sources/source.ts";
import { type Found, isConnectedAs } from "../../sources/here/players-here.ts";
import { attribute } from "../../html/attribute.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { Sign } from "../../dashboard/music/signs.tsx";
import { tileOf } from "../../dashboard/music/tiles.tsx";
import { wayAddress } from "./add.tsx";
import { trackText } from "../../dashboard/music/live-part.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { connect } from "../connect-actions.ts";
import { pathTo } from "../../html/section-paths.ts";
import { Hint, LinkButton, Submit } from "../../html/parts.tsx";

/** In the page's address: whether to search for players, and whether to answer with the list alone. */
export const SEARCH = { name: "look", here: "here", listOnly: "list" } as const;

const FOUND_ID = "found";

interface FoundSectionProps {
  readonly request: DashboardRequest;
  /** `undefined` before anybody has searched: the page's script does, or the user. */
  readonly list: JSX.Element | undefined;
}

/** Players on this machine, each with a button that connects it. */
export function FoundSection({ request, list }: FoundSectionProps): JSX.Element {
  const { found: t } = request.words.dashboard.music;
  return (
    <div
      class="found"
      role="group"
      id={FOUND_ID}
      aria-label={t.title}
      aria-live="polite"
      {...(list === undefined && { "data-found": addressWith(request, SEARCH.listOnly) })}
    >
      <div data-found-list>
        {list === undefined ? <SearchLink request={request} label={t.look} /> : (list as "safe")}
      </div>
    </div>
  );
}

const addressWith = (request: DashboardRequest, search: string): string =>
  `${pathTo(request, "music")}?${SEARCH.name}=${search}`;

function SearchLink({ request, label }: { request: DashboardRequest; label: string }): JSX.Element {
  return (
    <p class="again">
      <a href={`${addressWith(request, SEARCH.here)}#${FOUND_ID}`} safe>
        {label}
      </a>
    </p>
  );
}

export interface FoundListProps {
  readonly request: DashboardRequest;
  readonly found: readonly Found[];
  /** The user's connections: what they follow is not offered. */
  readonly music: readonly ConnectedMusic[];
}

/** The players that are not connected yet. What plays comes first, and what can be connected by one click. */
export const offeredOf = (found: readonly Found[], music: readonly ConnectedMusic[]): Found[] =>
  found
    .filter((one) => !music.some((connected) => follows(connected, one)))
    .toSorted((a, b) => rankOf(a) - rankOf(b));

export function FoundList({ request, found, music }: FoundListProps): JSX.Element {
  const { found: t } = request.words.dashboard.music;
  const offered = offeredOf(found, music);
  return (
    <>
      {offered.length === 0 ? (
        <Hint text={t.none} />
      ) : (
        <FoundRows request={request} found={offered} music={music} />
      )}
      <SearchLink request={request} label={t.again} />
    </>
  );
}

/** Each player with what it plays and a button that connects it. */
export const FoundRows = ({ request, found, music }: FoundListProps): JSX.Element => (
  <ul class="rows">
    {found.map((one, at) => (
      <FoundRow request={request} found={one} music={music} isFirst={at === 0} />
    ))}
  </ul>
);

const follows = ({ source, stored }: ConnectedMusic, found: Found): boolean =>
  source === found.source && stored.usable && isConnectedAs(found, stored.open);

function rankOf({ needs, track }: Found): number {
  if (needs !== undefined) return 3;
  if (!track) return 2;
  return track.state === "paused" ? 1 : 0;
}

interface FoundRowProps {
  readonly request: DashboardRequest;
  readonly found: Found;
  readonly music: readonly ConnectedMusic[];
  /** The button of the first one stands out. */
  readonly isFirst: boolean;
}

function FoundRow({ request, found, music, isFirst }: FoundRowProps): JSX.Element {
  const { found: t } = request.words.dashboard.music;
  const { source, needs } = found;
  const name = nameOf(found, request.words);
  const kind = sourceName(source, request.words);
  return (
    <li class="player">
      <Sign of={tileOf(source.id)} />
      <div>
        <h3>
          <span dir="auto" safe>
            {name}
          </span>{" "}
          {name !== kind && (
            <small class="hint" safe>
              {kind}
            </small>
          )}
        </h3>
        <p class="facts" dir="auto" safe>
          {needs === undefined ? trackSentence(request, found.track ?? null) : t.needs[needs]}
        </p>
      </div>
      {needs === undefined ? (
        <Listen request={request} found={found} music={music} isFirst={isFirst} />
      ) : (
        <LinkButton
          label={t.enter[needs]}
          href={wayAddress(request, source.id, tileOf(source.id))}
          aria-label={attribute(`${t.enter[needs]}: ${name}`)}
        />
      )}
    </li>
  );
}

/** The form with which the source is connected anyway, filled in. */
function Listen({ request, found, music, isFirst }: FoundRowProps): JSX.Element {
  const { found: t } = request.words.dashboard.music;
  const { source, settings } = found;
  const options = Object.entries(settings).map(([option, value]) => [optionField(option), value]);
  const form = formOf(request, connect, {
    source: source.id,
    ...namingOf(found, music),
    ...Object.fromEntries(options),
  });
  return (
    <ActionForm form={form} class="">
      <Submit
        label={t.listen}
        {...(!isFirst && { class: "quiet" })}
        aria-label={attribute(`${t.listen}: ${nameOf(found, request.words)}`)}
      />
    </ActionForm>
  );
}

const nameOf = ({ name, source }: Found, words: Words): string => name ?? sourceName(source, words);

/** What its form says of the connection's name: the player's own, or one that is only needed beside one without. */
function namingOf(found: Found, music: readonly ConnectedMusic[]): Texts {
  const taken = music
    .filter(({ source }) => source === found.source)
    .map(({ connection }) => connection.name);
  const own = readKeyName(found.name ?? "");
  if (own === undefined && !taken.includes("")) return {};
  const wanted = own ?? found.source.name;
  const numbered = taken.map((_, index) => `${wanted} ${index + 2}`);
  const name = [wanted, ...numbered].find((one) => !taken.includes(one)) ?? wanted;
  // Two clicks connect the first of a source once.
  return taken.length === 0 ? { name } : { id: "new", name };
}

function trackSentence({ words }: DashboardRequest, track: FoundTrack | null): string {
  const { music: t } = words.dashboard;
  if (!track) return words.widget.nothingPlaying;
  const text = trackText(track.title, track.artist);
  if (track.state === undefined) return text;
  return fill(track.state === "playing" ? t.plays : t.pausedAt, { track: text });
}
