import { dashboardAddress, onDemandAddress, widgetAddress } from "../../../addresses.ts";
import { Html } from "../../../jsx.ts";
import { intoObsScript, widgetEditorScript } from "../../../html/assets.ts";
import { attribute } from "../../../html/attribute.ts";
import { HiddenCopyable } from "../../../html/parts.tsx";
import type { Live } from "../../../overlay/live.ts";
import { Form } from "../../../dashboard/form.tsx";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import { ReplaceAddress } from "./output-parts.tsx";
import type { DashboardRequest, Notice } from "../../../dashboard/request.ts";
import { type DraftMistakes, type EditorPartProps, EditorQueryField, isAsSaved } from "./draft.tsx";
import { chosenSize } from "./editor-query.ts";
import { Fonts } from "./fonts.tsx";
import { galleryOf } from "../gallery/gallery-link.ts";
import { IntoObs, OBS_CONNECTIONS, sourceNameOf } from "./into-obs.tsx";
import { ObsSteps } from "./obs-steps.tsx";
import { OptionsForm } from "./options-form.tsx";
import { Preview, PreviewChoices } from "./preview.tsx";
import { Versions } from "./versions.tsx";
import type { Parts } from "../../../http/parts.ts";

export interface WidgetEditorDeps extends Pick<Parts, "accounts" | "clock"> {
  readonly live: Pick<Live, "onStream" | "showFor">;
}

export interface EditorPageProps extends EditorPartProps {
  readonly notice?: Notice | undefined;
  readonly mistakes?: DraftMistakes;
  /** Whether another look was saved meanwhile. */
  readonly isOutdated?: boolean;
}

/** A response with the editor, which shows a draft of a widget. */
export async function editorPage(
  { accounts, live, clock }: WidgetEditorDeps,
  props: EditorPageProps,
  status = 200,
): Promise<Response> {
  const { request, widget, draft, notice, mistakes = {}, isOutdated = false } = props;
  const { user, words, baseUrl, basePath, language } = request;
  const [token, revisions, fonts] = await Promise.all([
    accounts.widgets.tokenOf(user, widget.id),
    accounts.widgets.revisionsOf(user, widget.id),
    accounts.fonts.allOf(user),
  ]);
  // Made when it is first needed.
  const isAsked = widget.options["shown"] === "asked" || widget.options["shown"] === "changes";
  const showToken = isAsked ? await accounts.widgets.showTokenOf(user, widget.id) : undefined;
  const pathLanguage = widget.language ?? language;
  const address = widgetAddress(baseUrl, pathLanguage, token);
  const size = chosenSize(draft.editorQuery);
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
          <div data-on-demand>
            {showToken !== undefined && <OnDemand request={request} token={showToken} />}
          </div>
          <IntoObs request={request} address={address} name={sourceNameOf(widget)} size={size} />
          <ObsSteps request={request} address={address} size={size} />
          <OnStream {...parts} isShown={live.onStream(user.id) > 0} />
          <Launcher
            request={request}
            address={`${widgetAddress(basePath, pathLanguage, token)}/launcher`}
          />
          <ReplaceAddress request={request} consequence={words.dashboard.widget.rotateText}>
            <EditorQueryField {...parts} />
          </ReplaceAddress>
        </>
      ),
    },
    status,
  );
}

type AddressProps = { readonly request: DashboardRequest; readonly address: string };

function Address({ request, address }: AddressProps): JSX.Element {
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

/** The addresses for the key of a Stream Deck, once an overlay is not always shown. */
function OnDemand({ request, token }: { request: DashboardRequest; token: string }): JSX.Element {
  const { widget } = request.words.dashboard;
  const { baseUrl, language } = request;
  return (
    <section class="address">
      <h2 safe>{widget.onDemand.title}</h2>
      <HiddenCopyable
        language={language}
        label={widget.onDemand.show}
        text={onDemandAddress(baseUrl, "show", token)}
      />
      <HiddenCopyable
        language={language}
        label={widget.onDemand.hide}
        text={onDemandAddress(baseUrl, "hide", token)}
      />
      <p class="hint" safe>
        {widget.onDemand.text}
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
      <Form request={request} action="test" class="">
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
          <p class="outcome" role="status" data-test-outcome />
        </>
      </Form>
    </section>
  );
}

function Launcher({ request, address }: AddressProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <section>
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
