import { LONGEST_KEY_NAME, readKeyName } from "../../../accounts/key-name.ts";
import type { Look } from "../../look.ts";
import { WIDGET_KINDS } from "../../new-widget.ts";
import { Refused } from "../../../i18n/refused.ts";
import { fieldOf, targetIdOf } from "../../../http/form-field.ts";
import { readSharedLook, type SharedLook } from "../../../overlay/looks/shared-look.ts";
import { isShippedLookName, shippedLook } from "../../../overlay/looks/shipped.ts";
import type { DashboardRequest, Notice, Section } from "../../../dashboard/request.ts";
import { freeName } from "./free-name.ts";
import { lookView } from "./gallery-looks.tsx";
import { mistakeText, refusal, done } from "./gallery-notices.ts";
import { galleryPage, type WidgetGalleryDeps } from "./gallery-page.tsx";

/** A user's widgets, and the looks to make one of. */
export function createGallery(deps: WidgetGalleryDeps): Required<Pick<Section, "show" | "act">> {
  const { widgets } = deps.accounts;
  const shown = galleryPage.bind(undefined, deps);

  /** Shows a pasted look, or says what is wrong with it. Nothing is saved. */
  const showLook = async (request: DashboardRequest, pasted: string, notice?: Notice) => {
    const read = readSharedLook(pasted);
    if ("mistake" in read) {
      const mistake = mistakeText(request, read.mistake);
      return shown(request, { action: "look", typed: pasted, mistake });
    }
    const all = widgets.allOf(request.user);
    return lookView({
      request,
      ...read,
      widgets: all.filter(({ kind }) => kind === "overlay"),
      notice,
    });
  };

  /** The page with the form whose name cannot be given, and what was typed into it. */
  const refuseName = (request: DashboardRequest, form: FormData, { text: mistake }: Notice) =>
    shown(request, {
      action: fieldOf(form, "do"),
      target: targetIdOf(form),
      typed: fieldOf(form, "name"),
      kind: fieldOf(form, "kind"),
      mistake,
    });

  const make = async (request: DashboardRequest, look: SharedLook, typed: string) => {
    const taken = widgets.allOf(request.user).map(({ name }) => name);
    const name = readKeyName(typed === "" ? freeName(look.name, taken) : typed);
    if (name === undefined) throw noName();
    await widgets.add(request.user, { name, kind: "overlay", look: bare(look) });
    return done(request, "added", { name });
  };

  const use = async (request: DashboardRequest, look: SharedLook, id: number) => {
    const { name, kind, revision } = await widgets.byId(request.user, id);
    if (kind !== "overlay") throw new Refused("widget.noOverlay");
    await widgets.save(request.user, id, bare(look), { basedOn: revision });
    return done(request, "used", { name, look: look.name });
  };

  const act = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { user } = request;
    const id = targetIdOf(form);
    const typed = fieldOf(form, "name");
    const action = fieldOf(form, "do");
    switch (action) {
      case "add": {
        const name = readKeyName(typed);
        const kind = WIDGET_KINDS.find((one) => one === fieldOf(form, "kind"));
        if (name === undefined) throw noName();
        await widgets.add(user, { name, kind: kind ?? WIDGET_KINDS[0] });
        return done(request, "added", { name });
      }
      case "rename": {
        const name = readKeyName(typed);
        if (name === undefined) throw noName();
        await widgets.rename(user, id, name);
        return done(request, "renamed", { name });
      }
      case "copy": {
        const widget = await widgets.byId(user, id);
        const taken = widgets.allOf(user).map(({ name }) => name);
        const { kind, language } = widget;
        const name = freeName(widget.name, taken);
        await widgets.add(user, { name, kind, language, look: bare(widget) });
        return done(request, "added", { name });
      }
      case "remove": {
        const { name } = await widgets.byId(user, id);
        await widgets.remove(user, id);
        return { ...done(request, "removed", { name }), undo: undoOf(request, id) };
      }
      case "restore": {
        const { name } = await widgets.restore(user, id);
        return done(request, "restored", { name });
      }
      case "rotate": {
        const { name } = await widgets.byId(user, id);
        await widgets.rotate(user, id);
        return done(request, "rotated", { name });
      }
      case "look":
        return showLook(request, fieldOf(form, "look"));
      case "make":
      case "use": {
        const look = lookOf(request, form);
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
        if (!(error instanceof Refused)) throw error;
        const notice = refusal(request, error);
        if (form.has("look")) return showLook(request, fieldOf(form, "look"), notice);
        const isTypedName =
          error.field === "name" && ["add", "rename"].includes(fieldOf(form, "do"));
        return isTypedName ? refuseName(request, form, notice) : notice;
      }
    },
  };
}

const noName = (): Refused =>
  new Refused("entered.name", { most: String(LONGEST_KEY_NAME) }, { field: "name" });

/** The look that a form is about: one of ours, or one that was pasted. */
function lookOf(request: DashboardRequest, form: FormData): SharedLook | undefined {
  const shipped = fieldOf(form, "shipped");
  if (isShippedLookName(shipped)) return shippedLook(shipped, request.words);
  const read = readSharedLook(fieldOf(form, "look"));
  return "look" in read ? read.look : undefined;
}

/** The button that brings a widget back. */
const undoOf = ({ words }: DashboardRequest, id: number) => ({
  action: "restore",
  texts: { target: String(id) },
  label: words.dashboard.gallery.undo,
});

/** A look alone, without what else a widget or a shared look has. */
const bare = ({ options, css, size }: Look): Look => ({ options, css, size });
