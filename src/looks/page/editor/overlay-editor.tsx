import { dashboardAddress, onDemandAddress, widgetAddress } from "../../../addresses.ts";
import { ActionForm, formOf } from "../../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { intoObsScript } from "../../../html/assets.ts";
import { attribute } from "../../../html/attribute.ts";
import { HiddenCopyable, Hint, LinkButton, Submit, Titled } from "../../../html/parts.tsx";
import { languages } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { type Language, LANGUAGES } from "../../../languages.ts";
import type { Live } from "../../../overlay/live.ts";
import { shippedLooks } from "../../../overlay/looks/shipped.ts";
import { isOnDemand, type Look } from "../../look.ts";
import { nothingIfUnreadable } from "../../../vault/vault.ts";
import { UnreadableAddress } from "../unreadable-address.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import type { WidgetWords } from "../../../../widget/words.ts";
import { testWidgets } from "../../editor-actions.ts";
import { type EditorDeps, type Edited, editorPage, ReplaceAddress } from "./editor-page.tsx";
import { Fonts } from "./fonts.tsx";
import { CssGroup } from "./css-group.tsx";
import { IntoObs, OBS_CONNECTIONS, sourceNameOf } from "./into-obs.tsx";
import { LookStrip } from "./look-strip.tsx";
import { ObsSteps } from "./obs-steps.tsx";
import { OptionsForm } from "./options-form.tsx";
import { Preview, PreviewChoices } from "./preview.tsx";
import type { OverlaySetup, SetupOf } from "./setup.ts";
import { StandIn } from "./stand-in.tsx";
import { panelOf, queryOf, Tabs } from "./tabs.tsx";
import { Versions } from "./versions.tsx";

export interface OverlayEditorDeps extends EditorDeps {
  readonly live: Pick<Live, "onStream">;
}

const wordsOf = (language: Language): WidgetWords => languages[language].widget;

/** The page on which an overlay is edited. @param tried a look to begin with, which is not saved */
export async function overlayEditor(
  { accounts: { widgets, fonts, standInCovers }, live }: OverlayEditorDeps,
  edited: Edited,
  tried: Look | undefined,
): Promise<Response> {
  const { request, widget, token } = edited;
  const { user, words, baseUrl, basePath, language } = request;
  const { intoObs } = words.dashboard;
  // The token is made when it is first needed.
  const showToken = isOnDemand(widget)
    ? await widgets.showTokenOf(user, widget.id).catch(nothingIfUnreadable)
    : undefined;
  const pathLanguage = widget.language ?? language;
  const inObs = {
    request,
    address: widgetAddress(baseUrl, pathLanguage, token),
    name: sourceNameOf(widget),
    size: sizeOf(widget),
  };
  const looks = shippedLooks(words);
  const own = fonts.allOf(user);
  const setup: SetupOf<OverlaySetup> = {
    basePath,
    language,
    fonts: own,
    looks,
    tried,
    words: Object.fromEntries(LANGUAGES.map((name) => [name, wordsOf(name)])) as Record<
      Language,
      WidgetWords
    >,
  };
  return editorPage({
    edited,
    setup,
    scripts: [intoObsScript.path],
    connections: OBS_CONNECTIONS,
    tabs: <Tabs request={request} widget={widget} />,
    editor: (
      <>
        <Preview {...edited} />
        <div {...panelOf(request, "design")}>
          <PreviewChoices request={request} />
          <LookStrip request={request} looks={looks} />
          <OptionsForm request={request} />
          <Fonts request={request} fonts={own} />
          <StandIn request={request} id={standInCovers.idOf(user.id)} />
          <Versions request={request} />
        </div>
      </>
    ),
    children: (
      <div {...panelOf(request, "obs")}>
        <noscript>
          <p class="notice" safe>
            {intoObs.needsScript}
          </p>
        </noscript>
        <IntoObs {...inObs} />
        <ObsSteps {...inObs} />
        <OnStream edited={edited} isShown={live.onStream(user.id) > 0} />
        <OnDemand request={request} token={showToken} />
        {isOnDemand(widget) && showToken === undefined && (
          <Titled title={words.dashboard.widget.onDemand.title}>
            <UnreadableAddress
              request={request}
              widget={widget}
              at={queryOf(widget.id, "obs")}
              show
            />
          </Titled>
        )}
        <details class="group more-obs">
          <summary>
            <h2 safe>{words.dashboard.widget.groups.more}</h2>
          </summary>
          <div>
            <Launcher
              request={request}
              address={`${widgetAddress(basePath, pathLanguage, token)}/launcher`}
            />
            <ReplaceAddress edited={edited} consequence={words.dashboard.widget.rotateText} />
            <CssGroup request={request} />
          </div>
        </details>
      </div>
    ),
  });
}

/** The addresses for the key of a Stream Deck, which an overlay that is not always shown has. */
function OnDemand(props: {
  readonly request: DashboardRequest;
  readonly token: string | undefined;
}): JSX.Element {
  const { request, token } = props;
  const { onDemand } = request.words.dashboard.widget;
  return (
    <Titled title={onDemand.title} class="address" data-on-demand hidden={token === undefined}>
      {(["show", "hide"] as const).map((does) => (
        <div data-follows={does}>
          <HiddenCopyable
            language={request.language}
            label={onDemand[does]}
            text={token === undefined ? "" : onDemandAddress(request.baseUrl, does, token)}
          />
        </div>
      ))}
      <Hint text={onDemand.text} />
    </Titled>
  );
}

function OnStream(props: { readonly edited: Edited; readonly isShown: boolean }): JSX.Element {
  const { edited, isShown } = props;
  const { request } = edited;
  const { basePath, language, words } = request;
  const { widget, home } = words.dashboard;
  return (
    <Titled
      title={widget.onStream}
      class="on-stream"
      data-live={dashboardAddress(basePath, language, "/live")}
    >
      <p class={`status ${isShown ? "good" : "idle"}`} role="status" data-live-presence safe>
        {isShown ? home.onStream : home.notOnStream}
      </p>
      <ActionForm
        form={formOf(request, testWidgets)}
        at={queryOf(edited.widget.id, "obs")}
        class="test"
      >
        <Hint text={widget.testText} />
        <p class="actions">
          <Submit label={widget.test} class="quiet" />
        </p>
        <p
          class="outcome"
          role="status"
          data-test-outcome
          data-sent={attribute(widget.testSent)}
          data-unseen={attribute(widget.testUnseen)}
        />
      </ActionForm>
    </Titled>
  );
}

function Launcher({
  request,
  address,
}: {
  readonly request: DashboardRequest;
  readonly address: string;
}): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <Titled title={widget.launcherTitle}>
      <p safe>{widget.launcherText}</p>
      <p class="actions">
        <LinkButton label={widget.launcher} href={address} download="" data-launcher />
      </p>
    </Titled>
  );
}
