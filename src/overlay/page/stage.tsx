import { nightScene } from "../../html/assets.ts";
import { attribute } from "../../html/attribute.ts";
import { pathTo } from "../../html/section-paths.ts";
import { Html } from "../../jsx.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { useLook } from "../../looks/look-actions.ts";
import { ObsChip, sourceNameOf } from "../../looks/page/editor/into-obs.tsx";
import { queryOf } from "../../looks/page/editor/tabs.tsx";
import { LookPreview } from "../../looks/page/gallery/look-preview.tsx";
import { UnreadableAddress } from "../../looks/page/unreadable-address.tsx";
import { sizeOf } from "../../../widget/source-size.ts";
import type { OfferedLook } from "./staged-overlay.ts";
import type { HomeView, ViewProps } from "./view.ts";

/** The overlay over a picture of a game. */
export function Scene({ view: { request, state, overlay } }: ViewProps): JSX.Element {
  if (!overlay) return <></>;
  const { widget, page } = overlay;
  if (!page) return <UnreadableAddress request={request} widget={widget} />;
  const { width, height } = sizeOf(widget);
  // Somebody without music sees the demo's.
  const music = state.connections.length === 0 ? "&demo=1" : "";
  return (
    <div class="scene" data-scene style={`--source-width:${width};--source-height:${height}`}>
      <img src={request.basePath + nightScene.path} alt="" width="1280" height="720" />
      <div class="stage">
        <iframe
          title={request.words.dashboard.widget.preview}
          tabindex="-1"
          src={attribute(`${page.path}?shown=always${music}`)}
        />
      </div>
    </div>
  );
}

/** Looks that the overlay may have. */
export function Looks({ view: { request, overlay } }: ViewProps): JSX.Element {
  if (!overlay) return <></>;
  const { home } = request.words.dashboard;
  return (
    <ul class="looks" aria-label={home.looks}>
      {overlay.looks.map((offered) => (
        <LookChoice request={request} widgetId={overlay.widget.id} offered={offered} />
      ))}
    </ul>
  );
}

interface LookChoiceProps extends Pick<HomeView, "request"> {
  readonly widgetId: number;
  readonly offered: OfferedLook;
}

/** A small picture of a look, and a button as large as it that puts the look on the overlay. */
function LookChoice({ request, widgetId, offered }: LookChoiceProps): JSX.Element {
  const { sent, look, path, css, isChosen } = offered;
  const { width, height } = sizeOf(look);
  return (
    <li data-look data-width={String(width)} data-height={String(height)}>
      <div inert>
        <LookPreview title={look.name} path={path} look={look} css={css} />
      </div>
      <ActionForm form={formOf(request, useLook, { id: widgetId, look: sent })} class="">
        <button
          type="submit"
          aria-label={attribute(look.name)}
          title={attribute(look.name)}
          aria-pressed={isChosen ? "true" : "false"}
        />
      </ActionForm>
    </li>
  );
}

/** What is dragged into OBS, the way for whoever drags nothing, and the way to all overlays. */
export function Handle({ view: { request, overlay } }: ViewProps): JSX.Element {
  const { home } = request.words.dashboard;
  const gallery = pathTo(request, "widget");
  return (
    <div class="handle">
      {overlay !== undefined && (
        <>
          {overlay.page !== undefined && (
            <ObsChip
              request={request}
              address={overlay.page.address}
              name={sourceNameOf(overlay.widget)}
              size={sizeOf(overlay.widget)}
            />
          )}
          <noscript>
            <p safe>{home.needsScript}</p>
          </noscript>
        </>
      )}
      <p>
        {overlay !== undefined && (
          <a href={attribute(`${gallery}?${queryOf(overlay.widget.id, "obs")}`)} safe>
            {home.otherWays}
          </a>
        )}
        <a href={gallery} safe>
          {home.allLooks}
        </a>
      </p>
    </div>
  );
}
