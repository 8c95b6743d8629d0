import { Html } from "../../../jsx.ts";
import { Copyable, HiddenCopyable, Hint, Titled } from "../../../html/parts.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import type { SourceSize } from "../../../../widget/source-size.ts";

const SIDES = ["width", "height"] as const;

export interface ObsStepsProps {
  readonly request: DashboardRequest;
  readonly address: string;
  readonly size: SourceSize;
}

/** The steps to add the overlay to OBS. */
export function ObsSteps({ request, address, size }: ObsStepsProps): JSX.Element {
  const { obs, editor, address: addressLabel } = request.words.dashboard.widget;
  const { language } = request;
  return (
    <Titled title={obs.title} class="obs">
      <ol class="steps">
        <li>
          <div class="outcome">
            <strong safe>{obs.addTitle}</strong>
            <p safe>{obs.addText}</p>
          </div>
          <MenuPicture request={request} />
        </li>
        <li>
          <div class="outcome">
            <strong safe>{obs.fillTitle}</strong>
            <p safe>{obs.fillText}</p>
            <dl class="copies">
              <dt safe>{addressLabel}</dt>
              <dd>
                <HiddenCopyable language={language} label={addressLabel} text={address} />
                <Hint text={editor.addressText} />
              </dd>
              {SIDES.map((side) => (
                <>
                  <dt safe>{obs[side]}</dt>
                  <dd data-follows={side}>
                    <Copyable language={language} text={String(size[side])} />
                  </dd>
                </>
              ))}
            </dl>
          </div>
          <PropertiesPicture request={request} address={address} size={size} />
        </li>
        <li>
          <div class="outcome">
            <strong safe>{obs.doneTitle}</strong>
            <p safe>{obs.doneText}</p>
          </div>
          <ScenePicture request={request} />
        </li>
      </ol>
    </Titled>
  );
}

/** A picture of the menu that the + below the sources opens. */
function MenuPicture({ request }: { request: DashboardRequest }): JSX.Element {
  const { obs } = request.words.dashboard.widget;
  return (
    <div class="picture menu" aria-hidden="true">
      <div class="dock">
        <b safe>{obs.sources}</b>
        <i />
        <i />
        <span class="plus">+</span>
      </div>
      <ul>
        {obs.menu.map((entry, index) => (
          <li class={index === 1 ? "chosen" : ""} safe>
            {entry}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A picture of the source's properties, filled in. */
function PropertiesPicture({ request, address, size }: ObsStepsProps): JSX.Element {
  const { obs } = request.words.dashboard.widget;
  return (
    <div class="picture properties" aria-hidden="true">
      <b safe>{obs.properties}</b>
      <div class="line">
        <span>URL</span>
        <em safe>{address.replace(/\w+$/, "…")}</em>
      </div>
      {SIDES.map((side) => (
        <div class="line">
          <span safe>{obs[side]}</span>
          <em class="short" data-shows={side} safe>
            {String(size[side])}
          </em>
        </div>
      ))}
      <span class="ok">OK</span>
    </div>
  );
}

/** A picture of the overlay over a game. */
function ScenePicture({ request }: { request: DashboardRequest }): JSX.Element {
  const { testTrack } = request.words.dashboard.widget;
  return (
    <div class="picture scene" aria-hidden="true">
      <i class="sun" />
      <i class="far" />
      <i class="near" />
      <div class="card">
        <i class="cover" />
        <div>
          <b safe>{testTrack.title}</b>
          <span safe>{testTrack.artist}</span>
          <i class="bar" />
        </div>
      </div>
    </div>
  );
}
