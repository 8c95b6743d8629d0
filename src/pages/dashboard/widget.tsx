import type { Accounts } from "../../accounts/accounts.ts";
import type { Clock } from "../../clock.ts";
import { fill, LANGUAGES, languages, type Words } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Playback } from "../../playback.ts";
import { widgetEditorScript } from "../assets.ts";
import { fieldOf } from "../../http/form-field.ts";
import type { Live } from "../overlay/live.ts";
import { attribute } from "../attribute.ts";
import { redirect } from "../../http/redirect.ts";
import { Confirm, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import { type Notice, pathTo, type Section, type Visit } from "./request.ts";
import { Control, Pills } from "./widget-controls.tsx";
import { type Group, groupOptions } from "./widget-groups.ts";
import { ObsSteps } from "./widget-obs.tsx";
import { Preview } from "./widget-preview.tsx";
import {
  launcherPath,
  overlayPath,
  pageQuery,
  readWish,
  sourceSize,
  type Wish,
  withQuery,
} from "./editor-query.ts";

export interface WidgetEditorDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly live: Pick<Live, "onStream" | "showFor">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** An address of an overlay works no more. */
  onRotated(): Promise<void>;
}

const TEST_TRACK_MS = 12_000;
const FORM = "widget-options";

/**
 * The overlay's looks, its address and its way into OBS. What is chosen is kept nowhere but in the
 * address of the page, and so in that of the overlay.
 */
export function createWidgetEditor(deps: WidgetEditorDeps): Section {
  const { accounts, live, clock, onRotated } = deps;

  const wishOf = ({ language }: Visit, query: URLSearchParams): Wish =>
    readWish(query, LANGUAGES, language);

  /** Back to the page and the wish that a form was sent from, to tell there what came of it. */
  const backTo = (visit: Visit, form: FormData, outcome?: Outcome): Response => {
    const wish = wishOf(visit, new URLSearchParams(fieldOf(form, "wish")));
    return redirect(withQuery(pathTo(visit, "widget"), addressed(visit, wish, outcome)), 303);
  };

  return {
    async show(visit) {
      const { query, words, user, baseUrl } = visit;
      const wish = wishOf(visit, query);
      const outcome = readOutcome(query.get(OUTCOME));
      const ownQuery = addressed(visit, wish, outcome);
      // A form without a script sends everything; the address is to say what is special.
      if (wish.mistaken.size === 0 && ownQuery.toString() !== query.toString()) {
        return redirect(withQuery(pathTo(visit, "widget"), ownQuery), 303);
      }
      const token = await accounts.widgets.tokenOf(user);
      const address = baseUrl + overlayPath(wish, token);
      const notice = outcome && noticeOf(outcome, words);
      return dashboardPage({
        visit,
        title: words.dashboard.sections.widget,
        lead: words.dashboard.widget.lead,
        scripts: [widgetEditorScript.path],
        ...(notice && { notice }),
        children: (
          <>
            <div class="editor">
              <Preview visit={visit} wish={wish} token={token} address={address} form={FORM} />
              <OptionsForm visit={visit} wish={wish} token={token} />
            </div>
            <ObsSteps visit={visit} address={address} size={sourceSize(wish.options)} />
            <OnStream visit={visit} wish={wish} isShown={live.onStream(user.id) > 0} />
            <Launcher visit={visit} path={launcherPath(wish, token)} />
            <Rotation visit={visit} wish={wish} />
          </>
        ),
      });
    },

    async act(visit, form) {
      const { user, words } = visit;
      switch (fieldOf(form, "does")) {
        case "test":
          live.showFor(user.id, testTrack(words, clock.monotonicMs()), TEST_TRACK_MS);
          return backTo(visit, form, { kind: "tested", overlays: live.onStream(user.id) });
        case "rotate":
          await accounts.widgets.rotate(user);
          await onRotated();
          return backTo(visit, form, { kind: "rotated" });
        default:
          return backTo(visit, form);
      }
    },
  };
}

/** What a form has come to; it is told through the address, which has to keep the wish as well. */
type Outcome =
  | { readonly kind: "rotated" }
  /** How many browser sources showed the track. */
  | { readonly kind: "tested"; readonly overlays: number };

const OUTCOME = "told";

function readOutcome(text: string | null): Outcome | undefined {
  if (text === "rotated") return { kind: "rotated" };
  const [, overlays] = /^tested-(\d{1,3})$/.exec(text ?? "") ?? [];
  return overlays === undefined ? undefined : { kind: "tested", overlays: Number(overlays) };
}

/** The query of the page with a wish and what is to be told. */
function addressed({ language }: Visit, wish: Wish, outcome?: Outcome): URLSearchParams {
  const query = pageQuery(wish, language);
  if (outcome?.kind === "rotated") query.set(OUTCOME, "rotated");
  if (outcome?.kind === "tested") query.set(OUTCOME, `tested-${outcome.overlays}`);
  return query;
}

function noticeOf(outcome: Outcome, { dashboard }: Words): Notice {
  const { widget } = dashboard;
  if (outcome.kind === "rotated") return { tone: "good", text: widget.rotated };
  if (outcome.overlays === 0) return { tone: "bad", text: widget.testUnseen };
  return { tone: "good", text: fill(widget.testSent, { count: String(outcome.overlays) }) };
}

