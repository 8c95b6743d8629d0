import type { WidgetToken } from "../../../accounts/credential.ts";
import type { Widget } from "../../widgets.ts";
import { outputAddress } from "../../../addresses.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { lineOf, lineValuesOf } from "../../../outputs/line.ts";
import { readTextOptions } from "../../../outputs/options.ts";
import { lineWords, USUAL_MOST } from "../../../outputs/text.ts";
import { attribute } from "../../../html/attribute.ts";
import { sharedLookJson, sharedLookLink } from "../../../overlay/looks/shared-look.ts";
import { Copies, HiddenCopyable, LinkButton, Submit } from "../../../html/parts.tsx";
import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../../../dashboard/action-form.tsx";
import { Confirm } from "../../../html/form.tsx";
import { copyWidget, removeWidget, renameWidget, rotateWidget } from "../../actions.ts";
import { ObsChip, sourceNameOf } from "../editor/into-obs.tsx";
import { consequenceOfReplacing } from "../replacing.ts";
import { UnreadableAddress } from "../unreadable-address.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import { LookPreview } from "./look-preview.tsx";
import type { Playback } from "../../../playback.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { testTrack } from "../../../outputs/test-track.ts";

export interface WidgetRowProps {
  readonly request: DashboardRequest;
  readonly widget: Widget;
  /** `undefined` for a damaged one. */
  readonly token: WidgetToken | undefined;
  /** Whether a browser source shows it. */
  readonly isOnStream: boolean;
  /** The user's song that viewers may see; `undefined` while there is none. */
  readonly song: Playback | undefined;
}

type PartProps = Pick<WidgetRowProps, "request" | "widget">;

/** One of the user's widgets, and what can be done with it. */
export function WidgetRow(props: WidgetRowProps): JSX.Element {
  const { request, widget, isOnStream } = props;
  const { words, baseUrl } = request;
  const t = words.dashboard.gallery;
  const { id, name, kind } = widget;
  const isOverlay = kind === "overlay";
  const { width, height } = sizeOf(widget);
  const editor = `${pathTo(request, "widget")}?id=${id}`;
  const address = addressOf(props, baseUrl);
  return (
    <li id={`widget-${id}`}>
      <div class="shot">
        <Preview {...props} />
        {/* A frame may not stand within a hyperlink. */}
        <a href={attribute(editor)} tabindex="-1" aria-hidden="true" />
      </div>
      <div class="named">
        <h2 dir="auto" safe>
          {name}
        </h2>
        <p class="facts">
          <span safe>{t.kinds[kind]}</span>
          {isOverlay && (
            <span safe>{fill(t.size, { width: String(width), height: String(height) })}</span>
          )}
          {isOnStream && (
            <span class="tag" safe>
              {t.onStream}
            </span>
          )}
        </p>
        {address === undefined && <UnreadableAddress request={request} widget={widget} />}
      </div>
      <div class="row-actions">
        {isOverlay && address !== undefined && (
          <ObsChip
            request={request}
            address={address}
            name={sourceNameOf(widget)}
            size={{ width, height }}
          />
        )}
        <LinkButton label={t.edit} href={editor} aria-label={attribute(`${t.edit}: ${name}`)} />
        <MoreActions {...props} />
      </div>
    </li>
  );
}

/** @param base the server's address, or its path */
const addressOf = (
  { request, widget, token }: PartProps & Pick<WidgetRowProps, "token">,
  base: string,
): string | undefined =>
  token && outputAddress(base, widget.language ?? request.language, widget.kind, token);

function MoreActions(props: WidgetRowProps): JSX.Element {
  const { request, widget } = props;
  const t = request.words.dashboard.gallery;
  const { id, name } = widget;
  const rename = formOf(request, renameWidget, { id });
  const isRefused = rename.refused !== undefined;
  const address = addressOf(props, request.baseUrl);
  return (
    <details class="more" open={isRefused}>
      <summary class="button quiet" aria-label={attribute(`${t.more}: ${name}`)} safe>
        {t.more}
      </summary>
      <div class="row-actions">
        {address !== undefined && (
          <HiddenCopyable
            language={request.language}
            label={fill(t.address, { name })}
            text={address}
          />
        )}
        {widget.kind === "overlay" && <Shared {...props} />}
        <Confirm label={t.rename} consequence={t.renameText} isOpen={isRefused}>
          <ActionForm form={rename}>
            <TextInput form={rename} name="name" label={t.name} value={name} />
            <Submit label={t.renameGo} />
          </ActionForm>
        </Confirm>
        <ActionButton form={formOf(request, copyWidget, { id })} label={t.copy} />
        {address !== undefined && (
          <ConfirmedAction
            form={formOf(request, rotateWidget, { id })}
            label={t.rotate}
            consequence={consequenceOfReplacing(widget.kind, request.words)}
            go={t.rotateGo}
          />
        )}
        <ConfirmedAction
          form={formOf(request, removeWidget, { id })}
          label={t.remove}
          consequence={t.removeText}
          go={t.removeGo}
        />
      </div>
    </details>
  );
}

/** How it looks, or what it says of a song: the user's, else an invented one. */
function Preview(props: WidgetRowProps): JSX.Element {
  const { request, widget, song } = props;
  const path = addressOf(props, request.basePath);
  const title = fill(request.words.dashboard.gallery.preview, { name: widget.name });
  if (widget.kind === "text") {
    return (
      <p class="line" dir="auto" safe>
        {lineFor(props)}
      </p>
    );
  }
  if (path === undefined) return <></>;
  switch (widget.kind) {
    case "overlay": {
      const own = `${path}?shown=always`;
      const shown = song ? { path: own } : { path: `${own}&demo=ordinary`, ownPath: own };
      return <LookPreview title={title} look={widget} {...shown} />;
    }
    case "card":
      return (
        <img src={attribute(path)} alt={attribute(title)} width="400" height="100" loading="lazy" />
      );
  }
}

function lineFor({ request: { words, language }, widget, song }: WidgetRowProps): string {
  const playback = song ?? testTrack(words, 0);
  return lineOf(lineValuesOf({ kind: "playback", playback, connectionId: undefined }, 0), {
    options: readTextOptions(widget.options),
    words: lineWords(widget.language ?? language),
    most: USUAL_MOST,
  });
}

/** The widget's look, to give it to somebody else. */
function Shared({ request, widget }: PartProps): JSX.Element {
  const { words, language, baseUrl } = request;
  const t = words.dashboard.gallery;
  const page = pathTo({ basePath: baseUrl, language }, "widget");
  return (
    <Confirm label={t.share} consequence={t.shareText}>
      <Copies
        language={language}
        texts={[
          { label: t.shareLink, text: sharedLookLink(page, widget) },
          { label: t.shareJson, text: sharedLookJson(widget) },
        ]}
      />
    </Confirm>
  );
}
