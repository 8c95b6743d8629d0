import { WIDGET_KINDS } from "../../new-widget.ts";
import { Html } from "../../../jsx.ts";
import { intoObsScript, widgetGalleryScript } from "../../../html/assets.ts";
import type { Live } from "../../../overlay/live.ts";
import { shippedLooks } from "../../../overlay/looks/shipped.ts";
import { ActionForm, ChoiceInput, formOf, TextInput } from "../../../dashboard/action-form.tsx";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { readSharedLook } from "../../../overlay/looks/shared-look.ts";
import { addWidget } from "../../actions.ts";
import { freeName } from "../../free-name.ts";
import { refusedLook } from "../../look-actions.ts";
import { ImportForm, lookView, SHOW_LOOK, ShippedLooks } from "./gallery-looks.tsx";
import { WidgetCard } from "./gallery-widgets.tsx";
import type { Parts } from "../../../http/parts.ts";

export interface WidgetGalleryDeps extends Pick<Parts, "accounts"> {
  readonly live: Pick<Live, "onStreamWith">;
}

/** The user's widgets, and the looks to make one of. */
export async function galleryPage(
  { accounts: { widgets }, live }: WidgetGalleryDeps,
  request: DashboardRequest,
): Promise<Response> {
  const { words, user, refused } = request;
  const t = words.dashboard.gallery;
  const all = widgets.allOf(user);
  const pasted = readSharedLook(String(refused?.texts["look"] ?? ""));
  // Somebody who typed a wrong name for a pasted look goes on with the look.
  if ("look" in pasted) return lookView({ request, ...pasted, widgets: all });
  const cards = await Promise.all(
    all.map(async (widget) => {
      const token = await widgets.tokenOf(user, widget.id);
      return { widget, token, isOnStream: live.onStreamWith(token) > 0 };
    }),
  );
  const page = {
    request,
    title: t.title,
    lead: t.lead,
    scripts: [widgetGalleryScript.path, intoObsScript.path],
    children: (
      <div class="gallery">
        <section>
          <h2 safe>{t.yours}</h2>
          {cards.length === 0 && <p safe>{t.none}</p>}
          <ul class="cards">
            {cards.map((card) => (
              <WidgetCard request={request} {...card} />
            ))}
          </ul>
          <NewWidget request={request} taken={all.map(({ name }) => name)} />
        </section>
        <ShippedLooks request={request} looks={shippedLooks(words)} widgets={all} />
        <ImportForm request={request} />
      </div>
    ),
  };
  return dashboardPage(page);
}

/** A pasted look, or what is wrong with it. Nothing is saved. */
export function pastedLookPage(
  deps: WidgetGalleryDeps,
  request: DashboardRequest,
  form: FormData,
): Promise<Response> {
  const text = fieldOf(form, "look");
  const read = readSharedLook(text);
  if ("look" in read) {
    return lookView({ request, ...read, widgets: deps.accounts.widgets.allOf(request.user) });
  }
  const mistake = refusedLook(read.mistake).text(request.words);
  const refused = { action: SHOW_LOOK.name, texts: { look: text }, field: "look", text: mistake };
  return galleryPage(deps, { ...request, refused });
}

interface NewWidgetProps {
  readonly request: DashboardRequest;
  readonly taken: readonly string[];
}

function NewWidget({ request, taken }: NewWidgetProps): JSX.Element {
  const t = request.words.dashboard.gallery;
  const form = formOf(request, addWidget);
  return (
    <details class="unfolds new-widget" open={form.refused !== undefined}>
      <summary class="button" safe>
        {t.add}
      </summary>
      <div>
        <ActionForm form={form}>
          <>
            <TextInput form={form} name="name" label={t.name} value={freeName("Widget", taken)} />
            <ChoiceInput
              form={form}
              name="kind"
              label={t.kind}
              value={WIDGET_KINDS[0]}
              options={WIDGET_KINDS.map((value) => ({ value, label: t.kinds[value] }))}
            />
            <button type="submit" safe>
              {t.addGo}
            </button>
          </>
        </ActionForm>
      </div>
    </details>
  );
}
