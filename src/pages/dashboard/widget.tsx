import type { Accounts } from "../../accounts/accounts.ts";
import { dashboardAddress } from "../../addresses.ts";
import type { Hub } from "../../channels/hub.ts";
import type { Clock } from "../../clock.ts";
import { fill, languages, type Words } from "../../i18n/index.ts";
import { LANGUAGES } from "../../languages.ts";
import { Html } from "../../jsx.ts";
import { widgetEditorScript } from "../assets.ts";
import { fieldOf } from "../../http/form-field.ts";
import type { Live } from "../overlay/live.ts";
import { attribute } from "../attribute.ts";
import { redirect } from "../../http/redirect.ts";
import { Confirm, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import type { DashboardRequest, Notice, Section } from "./request.ts";
import { createCardEditor } from "./card-editor.tsx";
import { outputWidgetOf } from "./output-parts.tsx";
import { pathTo } from "./sections.ts";
import { testTrack } from "./test-track.ts";
import { createTextEditor } from "./text-editor.tsx";
import { Control, Pills } from "./widget-controls.tsx";
import { type Group, groupOptions } from "./widget-groups.ts";
import { ObsSteps } from "./widget-obs.tsx";
import { Preview } from "./widget-preview.tsx";
import {
  launcherAddress,
  overlayAddress,
  pageQuery,
  readEditorQuery,
  sourceSize,
  type EditorQuery,
  withQuery,
} from "./editor-query.ts";

export interface WidgetEditorDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly live: Pick<Live, "onStream" | "showFor">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly hub: Pick<Hub, "peek" | "read">;
}

const TEST_TRACK_MS = 12_000;
const FORM = "widget-options";

/**
 * The overlay's appearance, its address and how to add it to OBS. The choices are stored only in
 * the address of the page and in the overlay's address.
 */
export function createSection(deps: WidgetEditorDeps): Section {
  const { accounts, live, clock } = deps;
  const editors = { text: createTextEditor(deps), card: createCardEditor(deps) };

  const editorQueryOf = ({ language }: DashboardRequest, query: URLSearchParams): EditorQuery =>
    readEditorQuery(query, language);

  /** Redirects to the page with the form's own editorQuery, to show the outcome there. */
  const backTo = (request: DashboardRequest, form: FormData, outcome?: Outcome): Response => {
    const editorQuery = editorQueryOf(request, new URLSearchParams(fieldOf(form, "editorQuery")));
    return redirect(
      withQuery(pathTo(request, "widget"), addressed(request, editorQuery, outcome)),
      303,
    );
  };

  return {
    async show(request) {
      const output = await outputWidgetOf(deps, request, request.query.get("id"));
      if (output) return editors[output.kind].show(request, output);
      const { query, words, user, baseUrl } = request;
      const editorQuery = editorQueryOf(request, query);
      const outcome = readOutcome(query.get(OUTCOME));
      const ownQuery = addressed(request, editorQuery, outcome);
      // Without a script, a form sends every field; keep only the non-default ones in the address.
      if (editorQuery.invalid.size === 0 && ownQuery.toString() !== query.toString()) {
        return redirect(withQuery(pathTo(request, "widget"), ownQuery), 303);
      }
      const token = await accounts.widgets.tokenOf(user);
      const address = overlayAddress(baseUrl, editorQuery, token);
      const notice = outcome && noticeOf(outcome, words);
      return dashboardPage({
        request,
        title: words.dashboard.sections.widget,
        lead: words.dashboard.widget.lead,
        scripts: [widgetEditorScript.path],
        ...(notice && { notice }),
        children: (
          <>
            <div class="editor">
              <Preview
                request={request}
                editorQuery={editorQuery}
                token={token}
                address={address}
                form={FORM}
              />
              <OptionsForm request={request} editorQuery={editorQuery} token={token} />
            </div>
            <ObsSteps request={request} address={address} size={sourceSize(editorQuery.options)} />
            <OnStream
              request={request}
              editorQuery={editorQuery}
              isShown={live.onStream(user.id) > 0}
            />
            <Launcher
              request={request}
              address={launcherAddress(request.basePath, editorQuery, token)}
            />
            <Rotation request={request} editorQuery={editorQuery} />
          </>
        ),
      });
    },

    async act(request, form) {
      const output = await outputWidgetOf(deps, request, fieldOf(form, "target"));
      if (output) return editors[output.kind].act(request, output, form);
      const { user, words } = request;
      switch (fieldOf(form, "do")) {
        case "test":
          live.showFor(user.id, testTrack(words, clock.monotonicMs()), TEST_TRACK_MS);
          return backTo(request, form, { kind: "tested", overlays: live.onStream(user.id) });
        case "rotate":
          await accounts.widgets.rotate(user);
          return backTo(request, form, { kind: "rotated" });
        default:
          return backTo(request, form);
      }
    },
  };
}

