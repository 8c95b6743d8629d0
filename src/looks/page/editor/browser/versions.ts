import { fill } from "../../../../i18n/fill.ts";
import { formatTime } from "../../../../i18n/format-time.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { WidgetVersion } from "../../../editor-actions.ts";
import type { OverlaySetup } from "../setup.ts";
import { ask } from "./ask.ts";

export interface VersionsDeps {
  /** What a version's look is called. */
  nameOf(version: WidgetVersion): string;
  /** Takes one of them. */
  onShow(version: WidgetVersion): void;
}

/**
 * Lists the looks that the widget had, once they can be seen. Returns what is to be called when another
 * revision was saved: the list is not complete any more.
 */
export function listVersions(setup: OverlaySetup, { nameOf, onShow }: VersionsDeps) {
  const section = find<HTMLDetailsElement>("[data-versions]");
  const outcome = find("[data-version-outcome]", section);
  const list = find("[data-version-list]", section);
  const row = find<HTMLTemplateElement>("[data-version]", section);
  let { revision: current } = setup;
  let listed: number | undefined;

  const rowOf = (version: WidgetVersion): DocumentFragment => {
    const item = document.importNode(row.content, true);
    const savedAt = Date.parse(version.saved_at);
    const time = formatTime(setup.language, savedAt, Date.now());
    const place = find<HTMLTimeElement>("time", item);
    place.dateTime = version.saved_at;
    place.textContent = time;
    find("small", item).textContent = nameOf(version);
    const button = find<HTMLElement>("button", item);
    find(version.revision === current ? "button" : ".current", item).remove();
    button.ariaLabel = fill(button.dataset["label"] ?? "", { time });
    button.addEventListener("click", () => {
      onShow(version);
      outcome.textContent = fill(section.dataset["shown"] ?? "", { time });
    });
    return item;
  };

  const follow = async () => {
    if (!section.open || listed === current) return;
    const wanted = current;
    const answer = await ask<WidgetVersion[]>(setup, "widget versions", { id: String(setup.id) });
    if (!answer || "refused" in answer) return;
    listed = wanted;
    list.replaceChildren(...answer.done.map(rowOf));
  };
  section.addEventListener("toggle", () => void follow());

  return (revision: number) => {
    current = revision;
    outcome.textContent = "";
    void follow();
  };
}
