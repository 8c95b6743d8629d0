import { find } from "../../../../dashboard/browser/page-parts.ts";
import { SHIPPED_FONT_NAMES } from "../../../../overlay/fonts/shipped-fonts.ts";
import type { Font } from "../../../fonts.ts";
import type { OverlaySetup } from "../setup.ts";
import { ask } from "./ask.ts";

/** Adds and removes fonts. @param onChange gets all that there are */
export function changeFonts(setup: OverlaySetup, onChange: (fonts: readonly Font[]) => void): void {
  const section = find<HTMLElement>("[data-fonts]");
  const outcome = find<HTMLElement>("[data-font-outcome]", section);
  const list = find("[data-font-list]", section);
  const row = find<HTMLTemplateElement>("[data-font]", section);
  const form = find<HTMLFormElement>("form", section);
  const failed = find<HTMLElement>("[data-save-state]").dataset["failed"] ?? "";
  let { fonts } = setup;

  const show = () => {
    const names = new Set([...fonts.map(({ name }) => name), ...SHIPPED_FONT_NAMES]);
    find("datalist").replaceChildren(...[...names].map((name) => new Option("", name)));
    const rows = fonts.map((font) => {
      const item = document.importNode(row.content, true);
      find("strong", item).textContent = font.name;
      const button = find("button", item);
      button.ariaLabel = `${button.textContent}: ${font.name}`;
      button.addEventListener("click", () => void remove(font));
      return item;
    });
    list.replaceChildren(...rows);
  };
  const follow = (changed: readonly Font[], text: string | undefined) => {
    fonts = changed;
    outcome.textContent = text ?? "";
    show();
    onChange(fonts);
  };

  const remove = async (font: Font) => {
    const answer = await ask(setup, "font remove", { id: font.id });
    if (!answer || "refused" in answer)
      return void (outcome.textContent = answer?.refused ?? failed);
    follow(
      fonts.filter(({ id }) => id !== font.id),
      outcome.dataset["removed"],
    );
  };

  /** A second click during an upload would send the font twice. */
  let isSending = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isSending) return;
    outcome.textContent = "";
    const { value: name } = find<HTMLInputElement>("[name=name]", form);
    const [file] = find<HTMLInputElement>("[type=file]", form).files ?? [];
    if (!file) return;
    if (file.size > Number(form.dataset["largest"])) {
      outcome.textContent = form.dataset["tooLarge"] ?? "";
      return;
    }
    isSending = true;
    const answer = await ask<Font>(setup, "font add", { name, file }, `${setup.page}/fonts`);
    isSending = false;
    if (!answer || "refused" in answer)
      return void (outcome.textContent = answer?.refused ?? failed);
    follow([...fonts, answer.done], outcome.dataset["added"]);
    form.reset();
  });
  show();
}