/** The result of a form. The address carries it, together with the editor's query. */
type Outcome =
  | { readonly kind: "rotated" }
  /** The number of browser sources that showed the track. */
  | { readonly kind: "tested"; readonly overlays: number };

const OUTCOME = "told";

function readOutcome(text: string | null): Outcome | undefined {
  if (text === "rotated") return { kind: "rotated" };
  const [, overlays] = /^tested-(\d{1,3})$/.exec(text ?? "") ?? [];
  return overlays === undefined ? undefined : { kind: "tested", overlays: Number(overlays) };
}

/** The query of the page: the editor's query and the outcome to show. */
function addressed(
  { language }: DashboardRequest,
  editorQuery: EditorQuery,
  outcome?: Outcome,
): URLSearchParams {
  const query = pageQuery(editorQuery, language);
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

interface PartProps {
  readonly request: DashboardRequest;
  readonly editorQuery: EditorQuery;
}

function OptionsForm({ request, editorQuery, token }: PartProps & { token: string }): JSX.Element {
  const { words, baseUrl, basePath, language } = request;
  const { widget } = words.dashboard;
  return (
    <form
      id={FORM}
      method="get"
      action={pathTo(request, "widget")}
      aria-label={widget.options}
      data-base-url={attribute(baseUrl)}
      data-base-path={basePath}
      data-token={token}
      data-language={language}
    >
      <>
        {groupOptions().map((group) => (
          <OptionGroup request={request} editorQuery={editorQuery} group={group} />
        ))}
        <p class="actions">
          <button type="submit" data-without-script safe>
            {widget.show}
          </button>
          <a class="button quiet" href={pathTo(request, "widget")} safe>
            {widget.defaults}
          </a>
        </p>
      </>
    </form>
  );
}

function OptionGroup({ request, editorQuery, group }: PartProps & { group: Group }): JSX.Element {
  const { groups } = request.words.dashboard.widget;
  const isTouched =
    group.options.some(([name]) => editorQuery.typed.has(name)) ||
    (group.name === "text" && editorQuery.language !== request.language);
  const isChoice = (kind: string) => kind === "choice";
  const isSwitch = (kind: string) => kind === "switch";
  const controlsOf = (belongs: (kind: string) => boolean): JSX.Element => (
    <>
      {group.options
        .filter(([, { type }]) => belongs(type.kind))
        .map(([name, option]) => (
          <Control request={request} editorQuery={editorQuery} name={name} option={option} />
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
          {group.name === "text" ? (
            <LanguageChoice request={request} editorQuery={editorQuery} />
          ) : (
            ""
          )}
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

/** The language is not in the table of options: it is in the path of the overlay's address. */
function LanguageChoice({ request, editorQuery }: PartProps): JSX.Element {
  return (
    <div class="control">
      <Pills
        legend={request.words.dashboard.widget.language}
        name="language"
        choices={LANGUAGES.map((value) => ({ value, label: languages[value].endonym }))}
        chosen={editorQuery.language}
      />
    </div>
  );
}

/** A hidden field that keeps the editorQuery when a form is sent. */
function EditorQueryField({ request, editorQuery }: PartProps): JSX.Element {
  const query = pageQuery(editorQuery, request.language).toString();
  return <input type="hidden" name="editorQuery" value={attribute(query)} data-editor-query />;
}

function OnStream({
  request,
  editorQuery,
  isShown,
}: PartProps & { isShown: boolean }): JSX.Element {
  const { basePath, language, words } = request;
  const { widget, nowPlaying } = words.dashboard;
  return (
    <section class="on-stream" data-live={dashboardAddress(basePath, language, "/live")}>
      <h2 safe>{widget.onStream}</h2>
      <p class={`status ${isShown ? "good" : "idle"}`} role="status" data-live-presence safe>
        {isShown ? nowPlaying.onStream : nowPlaying.notOnStream}
      </p>
      <Form request={request} action="test" class="test">
        <>
          <EditorQueryField request={request} editorQuery={editorQuery} />
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

function Launcher({
  request,
  address,
}: {
  request: DashboardRequest;
  address: string;
}): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <section class="launcher">
      <h2 safe>{widget.launcherTitle}</h2>
      <p safe>{widget.launcherText}</p>
      <p class="actions">
        <a class="button quiet" download="" href={attribute(address)} data-launcher safe>
          {widget.launcher}
        </a>
      </p>
    </section>
  );
}

function Rotation({ request, editorQuery }: PartProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <section class="rotation">
      <h2 safe>{widget.rotateTitle}</h2>
      <Confirm label={widget.rotate} consequence={widget.rotateText}>
        <Form request={request} action="rotate">
          <>
            <EditorQueryField request={request} editorQuery={editorQuery} />
            <button type="submit" class="bad" safe>
              {widget.rotateGo}
            </button>
          </>
        </Form>
      </Confirm>
    </section>
  );
}
