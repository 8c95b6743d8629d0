import type { Accounts } from "../../accounts/accounts.ts";
import { WIDGET_KINDS } from "../../looks/new-widget.ts";
import { Html } from "../../jsx.ts";
import { intoObsScript, widgetGalleryScript } from "../../html/assets.ts";
import type { Live } from "../../overlay/live.ts";
import { shippedLooks } from "../../overlay/looks/shipped.ts";
import { Choice, Field, Form } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest } from "../request.ts";
import { freeName } from "./free-name.ts";
import { ImportForm, ShippedLooks } from "./gallery-looks.tsx";
import { WidgetCard } from "./gallery-widgets.tsx";

export interface WidgetGalleryDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly live: Pick<Live, "onStreamWith">;
}

/** A response with the user's widgets, and with what is wrong with a pasted look, if anything is. */
export async function galleryPage(
  { accounts: { widgets }, live }: WidgetGalleryDeps,
  request: DashboardRequest,
  wrong?: { readonly pasted: string; readonly mistake: string },
): Promise<Response> {
  const { words, user } = request;
  const t = words.dashboard.gallery;
  const all = await widgets.allOf(user);
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
        <ImportForm request={request} {...wrong} />
      </div>
    ),
  };
  return dashboardPage(page, wrong ? 422 : 200);
}

type NewWidgetProps = { readonly request: DashboardRequest; readonly taken: readonly string[] };

function NewWidget({ request, taken }: NewWidgetProps): JSX.Element {
  const t = request.words.dashboard.gallery;
  return (
    <details class="confirm new-widget">
      <summary class="button" safe>
        {t.add}
      </summary>
      <div>
        <Form request={request} action="add">
          <>
            <Field
              id="name"
              label={t.name}
              value={freeName("Widget", taken)}
              maxlength={60}
              required
            />
            <Choice
              id="kind"
              label={t.kind}
              chosen={WIDGET_KINDS[0]}
              options={WIDGET_KINDS.map((value) => ({ value, label: t.kinds[value] }))}
            />
            <button type="submit" safe>
              {t.addGo}
            </button>
          </>
        </Form>
      </div>
    </details>
  );
}
