import type { Accounts } from "../../accounts/accounts.ts";
import { FontError } from "../../looks/fonts.ts";
import { readKeyName } from "../../accounts/key-name.ts";
import type { User } from "../../accounts/users.ts";
import { LONGEST_CSS } from "../../looks/look.ts";
import { WidgetError } from "../../looks/widget-error.ts";
import type { Widget } from "../../looks/widgets.ts";
import { dashboardAddress, widgetAddress } from "../../addresses.ts";
import type { Clock } from "../../clock.ts";
import { fieldOf } from "../../http/form-field.ts";
import { redirect } from "../../http/redirect.ts";
import { fill, formatTime, type Words } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { intoObsScript, widgetEditorScript } from "../../html/assets.ts";
import { attribute } from "../../html/attribute.ts";
import type { Live } from "../../overlay/live.ts";
import { HiddenCopyable } from "../../html/parts.tsx";
import { chosenSize, pageQuery, readEditorQuery, savedQuery, withQuery } from "./editor-query.ts";
import {
  type Draft,
  type DraftMistakes,
  draftOfVersion,
  editedRevision,
  type EditorPartProps,
  EditorQueryField,
  isAsSaved,
  isSameLook,
  lookOf,
  readDraft,
  type SaveAnswer,
  savedDraft,
  withDemo,
} from "./draft.tsx";
import { ConfirmedAction, Form } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import { galleryOf } from "./gallery-link.ts";
import type { DashboardRequest, Notice } from "../request.ts";
import { pathTo } from "../../html/section-paths.ts";
import { OptionsForm } from "./options-form.tsx";
import { Fonts } from "./fonts.tsx";
import { IntoObs, OBS_CONNECTIONS, sourceNameOf } from "./into-obs.tsx";
import { testTrack } from "./test-track.ts";
import { ObsSteps } from "./obs-steps.tsx";
import { Preview, PreviewChoices } from "./preview.tsx";
import { Versions } from "./versions.tsx";

export interface WidgetEditorDeps {
  readonly accounts: Pick<Accounts, "widgets" | "fonts">;
  readonly live: Pick<Live, "onStream" | "showFor">;
  readonly clock: Pick<Clock, "monotonicMs" | "wallMs">;
}

/** The page on which one overlay is edited. */
export interface WidgetEditor {
  /** The ID in a form of the editor. */
  idIn(form: FormData): string;
  show(request: DashboardRequest, widget: Widget): Promise<Response>;
  act(request: DashboardRequest, form: FormData, widget: Widget): Promise<Response>;
}

