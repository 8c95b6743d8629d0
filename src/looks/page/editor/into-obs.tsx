import { FIRST_WIDGET_NAME } from "../../new-widget.ts";
import type { Widget } from "../../widgets.ts";
import type { Words } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import type { SourceSize } from "../../../../widget/source-size.ts";
import { Labelled } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { Button, Hint, Submit } from "../../../html/parts.tsx";

/** What the card's script says; it comes with the page, in the page's language. */
export type IntoObsSentences = Words["dashboard"]["intoObs"]["sentences"];

/** What pages with this card connect to besides their own server: an OBS on the same computer. */
export const OBS_CONNECTIONS = "ws://127.0.0.1:* ws://localhost:*";

/** The name of a widget's browser source: OBS's own list says nothing of where a source comes from. */
export const sourceNameOf = ({ name }: Pick<Widget, "name">): string =>
  name === FIRST_WIDGET_NAME ? "Marquee" : `Marquee – ${name}`;

/** A widget as OBS gets it. */
export interface ObsWidgetProps {
  readonly request: DashboardRequest;
  /** The widget's address, without parameters for OBS. */
  readonly address: string;
  /** The name that the browser source gets. */
  readonly name: string;
  readonly size: SourceSize;
}

/**
 * Brings a widget into OBS: by a card to drag there, and over OBS's WebSocket server. At most one
 * a page. It needs `intoObsScript`, and `OBS_CONNECTIONS` in the page's policy.
 */
export function IntoObs(widgetProps: ObsWidgetProps): JSX.Element {
  const { request } = widgetProps;
  const { intoObs } = request.words.dashboard;
  return (
    <section
      class="into-obs"
      data-into-obs
      data-sentences={attribute(JSON.stringify(intoObs.sentences))}
    >
      <h2 safe>{intoObs.title}</h2>
      <p safe>{intoObs.text}</p>
      <div class="from-to">
        <ObsChip {...widgetProps} />
        <i class="way" aria-hidden="true" />
        <ObsPicture request={request} />
      </div>
      <ul class="mind">
        <li>
          <strong safe>{intoObs.notOnAir}</strong> <span safe>{intoObs.notOnAirText}</span>
        </li>
        <li>
          <strong safe>{intoObs.nothingHappens}</strong>{" "}
          <span safe>{intoObs.nothingHappensText}</span>
        </li>
      </ul>
      <PutIntoObs request={request} />
    </section>
  );
}

/**
 * The card to drag into OBS, also on its own beside a widget. It needs `intoObsScript`. It is no
 * hyperlink: browsers show where those lead, and the address is a secret.
 */
export function ObsChip({ request, address, name, size }: ObsWidgetProps): JSX.Element {
  return (
    <div
      class="obs-chip"
      draggable="true"
      data-drag
      data-address={attribute(address)}
      data-name={attribute(name)}
      data-width={String(size.width)}
      data-height={String(size.height)}
    >
      <i class="dots" />
      <i class="cover" />
      <span>
        <b safe>{request.words.dashboard.intoObs.drag}</b>
        <small>
          <span safe>{name}</span>
          <span>
            <span data-shows="width" safe>
              {String(size.width)}
            </span>
            {" × "}
            <span data-shows="height" safe>
              {String(size.height)}
            </span>
          </span>
        </small>
      </span>
    </div>
  );
}

/** A picture of OBS's window, with the place where the widget will be. */
function ObsPicture({ request }: { request: DashboardRequest }): JSX.Element {
  const { intoObs, widget } = request.words.dashboard;
  return (
    <div class="window" aria-hidden="true">
      <div class="canvas">
        <i class="place" />
      </div>
      <div class="docks">
        {[intoObs.scenes, widget.obs.sources].map((title) => (
          <div class="dock">
            <b safe>{title}</b>
            <i />
            <i />
          </div>
        ))}
      </div>
    </div>
  );
}

/** OBS's own server. These forms are never sent: their fields have no names, and no address. */
function PutIntoObs({ request }: { request: DashboardRequest }): JSX.Element {
  const { intoObs } = request.words.dashboard;
  return (
    <details class="put">
      <summary>
        <h3 safe>{intoObs.putTitle}</h3>
      </summary>
      <div>
        <p safe>{intoObs.putText}</p>
        <form method="dialog" autocomplete="off" data-access>
          <Hint text={intoObs.putHow} />
          <div class="fields">
            <Labelled id="obs-password" label={intoObs.password}>
              <input id="obs-password" type="password" autocomplete="off" maxlength="200" />
            </Labelled>
            <div class="field port">
              <label for="obs-port" safe>
                {intoObs.port}
              </label>
              <input
                id="obs-port"
                type="number"
                min="1"
                max="65535"
                value="4455"
                required
                autocomplete="off"
              />
            </div>
            <Submit label={intoObs.connect} />
          </div>
          <Hint text={intoObs.passwordStays} />
        </form>
        <form method="dialog" autocomplete="off" data-scenes hidden>
          <div class="fields">
            <Labelled id="obs-scene" label={intoObs.scene}>
              <select id="obs-scene" />
            </Labelled>
            <Submit label={intoObs.sentences.put} />
          </div>
          <p class="actions">
            <Button label={intoObs.refresh} class="quiet" data-refresh hidden />
            <Button label={intoObs.leave} class="quiet" data-leave />
          </p>
        </form>
        <p class="status idle" role="status" data-outcome />
      </div>
    </details>
  );
}
