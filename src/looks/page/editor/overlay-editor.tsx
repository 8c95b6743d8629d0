import { dashboardAddress, onDemandAddress, widgetAddress } from "../../../addresses.ts";
import { ActionForm, formOf } from "../../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { intoObsScript } from "../../../html/assets.ts";
import { attribute } from "../../../html/attribute.ts";
import { HiddenCopyable } from "../../../html/parts.tsx";
import { languages } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { type Language, LANGUAGES } from "../../../languages.ts";
import type { Live } from "../../../overlay/live.ts";
import { sizeOf } from "../../../../widget/source-size.ts";
import type { WidgetWords } from "../../../../widget/words.ts";
import { testWidgets } from "../../editor-actions.ts";
import { type EditorDeps, type Edited, editorPage } from "./editor-page.tsx";
import { Fonts } from "./fonts.tsx";
import { IntoObs, OBS_CONNECTIONS, sourceNameOf } from "./into-obs.tsx";
import { ObsSteps } from "./obs-steps.tsx";
import { OptionsForm } from "./options-form.tsx";
import { Preview, PreviewChoices } from "./preview.tsx";
import type { OverlaySetup, SetupOf } from "./setup.ts";
import { Versions } from "./versions.tsx";

export interface OverlayEditorDeps extends EditorDeps {
  readonly live: Pick<Live, "onStream">;
}

const wordsOf = (language: Language): WidgetWords => languages[language].widget;

/** The page on which an overlay is edited. */
export async function overlayEditor(
  { accounts: { widgets, fonts }, live }: OverlayEditorDeps,
  edited: Edited,
): Promise<Response> {
  const { request, widget, token } = edited;
  const { user, words, baseUrl, basePath, language } = request;
  // The token is made when it is first needed.
  const isOnDemand = (widget.options["shown"] ?? "always") !== "always";
  const showToken = isOnDemand ? await widgets.showTokenOf(user, widget.id) : undefined;
  const pathLanguage = widget.language ?? language;
  const address = widgetAddress(baseUrl, pathLanguage, token);
  const size = sizeOf(widget);
  const setup: SetupOf<OverlaySetup> = {
    ...{ basePath, language, fonts: fonts.allOf(user) },
    words: Object.fromEntries(LANGUAGES.map((name) => [name, wordsOf(name)])) as Record<
      Language,
      WidgetWords
    >,
  };
  return editorPage({
    edited,
    lead: words.dashboard.widget.lead,
    setup,
    scripts: [intoObsScript.path],
    connections: OBS_CONNECTIONS,
    rotateText: words.dashboard.widget.rotateText,
    editor: (
      <>
        <Preview {...edited} />
        <PreviewChoices request={request} />
        <OptionsForm request={request} />
        <Versions request={request} />
        <Fonts request={request} />
      </>
    ),
    children: (
      <>
        <Address request={request} address={address} />
        <OnDemand request={request} token={showToken} />
        <IntoObs request={request} address={address} name={sourceNameOf(widget)} size={size} />
        <ObsSteps request={request} address={address} size={size} />
        <OnStream edited={edited} isShown={live.onStream(user.id) > 0} />
        <Launcher
          request={request}
          address={`${widgetAddress(basePath, pathLanguage, token)}/launcher`}
        />
      </>
    ),
  });
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

/** The addresses for the key of a Stream Deck, which an overlay that is not always shown has. */
function OnDemand(props: {
  readonly request: DashboardRequest;
  readonly token: string | undefined;
}): JSX.Element {
  const { request, token } = props;
  const { onDemand } = request.words.dashboard.widget;
  return (
    <section class="address" data-on-demand hidden={token === undefined}>
      <h2 safe>{onDemand.title}</h2>
      {(["show", "hide"] as const).map((does) => (
        <div data-follows={does}>
          <HiddenCopyable
            language={request.language}
            label={onDemand[does]}
            text={token === undefined ? "" : onDemandAddress(request.baseUrl, does, token)}
          />
        </div>
      ))}
      <p class="hint" safe>
        {onDemand.text}
      </p>
    </section>
  );
}

function OnStream(props: { readonly edited: Edited; readonly isShown: boolean }): JSX.Element {
  const { edited, isShown } = props;
  const { request } = edited;
  const { basePath, language, words } = request;
  const { widget, home } = words.dashboard;
  return (
    <section class="on-stream" data-live={dashboardAddress(basePath, language, "/live")}>
      <h2 safe>{widget.onStream}</h2>
      <p class={`status ${isShown ? "good" : "idle"}`} role="status" data-live-presence safe>
        {isShown ? home.onStream : home.notOnStream}
      </p>
      <ActionForm form={formOf(request, testWidgets)} at={`id=${edited.widget.id}`} class="test">
        <>
          <p class="hint" safe>
            {widget.testText}
          </p>
          <p class="actions">
            <button type="submit" class="quiet" safe>
              {widget.test}
            </button>
          </p>
          <p
            class="outcome"
            role="status"
            data-test-outcome
            data-sent={attribute(widget.testSent)}
            data-unseen={attribute(widget.testUnseen)}
          />
        </>
      </ActionForm>
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
