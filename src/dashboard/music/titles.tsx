import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { choiceOf, fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { artistNames, givenNames } from "../../playback.ts";
import {
  LONGEST_PHRASE,
  MOST_PHRASES,
  type Phrase,
  PHRASE_PLACES,
  SHORTEST_PHRASE,
} from "../../titles/phrases.ts";
import { cleaned } from "../../titles/shown-names.ts";
import { Choice, Fold, Form, Lines } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";
import { ConnectionChoice } from "./connection-choice.tsx";
import { parseConnectionId } from "../../music/connection-reads.ts";
import { trackText } from "./live-part.tsx";
import {
  type ActionResult,
  done,
  GONE,
  isMade,
  type MusicDeps,
  type MusicView,
  type TypedTitles,
} from "./view.ts";
import { LINE_BREAK, mistakeInLines } from "../../text-limits.ts";
import { wordsOfMistake } from "../entered-text.ts";

/** How titles are shown: the user's choice, phrases of their own, and what they make of the last songs. */

const LAST_SONGS = 10;

/** Saves the rules, or tries them on the last songs. */
export async function saveTitles(
  { accounts, hub }: MusicDeps,
  request: DashboardRequest,
  form: FormData,
): Promise<ActionResult> {
  const { user, words } = request;
  const titles = readForm(request, form);
  if (titles.mistake !== undefined) return { kind: "titles", titles };
  if (fieldOf(form, "try") !== "") {
    const now = hub.rawPlayback(user.id);
    const songs = [...(now ? [now] : []), ...hub.songsBefore(user.id).map(({ song }) => song)];
    const tried = songs.slice(0, LAST_SONGS);
    return { kind: "titles", titles: { ...titles, tried } };
  }
  const { ofConnections } = accounts.privacy.of(user.id).titles;
  const { isOn, phrases } = titles;
  await accounts.privacy.change(user, { titles: { isOn, phrases, ofConnections } });
  return done(words.dashboard.music.titles.saved);
}

/** Stores the choice of one connection, or that it has none. */
export async function saveTitlesOf(
  { accounts }: MusicDeps,
  { user, words }: DashboardRequest,
  form: FormData,
): Promise<ActionResult> {
  const id = parseConnectionId(fieldOf(form, "target"));
  const isOn = choiceOf(form, "titles", { on: true, off: false, all: null });
  if (id === undefined || isOn === undefined) return GONE;
  const isSaved = await isMade(accounts.connections.cleanTitles(user, id, isOn));
  return isSaved ? done(words.dashboard.music.titles.saved) : GONE;
}

function readForm({ words }: DashboardRequest, form: FormData): TypedTitles {
  const { mistakes } = words.dashboard.music.titles;
  const typed = { brackets: "", dash: "", anywhere: "" };
  for (const place of PHRASE_PLACES) typed[place] = fieldOf(form, `phrases-${place}`);
  const phrases = PHRASE_PLACES.flatMap((place) =>
    [...new Set(typed[place].split(LINE_BREAK).map((line) => line.trim()))]
      .filter((text) => text !== "")
      .map((text): Phrase => ({ text, place })),
  );
  const wrong = phrases.find(
    ({ text }) => text.length < SHORTEST_PHRASE || text.length > LONGEST_PHRASE,
  );
  const control = mistakeInLines(Object.values(typed).join("\n"));
  const mistake = control
    ? wordsOfMistake(words, control)
    : wrong !== undefined
      ? fill(mistakes.length, { phrase: wrong.text.slice(0, LONGEST_PHRASE) })
      : phrases.length > MOST_PHRASES
        ? fill(mistakes.tooMany, { count: String(phrases.length) })
        : undefined;
  return { isOn: fieldOf(form, "clean") === "on", typed, phrases, mistake };
}

/** What is stored, as the form shows it. */
function storedTitles({ deps, request }: MusicView): TypedTitles {
  const { isOn, phrases } = deps.accounts.privacy.of(request.user.id).titles;
  const linesAt = (place: Phrase["place"]) =>
    phrases
      .filter((phrase) => phrase.place === place)
      .map(({ text }) => text)
      .join("\n");
  const typed = {
    brackets: linesAt("brackets"),
    dash: linesAt("dash"),
    anywhere: linesAt("anywhere"),
  };
  return { isOn, typed, phrases, mistake: undefined };
}

/** The part of the page about titles. */
export function TitlesSection({ view }: { readonly view: MusicView }): JSX.Element {
  const { request } = view;
  const { titles: t } = request.words.dashboard.music;
  const titles = view.titles ?? storedTitles(view);
  return (
    <section id="titles">
      <h2 safe>{t.title}</h2>
      <p safe>{t.lead}</p>
      <Form request={request} action="titles" class="form wide">
        <>
          <Choice
            id="clean"
            label={t.show}
            chosen={titles.isOn ? "on" : "off"}
            options={[
              { value: "on", label: t.cleaned },
              { value: "off", label: t.asGiven },
            ]}
          />
          <Fold
            label={t.phrases}
            isOpen={titles.phrases.length > 0 || titles.mistake !== undefined}
          >
            <>
              <p class="hint" safe>
                {t.phrasesText}
              </p>
              {titles.mistake !== undefined && (
                <p class="mistake" role="alert" safe>
                  {titles.mistake}
                </p>
              )}
              <div class="pair">
                {PHRASE_PLACES.map((place) => (
                  <Lines
                    id={`phrases-${place}`}
                    label={t.places[place]}
                    value={titles.typed[place]}
                    rows={4}
                    maxlength={MOST_PHRASES * (LONGEST_PHRASE + 1)}
                  />
                ))}
              </div>
            </>
          </Fold>
          {titles.tried !== undefined && <Tried request={request} titles={titles} />}
          <div class="actions">
            <button type="submit" safe>
              {t.save}
            </button>
            <button type="submit" name="try" value="yes" class="quiet" safe>
              {t.try}
            </button>
          </div>
        </>
      </Form>
    </section>
  );
}

interface TriedProps {
  readonly request: DashboardRequest;
  readonly titles: TypedTitles;
}

/** The result of a form far down a page gets the focus, and with it comes into sight. */
const IN_SIGHT = { tabindex: "-1", autofocus: true } as const;

/** The last songs, as they were given and as these rules show them. */
function Tried({ request, titles: { isOn, phrases, tried = [] } }: TriedProps): JSX.Element {
  const { titles: t } = request.words.dashboard.music;
  if (tried.length === 0) {
    return (
      <p class="hint" safe>
        {t.noSongs}
      </p>
    );
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
        {tried.map((song) => {
          const given = givenNames(song);
          const shown = isOn ? cleaned(given, song.namesFrom, phrases) : given;
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

/** The choice of one connection, folded away on its card. */
export function TitlesOf({ view, one }: { view: MusicView; one: ConnectedMusic }): JSX.Element {
  const { deps, request } = view;
  const { titles: t } = request.words.dashboard.music;
  const { ofConnections } = deps.accounts.privacy.of(request.user.id).titles;
  const choice = ofConnections.get(one.connection.id);
  return (
    <ConnectionChoice
      request={request}
      one={one}
      name="titles"
      chosen={choice === undefined ? "all" : choice ? "on" : "off"}
      options={[
        { value: "all", label: t.asForAll },
        { value: "on", label: t.cleaned },
        { value: "off", label: t.asGiven },
      ]}
    />
  );
}
