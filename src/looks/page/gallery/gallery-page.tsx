import { WIDGET_KINDS } from "../../new-widget.ts";
import { Html } from "../../../jsx.ts";
import { intoObsScript, widgetGalleryScript } from "../../../html/assets.ts";
import type { Live } from "../../../overlay/live.ts";
import { shippedLooks } from "../../../overlay/looks/shipped.ts";
import { Choice, Field, Form } from "../../../dashboard/form.tsx";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { freeName } from "./free-name.ts";
import { ImportForm, ShippedLooks } from "./gallery-looks.tsx";
import type { RefusedForm } from "./gallery-notices.ts";
import { WidgetCard } from "./gallery-widgets.tsx";
import { LONGEST_KEY_NAME } from "../../../accounts/key-name.ts";
import type { Parts } from "../../../http/parts.ts";

export interface WidgetGalleryDeps extends Pick<Parts, "accounts"> {
  readonly live: Pick<Live, "onStreamWith">;
}

/** A response with the user's widgets, and with what is wrong with a form, if anything is. */
export async function galleryPage(
  { accounts: { widgets }, live }: WidgetGalleryDeps,
  request: DashboardRequest,
  refused?: RefusedForm,
): Promise<Response> {
  const { words, user } = request;
  const t = words.dashboard.gallery;
  const refusedAs = (action: string) => (refused?.action === action ? refused : undefined);
  const renamed = refusedAs("rename");
  const all = widgets.allOf(user);
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
              <WidgetCard
                request={request}
                {...card}
                renamed={renamed?.target === card.widget.id ? renamed : undefined}
              />
            ))}
          </ul>
          <NewWidget
            request={request}
            taken={all.map(({ name }) => name)}
            refused={refusedAs("add")}
          />
        </section>
        <ShippedLooks request={request} looks={shippedLooks(words)} widgets={all} />
        <ImportForm request={request} refused={refusedAs("look")} />
      </div>
    ),
  };
  return dashboardPage(page, refused ? 422 : 200);
}

interface NewWidgetProps {
  readonly request: DashboardRequest;
  readonly taken: readonly string[];
  readonly refused: RefusedForm | undefined;
}

function NewWidget({ request, taken, refused }: NewWidgetProps): JSX.Element {
  const t = request.words.dashboard.gallery;
  return (
    <details class="unfolds new-widget" open={refused !== undefined}>
      <summary class="button" safe>
        {t.add}
      </summary>
      <div>
        <Form request={request} action="add">
          <>
            <Field
              id="name"
              label={t.name}
              value={refused?.typed ?? freeName("Widget", taken)}
              mistake={refused?.mistake}
              maxlength={LONGEST_KEY_NAME}
              required
            />
            <Choice
              id="kind"
              label={t.kind}
              chosen={refused?.kind ?? WIDGET_KINDS[0]}
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
