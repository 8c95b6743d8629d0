import type { Accounts } from "../../accounts/accounts.ts";
import { readKeyName } from "../../accounts/key-name.ts";
import type { Look } from "../../looks/look.ts";
import { WIDGET_KINDS } from "../../looks/new-widget.ts";
import { MOST_WIDGETS, WidgetError } from "../../looks/widget-error.ts";
import type { Widget } from "../../looks/widgets.ts";
import { fieldOf } from "../../http/form-field.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { intoObsScript, widgetGalleryScript } from "../../html/assets.ts";
import {
  type LookMistake,
  readSharedLook,
  type SharedLook,
} from "../../overlay/looks/shared-look.ts";
import { isShippedLookName } from "../../overlay/looks/shipped-names.ts";
import type { Live } from "../../overlay/live.ts";
import { Choice, Field, Form } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import { ImportForm, lookView, ShippedLooks } from "./gallery-looks.tsx";
import { WidgetCard } from "./gallery-widgets.tsx";
import type { DashboardRequest, Notice, Section } from "../request.ts";

export interface WidgetGalleryDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly live: Pick<Live, "onStreamWith">;
}

/** A user's widgets, and the looks to make one of. */
export function createGallery({ accounts, live }: WidgetGalleryDeps): Section {
  const { widgets } = accounts;

  const shown = async (
    request: DashboardRequest,
    wrong?: { readonly pasted: string; readonly mistake: string },
  ): Promise<Response> => {
    const { words, user } = request;
    const t = words.dashboard.gallery;
    const all = await widgets.allOf(user);
    const cards = await Promise.all(
      all.map(async (widget) => {
        const token = await widgets.tokenOf(user, widget.id);
        return { widget, token, isOnStream: live.onStreamWith(token) > 0 };
      }),
    );
    const { shippedLooks } = await import("../../overlay/looks/shipped.ts");
    const page = {
      request,
      title: t.title,
      lead: t.lead,
      scripts: [widgetGalleryScript.path, intoObsScript.path],
      children: (
        <div class="gallery">
          <section>
            <h2 safe>{t.yours}</h2>
            {cards.length === 0 ? <p safe>{t.none}</p> : ""}
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
  };

  /** Shows a pasted look, or says what is wrong with it. Nothing is saved. */
  const showLook = async (request: DashboardRequest, pasted: string, notice?: Notice) => {
    const read = readSharedLook(pasted);
    if ("mistake" in read) {
      return shown(request, { pasted, mistake: mistakeText(request, read.mistake) });
    }
    const all = await widgets.allOf(request.user);
    return lookView({ request, ...read, widgets: all.filter(isOverlay), notice });
  };

  const make = async (request: DashboardRequest, look: SharedLook, typed: string) => {
    const taken = (await widgets.allOf(request.user)).map(({ name }) => name);
    const name = readKeyName(typed === "" ? freeName(look.name, taken) : typed);
    if (name === undefined) return refusal(request, "name");
    await widgets.add(request.user, { name, kind: "overlay", look: bare(look) });
    return told(request, "added", { name });
  };

  const use = async (request: DashboardRequest, look: SharedLook, id: number) => {
    const { name, kind, revision } = await widgets.byId(request.user, id);
    if (kind !== "overlay") return refusal(request, "unknown");
    await widgets.save(request.user, id, bare(look), { basedOn: revision });
    return told(request, "used", { name, look: look.name });
  };

  /** The look that a form is about: one of ours, or one that was pasted. */
  const lookOf = async (request: DashboardRequest, form: FormData) => {
    const shipped = fieldOf(form, "shipped");
    if (isShippedLookName(shipped)) {
      const { shippedLooks } = await import("../../overlay/looks/shipped.ts");
      return shippedLooks(request.words)[shipped];
    }
    const read = readSharedLook(fieldOf(form, "look"));
    return "look" in read ? read.look : undefined;
  };

  const act = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { user } = request;
    const id = Number(fieldOf(form, "target"));
    const typed = fieldOf(form, "name");
    const action = fieldOf(form, "do");
    switch (action) {
      case "add": {
        const name = readKeyName(typed);
        const kind = WIDGET_KINDS.find((one) => one === fieldOf(form, "kind"));
        if (name === undefined) return refusal(request, "name");
        await widgets.add(user, { name, kind: kind ?? WIDGET_KINDS[0] });
        return told(request, "added", { name });
      }
      case "rename": {
        const name = readKeyName(typed);
        if (name === undefined) return refusal(request, "name");
        await widgets.rename(user, id, name);
        return told(request, "renamed", { name });
      }
      case "copy": {
        const widget = await widgets.byId(user, id);
        const taken = (await widgets.allOf(user)).map(({ name }) => name);
        const { kind, language } = widget;
        const name = freeName(widget.name, taken);
        await widgets.add(user, { name, kind, language, look: bare(widget) });
        return told(request, "added", { name });
      }
      case "remove": {
        const { name } = await widgets.byId(user, id);
        await widgets.remove(user, id);
        const label = request.words.dashboard.gallery.undo;
        const undo = { action: "restore", target: String(id), label };
        return { ...told(request, "removed", { name }), undo };
      }
      case "restore": {
        const { name } = await widgets.restore(user, id);
        return told(request, "restored", { name });
      }
      case "rotate": {
        const { name } = await widgets.byId(user, id);
        await widgets.rotate(user, id);
        return told(request, "rotated", { name });
      }
      case "look":
        return showLook(request, fieldOf(form, "look"));
      case "make":
      case "use": {
        const look = await lookOf(request, form);
        if (!look) return showLook(request, fieldOf(form, "look"));
        return action === "make" ? make(request, look, typed) : use(request, look, id);
      }
      default:
        return shown(request);
    }
  };

  return {
    show: (request) => shown(request),
    async act(request, form) {
      try {
        const outcome = await act(request, form);
        const isPasted = form.has("look") && !(outcome instanceof Response);
        // Somebody who typed a wrong name for a pasted look goes on with the look.
        return isPasted && outcome.tone === "bad"
          ? await showLook(request, fieldOf(form, "look"), outcome)
          : outcome;
      } catch (error) {
        if (!(error instanceof WidgetError)) throw error;
        const notice = await noticeOf(request, form, error);
        return form.has("look") ? showLook(request, fieldOf(form, "look"), notice) : notice;
      }
    },
  };

  async function noticeOf(
    request: DashboardRequest,
    form: FormData,
    { reason }: WidgetError,
  ): Promise<Notice> {
    switch (reason) {
      case "name taken":
        return fieldOf(form, "do") === "restore"
          ? refusal(request, "nameInUse")
          : refusal(request, "taken", { name: fieldOf(form, "name") });
      case "too many":
        return refusal(request, "tooMany", { most: String(MOST_WIDGETS) });
      case "changed meanwhile": {
        const { name } = await widgets.byId(request.user, Number(fieldOf(form, "target")));
        return refusal(request, "changed", { name });
      }
      case "css too long":
        return { tone: "bad", text: request.words.dashboard.gallery.import.mistakes.css };
      case "unknown":
        return refusal(request, fieldOf(form, "do") === "restore" ? "tooLate" : "unknown");
    }
  }
}

type Gallery = DashboardRequest["words"]["dashboard"]["gallery"];

const told = (
  { words }: DashboardRequest,
  name: keyof Gallery["told"],
  values: Readonly<Record<string, string>>,
): Notice => ({ tone: "good", text: fill(words.dashboard.gallery.told[name], values) });

const refusal = (
  { words }: DashboardRequest,
  name: keyof Gallery["mistakes"],
  values: Readonly<Record<string, string>> = {},
): Notice => ({ tone: "bad", text: fill(words.dashboard.gallery.mistakes[name], values) });

function mistakeText({ words }: DashboardRequest, mistake: LookMistake): string {
  const text = words.dashboard.gallery.import.mistakes[mistake.kind];
  return mistake.kind === "value"
    ? fill(text, { option: mistake.option, value: mistake.value })
    : text;
}

const isOverlay = ({ kind }: Widget): boolean => kind === "overlay";

/** A look alone, without what else a widget or a shared look has. */
const bare = ({ options, css, size }: Look): Look => ({ options, css, size });

/** The name, or the next one like it that is free: `Main 2` for a second `Main`. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name] = /^(.+) \d{1,4}$/u.exec(name) ?? [];
  const numbers = Array.from({ length: taken.length + 1 }, (_, index) => ` ${index + 2}`);
  const names = numbers.map((number) => shortened(stem, number) + number);
  return names.find((one) => !taken.includes(one)) ?? name;
}

/** As much of a name as there is room for beside its number. */
function shortened(stem: string, number: string): string {
  const graphemes = [...new Intl.Segmenter().segment(stem)].map(({ segment }) => segment);
  const fits = (length: number) =>
    readKeyName(graphemes.slice(0, length).join("") + number) !== undefined;
  let length = graphemes.length;
  while (length > 1 && !fits(length)) length -= 1;
  return graphemes.slice(0, length).join("").trimEnd();
}

function NewWidget({
  request,
  taken,
}: {
  request: DashboardRequest;
  taken: readonly string[];
}): JSX.Element {
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
            {WIDGET_KINDS.length > 1 ? (
              <Choice
                id="kind"
                label={t.kind}
                chosen={WIDGET_KINDS[0]}
                options={WIDGET_KINDS.map((value) => ({ value, label: t.kinds[value] }))}
              />
            ) : (
              ""
            )}
            <button type="submit" safe>
              {t.addGo}
            </button>
          </>
        </Form>
      </div>
    </details>
  );
}
