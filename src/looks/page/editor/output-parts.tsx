import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { type Reach, reachOf } from "../../../outputs/reach.ts";
import { ConfirmedAction } from "../../../dashboard/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import type { Widget } from "../../widgets.ts";
import { pathTo } from "../../../html/section-paths.ts";

/** Why services on the internet cannot reach this server; nothing when they can. */
export function Unreachable({
  baseUrl,
  reasons,
}: {
  readonly baseUrl: string;
  readonly reasons: Readonly<Record<Exclude<Reach, "public">, string>>;
}): JSX.Element {
  const reach = reachOf(baseUrl);
  if (reach === "public") return <></>;
  return (
    <p class="status warn unreachable" safe>
      {fill(reasons[reach], { host: new URL(baseUrl).host })}
    </p>
  );
}

/** Replaces a widget's token after a question. */
export function ReplaceAddress({
  request,
  consequence,
  children,
}: {
  readonly request: DashboardRequest;
  readonly consequence: string;
  /** The field that says which widget it is. */
  readonly children: JSX.Element;
}): JSX.Element {
  const { widget: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.rotateTitle}</h2>
      <ConfirmedAction
        request={request}
        action="rotate"
        label={t.rotate}
        consequence={consequence}
        go={t.rotateGo}
      >
        {children as "safe"}
      </ConfirmedAction>
    </section>
  );
}

export interface SwitchProps {
  readonly name: string;
  readonly label: string;
  readonly isOn: boolean;
}

/** A choice between yes, which is sent as "1", and no, which is not sent. */
export const Switch = ({ name, label, isOn }: SwitchProps): JSX.Element => (
  <p class="control switch">
    <label>
      <input type="checkbox" name={name} value="1" {...(isOn && { checked: true })} />
      <span safe>{label}</span>
    </label>
  </p>
);

/** Says which widget a form is about. */
export const WidgetId = ({ widget }: { readonly widget: Pick<Widget, "id"> }): JSX.Element => (
  <input type="hidden" name="id" value={String(widget.id)} />
);

/** The form of an editor, with the revision that was edited. */
export function EditorForm({
  request,
  widget,
  basedOn,
  children,
}: {
  readonly request: DashboardRequest;
  readonly widget: Pick<Widget, "id">;
  readonly basedOn: number;
  readonly children: JSX.Element;
}): JSX.Element {
  const { text } = request.words.outputs;
  return (
    <form method="post" action={pathTo(request, "widget")} class="form wide" data-output>
      <input type="hidden" name="token" value={request.formToken} />
      <WidgetId widget={widget} />
      <input type="hidden" name="basedOn" value={String(basedOn)} />
      {children as "safe"}
      <p class="actions">
        <button type="submit" name="do" value="save" safe>
          {text.save}
        </button>
        <button type="submit" name="do" value="show" class="quiet" data-without-script safe>
          {text.show}
        </button>
      </p>
    </form>
  );
}
