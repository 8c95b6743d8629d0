import { givenIn } from "../../actions/inputs.ts";
import { readInputs } from "../../actions/run.ts";
import { Html } from "../../jsx.ts";
import { artistNames, givenNames } from "../../playback.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { changedRules, setTitles, setTitlesOfConnection } from "../../titles/actions.ts";
import { PHRASE_PLACES, type PhrasePlace } from "../../titles/phrases.ts";
import { cleaned } from "../../titles/shown-names.ts";
import {
  ActionForm,
  formOf,
  LinesInput,
  textsIn,
  TickInput,
} from "../../dashboard/action-form.tsx";
import { Fold, IN_SIGHT } from "../../html/form.tsx";
import { type DashboardRequest, withRefused } from "../../dashboard/request.ts";
import { rowQuery } from "../connection-row.ts";
import { ConnectionChoice } from "./connection-choice.tsx";
import { trackText } from "../../dashboard/music/live-part.tsx";
import type { MusicDeps, MusicView, TriedTitles } from "./view.ts";
import { Submit, Hint } from "../../html/parts.tsx";

/** How titles are shown: the user's choice, phrases of their own, and what they make of the last songs. */

const LAST_SONGS = 10;

/** What the form of titles sends to try them. */
export const TRY_TITLES = "try titles";

/** What the page shows of rules that were typed: what they make of the last songs, or what is wrong. */
export async function tryTitles(
  { accounts, hub }: MusicDeps,
  request: DashboardRequest,
  form: FormData,
): Promise<Pick<MusicView, "request" | "tried">> {
  const { user } = request;
  const typed = await textsIn(form, setTitles);
  try {
    const changes = givenIn(readInputs(setTitles.inputs, typed));
    const rules = changedRules(accounts.privacy.of(user.id).titles, changes);
    const now = hub.rawPlayback(user.id);
    const songs = [...(now ? [now] : []), ...hub.songsBefore(user.id).map(({ song }) => song)];
    return { request, tried: { typed, rules, songs: songs.slice(0, LAST_SONGS) } };
  } catch (error) {
    return { request: withRefused(request, setTitles, typed, error), tried: undefined };
  }
}

/** The part of the page about titles. */
export function TitlesSection({ view }: { readonly view: MusicView }): JSX.Element {
  const { deps, request, tried } = view;
  const { titles: t } = request.words.dashboard.music;
  const form = formOf(request, setTitles);
  const { isOn, phrases } = deps.accounts.privacy.of(request.user.id).titles;
  const cleans = tried?.rules.isOn ?? isOn;
  const valueOf = (name: PhrasePlace, stored: string): string =>
    String(tried?.typed[name] ?? stored);
  const linesAt = (place: PhrasePlace): string =>
    phrases
      .filter((phrase) => phrase.place === place)
      .map(({ text }) => text)
      .join("\n");
  return (
    <section id="titles">
      <ActionForm form={form} class="form wide">
        <TickInput form={form} name="clean" label={t.clean} hint={t.cleanHint} isOn={cleans} />
        <div class="row-actions">
          <Submit label={t.save} class="quiet" />
          <Fold label={t.more} isOpen={form.refused !== undefined || tried !== undefined}>
            <p safe>{t.lead}</p>
            <h3 safe>{t.phrases}</h3>
            <Hint text={t.phrasesText} />
            <div class="pair">
              {PHRASE_PLACES.map((place) => (
                <LinesInput
                  form={form}
                  name={place}
                  label={t.places[place]}
                  value={valueOf(place, linesAt(place))}
                  rows={4}
                />
              ))}
            </div>
            {tried !== undefined && <Tried request={request} tried={tried} />}
            <div class="actions">
              <Submit name="do" value={TRY_TITLES} class="quiet" label={t.try} />
            </div>
          </Fold>
        </div>
      </ActionForm>
    </section>
  );
}

interface TriedProps {
  readonly request: DashboardRequest;
  readonly tried: TriedTitles;
}

/** The last songs, as they were given and as these rules show them. */
function Tried({ request, tried: { rules, songs } }: TriedProps): JSX.Element {
  const { titles: t } = request.words.dashboard.music;
  if (songs.length === 0) {
    return <Hint text={t.noSongs} />;
  }
  return (
    <table class="tried" {...IN_SIGHT}>
      <thead>
        <tr>
          <th scope="col" safe>
            {t.given}
          </th>
          <th scope="col" safe>
            {t.shown}
          </th>
        </tr>
      </thead>
      <tbody>
        {songs.map((song) => {
          const given = givenNames(song);
          const shown = rules.isOn ? cleaned(given, song.namesFrom, rules.phrases) : given;
          return (
            <tr>
              <td dir="auto" safe>
                {trackText(given.title, artistNames(given))}
              </td>
              <td dir="auto" safe>
                {trackText(shown.title, artistNames(shown))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The choice of one connection, folded away in its row. */
export function TitlesOf({ view, one }: { view: MusicView; one: ConnectedMusic }): JSX.Element {
  const { deps, request } = view;
  const { titles: t } = request.words.dashboard.music;
  const { ofConnections } = deps.accounts.privacy.of(request.user.id).titles;
  const choice = ofConnections.get(one.connection.id);
  return (
    <ConnectionChoice
      form={formOf(request, setTitlesOfConnection, { id: one.connection.publicId })}
      words={t}
      at={rowQuery(one.connection)}
      name="titles"
      value={choice === undefined ? "all" : choice ? "on" : "off"}
      options={[
        { value: "all", label: t.asForAll },
        { value: "on", label: t.cleaned },
        { value: "off", label: t.asGiven },
      ]}
    />
  );
}