/** A track that nobody made, in the user's language. */
function testTrack({ dashboard }: Words, observedAtMs: number): Playback {
  const { title, artist, album } = dashboard.widget.testTrack;
  return {
    source: "Marquee",
    state: "playing",
    track: { id: `test:${observedAtMs}`, title, durationMs: 154_000, explicit: false },
    artists: [artist],
    album: { name: album, artworks: [] },
    device: { name: "Marquee", type: "test", volumePercent: null },
    positionMs: 42_000,
    observedAtMs,
    rate: 1,
  };
}

interface PartProps {
  readonly visit: Visit;
  readonly wish: Wish;
}

function OptionsForm({ visit, wish, token }: PartProps & { token: string }): JSX.Element {
  const { words, baseUrl, basePath, language } = visit;
  const { widget } = words.dashboard;
  return (
    <form
      id={FORM}
      method="get"
      action={pathTo(visit, "widget")}
      aria-label={widget.options}
      data-base-url={attribute(baseUrl)}
      data-base-path={basePath}
      data-token={token}
      data-language={language}
    >
      <>
        {groupOptions().map((group) => (
          <OptionGroup visit={visit} wish={wish} group={group} />
        ))}
        <p class="actions">
          <button type="submit" data-without-script safe>
            {widget.show}
          </button>
          <a class="button quiet" href={pathTo(visit, "widget")} safe>
            {widget.defaults}
          </a>
        </p>
      </>
    </form>
  );
}

function OptionGroup({ visit, wish, group }: PartProps & { group: Group }): JSX.Element {
  const { groups } = visit.words.dashboard.widget;
  const isTouched =
    group.options.some(([name]) => wish.typed.has(name)) ||
    (group.name === "text" && wish.language !== visit.language);
  const isChoice = (kind: string) => kind === "choice";
  const isSwitch = (kind: string) => kind === "switch";
  const controlsOf = (belongs: (kind: string) => boolean): JSX.Element => (
    <>
      {group.options
        .filter(([, { type }]) => belongs(type.kind))
        .map(([name, option]) => (
          <Control visit={visit} wish={wish} name={name} option={option} />
        ))}
    </>
  );
  return (
    <details class="group" open={group.name === "look" || isTouched}>
      <summary>
        <h2 safe>{groups[group.name]}</h2>
      </summary>
      <div class="rows">
        <div class="row choices">
          {group.name === "text" ? <LanguageChoice visit={visit} wish={wish} /> : ""}
          {controlsOf(isChoice) as "safe"}
        </div>
        <div class="row fields">
          {controlsOf((kind) => !isChoice(kind) && !isSwitch(kind)) as "safe"}
        </div>
        <div class="row switches">{controlsOf(isSwitch) as "safe"}</div>
      </div>
    </details>
  );
}

/** No option of the table: it stands in the path of the overlay's address. */
function LanguageChoice({ visit, wish }: PartProps): JSX.Element {
  return (
    <div class="control">
      <Pills
        legend={visit.words.dashboard.widget.language}
        name="language"
        choices={LANGUAGES.map((value) => ({ value, label: languages[value].endonym }))}
        chosen={wish.language}
      />
    </div>
  );
}

/** The wish, so that it outlives what a form does. */
function WishField({ visit, wish }: PartProps): JSX.Element {
  const query = pageQuery(wish, visit.language).toString();
  return <input type="hidden" name="wish" value={attribute(query)} data-wish />;
}

function OnStream({ visit, wish, isShown }: PartProps & { isShown: boolean }): JSX.Element {
  const { basePath, language, words } = visit;
  const { widget, nowPlaying } = words.dashboard;
  return (
    <section class="on-stream" data-live={`${basePath}/${language}/dashboard/live`}>
      <h2 safe>{widget.onStream}</h2>
      <p class={`status ${isShown ? "good" : "idle"}`} role="status" data-live-presence safe>
        {isShown ? nowPlaying.onStream : nowPlaying.notOnStream}
      </p>
      <Form visit={visit} does="test" class="test">
        <>
          <WishField visit={visit} wish={wish} />
          <p class="hint" safe>
            {widget.testText}
          </p>
          <p class="actions">
            <button type="submit" class="quiet" safe>
              {widget.test}
            </button>
          </p>
          <p class="told" role="status" data-test-outcome />
        </>
      </Form>
    </section>
  );
}

function Launcher({ visit, path }: { visit: Visit; path: string }): JSX.Element {
  const { widget } = visit.words.dashboard;
  return (
    <section class="launcher">
      <h2 safe>{widget.launcherTitle}</h2>
      <p safe>{widget.launcherText}</p>
      <p class="actions">
        <a
          class="button quiet"
          download=""
          href={attribute(visit.basePath + path)}
          data-launcher
          safe
        >
          {widget.launcher}
        </a>
      </p>
    </section>
  );
}

function Rotation({ visit, wish }: PartProps): JSX.Element {
  const { widget } = visit.words.dashboard;
  return (
    <section class="rotation">
      <h2 safe>{widget.rotateTitle}</h2>
      <Confirm label={widget.rotate} consequence={widget.rotateText}>
        <Form visit={visit} does="rotate">
          <>
            <WishField visit={visit} wish={wish} />
            <button type="submit" class="bad" safe>
              {widget.rotateGo}
            </button>
          </>
        </Form>
      </Confirm>
    </section>
  );
}