const TEST_TRACK_MS = 12_000;
export function createEditor(deps: WidgetEditorDeps): WidgetEditor {
  const { accounts, live, clock } = deps;

  const showPage = async (
    request: DashboardRequest,
    widget: Widget,
    draft: Draft,
    told: { notice?: Notice | undefined; mistakes?: DraftMistakes; isOutdated?: boolean } = {},
    status = 200,
  ): Promise<Response> => {
    const { user, words, baseUrl, basePath, language } = request;
    const { mistakes = {}, notice, isOutdated = false } = told;
    const [token, revisions, fonts] = await Promise.all([
      accounts.widgets.tokenOf(user, widget.id),
      accounts.widgets.revisionsOf(user, widget.id),
      accounts.fonts.allOf(user),
    ]);
    const address = widgetAddress(baseUrl, widget.language ?? language, token);
    const isSaved = !isOutdated && isAsSaved(widget, draft);
    const parts = { request, widget, draft, token };
    return dashboardPage(
      {
        request,
        title: widget.name,
        parent: galleryOf(request),
        lead: words.dashboard.widget.lead,
        scripts: [widgetEditorScript.path, intoObsScript.path],
        connections: OBS_CONNECTIONS,
        ...(notice && { notice }),
        children: (
          <>
            <div class="editor">
              <Preview {...parts} isSaved={isSaved} isOutdated={isOutdated} />
              <PreviewChoices {...parts} />
              <OptionsForm {...parts} isSaved={isSaved} mistakes={mistakes} fonts={fonts} />
              <Versions
                request={request}
                widget={widget}
                revisions={revisions}
                nowMs={clock.wallMs()}
              />
              <Fonts request={request} draft={draft} widget={widget} fonts={fonts} />
            </div>
            <Address request={request} address={address} />
            <IntoObs
              request={request}
              address={address}
              name={sourceNameOf(widget)}
              size={chosenSize(draft.editorQuery)}
            />
            <ObsSteps request={request} address={address} size={chosenSize(draft.editorQuery)} />
            <OnStream {...parts} isShown={live.onStream(user.id) > 0} />
            <Launcher
              request={request}
              address={`${widgetAddress(basePath, widget.language ?? language, token)}/launcher`}
            />
            <Rotation {...parts} />
          </>
        ),
      },
      status,
    );
  };

  /** Redirects to the page with the form's own draft, to show the outcome there. */
  const backTo = (
    request: DashboardRequest,
    form: FormData,
    widget: Widget,
    outcome: Outcome,
  ): Response => {
    const given = new URLSearchParams(fieldOf(form, "editorQuery"));
    const draft = given.get("draft") === "1" ? given : savedQuery(widget);
    draft.set("demo", given.get("demo") ?? "1");
    const query = pageQuery(readEditorQuery(draft), savedDraft(widget).editorQuery, widget.id);
    query.set(OUTCOME, outcome);
    return redirect(withQuery(pathTo(request, "widget"), query), 303);
  };

  /** Saves what differs from the stored widget. @throws {WidgetError} */
  const save = async (
    user: User,
    widget: Widget,
    draft: Draft,
    isPassing: boolean,
  ): Promise<Widget> => {
    if (draft.basedOn !== widget.revision) {
      throw new WidgetError("changed meanwhile", "The widget was changed meanwhile.");
    }
    const { id } = widget;
    const look = lookOf(widget, draft);
    if (draft.name !== widget.name) await accounts.widgets.rename(user, id, draft.name);
    if (!isSameLook(look, widget)) {
      await accounts.widgets.save(user, id, look, { basedOn: draft.basedOn, isPassing });
    }
    if (draft.editorQuery.language !== widget.language) {
      await accounts.widgets.setLanguage(user, id, draft.editorQuery.language);
    }
    return accounts.widgets.byId(user, id);
  };

  const saveForm = async (
    request: DashboardRequest,
    form: FormData,
    widget: Widget,
  ): Promise<Response> => {
    const { user, words } = request;
    const { editor } = words.dashboard.widget;
    const isPassing = fieldOf(form, "passing") === "1";
    const byScript = fieldOf(form, "answer") === "json";
    const draft = readDraft(form, widget);
    const mistakes: DraftMistakes = {
      ...(readKeyName(draft.name) === undefined && { name: editor.nameRule }),
      ...(Buffer.byteLength(draft.css) > LONGEST_CSS && { css: cssTooLong(words, draft.css) }),
    };
    const refuse = (wrong: DraftMistakes): Promise<Response> | Response => {
      const text = wrong.name ?? wrong.css ?? editor.mistakes;
      return byScript
        ? answer(422, { kind: "refused", text })
        : showPage(
            request,
            widget,
            draft,
            { mistakes: wrong, notice: { tone: "bad", text: editor.mistakes } },
            422,
          );
    };
    if (draft.editorQuery.invalid.size > 0 || Object.keys(mistakes).length > 0) {
      return refuse(mistakes);
    }
    if (fieldOf(form, "basedOn") !== "" && editedRevision(form, widget) === undefined) {
      const text = fill(words.dashboard.gallery.mistakes.changed, { name: widget.name });
      return byScript
        ? answer(422, { kind: "refused", text })
        : showPage(request, widget, draft, { isOutdated: true }, 422);
    }
    try {
      const saved = await save(user, widget, draft, isPassing);
      if (byScript) return answer(200, { kind: "saved", revision: saved.revision });
      const query = pageQuery(draft.editorQuery, draft.editorQuery, widget.id);
      query.set(OUTCOME, "saved");
      return redirect(withQuery(pathTo(request, "widget"), query), 303);
    } catch (error) {
      if (!(error instanceof WidgetError)) throw error;
      if (error.reason === "name taken") return refuse({ name: editor.nameTaken });
      if (error.reason !== "changed meanwhile") throw error;
      const newest = await accounts.widgets.byId(user, widget.id);
      return byScript
        ? answer(409, { kind: "newer", revision: newest.revision })
        : showPage(
            request,
            newest,
            { ...draft, basedOn: newest.revision },
            { isOutdated: true },
            409,
          );
    }
  };

  const addFont = async (user: User, form: FormData): Promise<Outcome> => {
    const file = form.get("fontFile");
    const bytes = file instanceof Blob ? await file.bytes() : new Uint8Array();
    try {
      await accounts.fonts.add(user, fieldOf(form, "fontName"), bytes);
      return "font added";
    } catch (error) {
      if (error instanceof FontError) return `font ${error.reason}`;
      throw error;
    }
  };

  return {
    idIn: (form) =>
      fieldOf(form, "id") || (new URLSearchParams(fieldOf(form, "editorQuery")).get("id") ?? ""),

    async show(request, widget) {
      const { query, words, user, language } = request;
      const outcome = readOutcome(query.get(OUTCOME));
      const version = query.get("version");
      const revision =
        version === null
          ? undefined
          : (await accounts.widgets.revisionsOf(user, widget.id)).find(
              (one) => String(one.revision) === version,
            );
      if (revision) {
        const time = formatTime(language, revision.savedAt, clock.wallMs());
        const text = fill(words.dashboard.widget.editor.versionShown, { time });
        const notice: Notice = { tone: "good", text };
        return showPage(request, widget, draftOfVersion(widget, revision, query), { notice });
      }
      const saved = savedDraft(widget);
      const given = query.get("draft") === "1" ? query : savedQuery(widget);
      const editorQuery = readEditorQuery(withDemo(given, query));
      const ownQuery = pageQuery(editorQuery, saved.editorQuery, widget.id);
      if (outcome !== undefined) ownQuery.set(OUTCOME, outcome);
      // A form that is sent with GET has every field; keep only what matters in the address.
      const isShort = query.size === 0 || ownQuery.toString() === query.toString();
      if (editorQuery.invalid.size === 0 && !isShort) {
        return redirect(withQuery(pathTo(request, "widget"), ownQuery), 303);
      }
      const notice = outcome && noticeOf(outcome, words);
      return showPage(request, widget, { ...saved, editorQuery }, { notice });
    },

    async act(request, form, widget) {
      const { user, words } = request;
      switch (fieldOf(form, "do")) {
        case "save":
          return saveForm(request, form, widget);
        case "show":
          return showPage(request, widget, readDraft(form, widget));
        case "test":
          live.showFor(user.id, testTrack(words, clock.monotonicMs()), TEST_TRACK_MS);
          return backTo(request, form, widget, `tested ${live.onStream(user.id)}`);
        case "rotate":
          await accounts.widgets.rotate(user, widget.id);
          return backTo(request, form, widget, "rotated");
        case "add-font":
          return backTo(request, form, widget, await addFont(user, form));
        case "remove-font":
          await accounts.fonts.remove(user, fieldOf(form, "target"));
          return backTo(request, form, widget, "font removed");
        default:
          return redirect(pathTo(request, "widget"), 303);
      }
    },
  };
}

