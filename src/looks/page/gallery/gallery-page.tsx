import { dashboardAddress } from "../../../addresses.ts";
import { WIDGET_KINDS } from "../../new-widget.ts";
import { Html } from "../../../jsx.ts";
import { intoObsScript, widgetGalleryScript } from "../../../html/assets.ts";
import type { Live } from "../../../overlay/live.ts";
import { shippedLooks } from "../../../overlay/looks/shipped.ts";
import { ActionForm, ChoiceInput, formOf, TextInput } from "../../../dashboard/action-form.tsx";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { type ReadLook, readSharedLook } from "../../../overlay/looks/shared-look.ts";
import { addWidget } from "../../actions.ts";
import { freeName } from "../../free-name.ts";
import { refusedLook } from "../../look-actions.ts";
import { lookView, SHOW_LOOK, ShippedLooks } from "./gallery-looks.tsx";
import { WidgetRow } from "./gallery-widgets.tsx";
import type { Parts } from "../../../http/parts.ts";
import { Unfolds } from "../../../html/form.tsx";
import { Submit } from "../../../html/parts.tsx";

export interface WidgetGalleryDeps extends Pick<Parts, "accounts" | "hub"> {
  readonly live: Pick<Live, "onStreamWith">;
}

/** The user's widgets, and the looks to make one of. */
export async function galleryPage(
  { accounts: { widgets }, hub, live }: WidgetGalleryDeps,
  request: DashboardRequest,
): Promise<Response> {
  const { words, user, refused, basePath, language } = request;
  const t = words.dashboard.gallery;
  const all = widgets.allOf(user);
  const pasted = readSharedLook(String(refused?.texts["look"] ?? ""));
  // Somebody who typed a wrong name for a pasted look goes on with the look.
  if ("look" in pasted) return lookView({ request, ...pasted, widgets: all });
  // Nobody waits for music here: the script shows it once there is some.
  const reading = hub.peek(user.id);
  const song = reading?.kind === "playback" ? reading.playback : undefined;
  const rows = all.map((widget) => {
    const token = widgets.readableTokenOf(user, widget.id);
    return { widget, token, isOnStream: token !== undefined && live.onStreamWith(token) > 0, song };
  });
  const page = {
    request,
    title: t.title,
    lead: t.lead,
    scripts: [widgetGalleryScript.path, intoObsScript.path],
    children: (
      <div class="gallery" data-live={dashboardAddress(basePath, language, "/live")}>
        {rows.length === 0 ? (
          <p safe>{t.none}</p>
        ) : (
          <ul class="overlays">
            {rows.map((row) => (
              <WidgetRow request={request} {...row} />
            ))}
          </ul>
        )}
        <NewWidget request={request} taken={all.map(({ name }) => name)} />
        <ShippedLooks request={request} looks={shippedLooks(words)} widgets={all} />
      </div>
    ),
  };
  return dashboardPage(page);
}

/** A pasted look, or what is wrong with it. Nothing is saved. @param read what was pasted */
export function pastedLookPage(
  deps: WidgetGalleryDeps,
  request: DashboardRequest,
  read: ReadLook,
  text: string,
): Promise<Response> {
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
    <Unfolds class="new-widget" label={t.add} isOpen={form.refused !== undefined}>
      <ActionForm form={form}>
        <TextInput form={form} name="name" label={t.name} value={freeName("Overlay", taken)} />
        <ChoiceInput
          form={form}
          name="kind"
          label={t.kind}
          value={WIDGET_KINDS[0]}
          options={WIDGET_KINDS.map((value) => ({ value, label: t.kinds[value] }))}
        />
        <Submit label={t.addGo} />
      </ActionForm>
    </Unfolds>
  );
}
