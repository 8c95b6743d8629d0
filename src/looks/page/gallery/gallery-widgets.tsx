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
import { Copyable, HiddenCopyable } from "../../../html/parts.tsx";
import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../../../dashboard/action-form.tsx";
import { Confirm } from "../../../dashboard/form.tsx";
import { copyWidget, removeWidget, renameWidget, rotateWidget } from "../../actions.ts";
import { ObsChip, sourceNameOf } from "../editor/into-obs.tsx";
import { sizeOf } from "../../../../widget/source-size.ts";
import { LookPreview, type LookPreviewProps } from "./look-preview.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { testTrack } from "../../../outputs/test-track.ts";

export interface WidgetCardProps {
  readonly request: DashboardRequest;
  readonly widget: Widget;
  readonly token: WidgetToken;
  /** Whether a browser source shows it. */
  readonly isOnStream: boolean;
}

type PartProps = Pick<WidgetCardProps, "request" | "widget">;

/** One of the user's widgets, and what can be done with it. */
export function WidgetCard(props: WidgetCardProps): JSX.Element {
  const { request, widget, token, isOnStream } = props;
  const { words, language, basePath, baseUrl } = request;
  const t = words.dashboard.gallery;
  const { id, name, kind } = widget;
  const isOverlay = kind === "overlay";
  const { width, height } = sizeOf(widget);
  const pathLanguage = widget.language ?? language;
  const addressAt = (base: string) => outputAddress(base, pathLanguage, kind, token);
  return (
    <li id={`widget-${id}`}>
      <Preview
        request={request}
        widget={widget}
        path={addressAt(basePath)}
        title={fill(t.preview, { name })}
      />
      <h3 dir="auto" safe>
        {name}
      </h3>
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
      {isOverlay && (
        <ObsChip
          request={request}
          address={addressAt(baseUrl)}
          name={sourceNameOf(widget)}
          size={{ width, height }}
        />
      )}
      <div class="address-line">
        <span safe>{isOverlay ? words.dashboard.widget.address : fill(t.address, { name })}</span>
        <HiddenCopyable
          language={language}
          label={fill(t.address, { name })}
          text={addressAt(baseUrl)}
        />
      </div>
      <div class="row-actions">
        <a
          class="button"
          href={attribute(`${pathTo(request, "widget")}?id=${id}`)}
          aria-label={attribute(`${t.edit}: ${name}`)}
          safe
        >
          {t.edit}
        </a>
        {isOverlay && <Shared {...props} />}
        <MoreActions {...props} />
      </div>
    </li>
  );
}

function MoreActions({ request, widget }: PartProps): JSX.Element {
  const t = request.words.dashboard.gallery;
  const { id, name } = widget;
  const rename = formOf(request, renameWidget, { id });
  const isRefused = rename.refused !== undefined;
  return (
    <details class="more" open={isRefused}>
      <summary class="button quiet" aria-label={attribute(`${t.more}: ${name}`)} safe>
        {t.more}
      </summary>
      <div class="row-actions">
        <Confirm label={t.rename} consequence={t.renameText} isOpen={isRefused}>
          <ActionForm form={rename}>
            <>
              <TextInput form={rename} name="name" label={t.name} value={name} />
              <button type="submit" safe>
                {t.renameGo}
              </button>
            </>
          </ActionForm>
        </Confirm>
        <ActionButton form={formOf(request, copyWidget, { id })} label={t.copy} />
        <ConfirmedAction
          form={formOf(request, rotateWidget, { id })}
          label={t.rotate}
          consequence={t.rotateText}
          go={t.rotateGo}
        />
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

type PreviewProps = PartProps & Pick<LookPreviewProps, "path" | "title">;

/** How it looks, or what it says of an invented song. */
function Preview({ request, widget, path, title }: PreviewProps): JSX.Element {
  switch (widget.kind) {
    case "overlay":
      return <LookPreview title={title} path={`${path}?demo=1`} look={widget} />;
    case "card":
      return (
        <p class="card-preview">
          <img
            src={attribute(path)}
            alt={attribute(title)}
            width="400"
            height="100"
            loading="lazy"
          />
        </p>
      );
    case "text":
      return (
        <p class="text-preview" dir="auto" safe>
          {sampleLine(request, widget)}
        </p>
      );
  }
}

function sampleLine({ words, language }: DashboardRequest, widget: Widget): string {
  const playback = testTrack(words, 0);
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
      <dl class="copies">
        <dt safe>{t.shareLink}</dt>
        <dd>
          <Copyable language={language} text={sharedLookLink(page, widget)} />
        </dd>
        <dt safe>{t.shareJson}</dt>
        <dd>
          <Copyable language={language} text={sharedLookJson(widget)} />
        </dd>
      </dl>
    </Confirm>
  );
}