const answer = (status: number, body: SaveAnswer): Response =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

const cssTooLong = ({ dashboard }: Words, css: string): string =>
  fill(dashboard.widget.editor.cssTooLong, {
    used: String(Buffer.byteLength(css)),
    most: String(LONGEST_CSS),
  });

/** The result of a form. The address carries it, together with the editor's query. */
type Outcome =
  | "saved"
  | "rotated"
  /** With the number of browser sources that showed the track. */
  | `tested ${number}`
  | "font added"
  | "font removed"
  | `font ${FontError["reason"]}`;

const OUTCOME = "told";

function readOutcome(text: string | null): Outcome | undefined {
  const [, overlays] = /^tested (\d{1,3})$/.exec(text ?? "") ?? [];
  if (overlays !== undefined) return `tested ${Number(overlays)}`;
  return PLAIN_OUTCOMES.find((one) => one === text);
}

const PLAIN_OUTCOMES = [
  "saved",
  "rotated",
  "font added",
  "font removed",
  "font bad name",
  "font name taken",
  "font not WOFF2",
  "font too large",
  "font too many",
  "font there already",
] as const satisfies readonly Outcome[];

function noticeOf(outcome: Outcome, { dashboard }: Words): Notice {
  const { widget } = dashboard;
  const { editor } = widget;
  const good = (text: string): Notice => ({ tone: "good", text });
  const bad = (text: string): Notice => ({ tone: "bad", text });
  switch (outcome) {
    case "saved":
      return good(editor.savedNotice);
    case "rotated":
      return good(widget.rotated);
    case "font added":
      return good(editor.fonts.added);
    case "font removed":
      return good(editor.fonts.removed);
    case "font bad name":
      return bad(editor.fonts.badName);
    case "font name taken":
      return bad(editor.fonts.nameTaken);
    case "font not WOFF2":
      return bad(editor.fonts.notWoff2);
    case "font too large":
      return bad(editor.fonts.tooLarge);
    case "font too many":
      return bad(editor.fonts.tooMany);
    case "font there already":
      return bad(editor.fonts.thereAlready);
    default: {
      const [, count = "0"] = outcome.split(" ");
      return count === "0" ? bad(widget.testUnseen) : good(fill(widget.testSent, { count }));
    }
  }
}

function Address({ request, address }: { request: DashboardRequest; address: string }) {
  const { widget } = request.words.dashboard;
  return (
    <section class="address">
      <h2 safe>{widget.address}</h2>
      <HiddenCopyable language={request.language} label={widget.address} text={address} />
      <p class="hint" safe>
        {widget.editor.addressText}
      </p>
    </section>
  );
}

function OnStream({ request, isShown, ...draft }: EditorPartProps & { isShown: boolean }) {
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
          <EditorQueryField {...draft} />
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

function Rotation({ request, ...draft }: EditorPartProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <section class="rotation">
      <h2 safe>{widget.rotateTitle}</h2>
      <ConfirmedAction
        request={request}
        action="rotate"
        label={widget.rotate}
        consequence={widget.rotateText}
        go={widget.rotateGo}
      >
        <EditorQueryField {...draft} />
      </ConfirmedAction>
    </section>
  );
}
