import { find } from "../../../../dashboard/browser/page-parts.ts";
import { SHIPPED_FONT_NAMES } from "../../../../overlay/fonts/shipped-fonts.ts";
import type { Font } from "../../../fonts.ts";
import type { OverlaySetup } from "../setup.ts";
import { followUploads } from "./uploads.ts";

/** Adds and removes fonts. @param onChange gets all that there are */
export function changeFonts(setup: OverlaySetup, onChange: (fonts: readonly Font[]) => void): void {
  const { section, form, change, onFile } = followUploads(setup, "fonts", "/fonts");
  const list = find("[data-font-list]", section);
  const row = find<HTMLTemplateElement>("[data-font]", section);
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
  const follow = (changed: readonly Font[]) => {
    fonts = changed;
    show();
    onChange(fonts);
  };

  const remove = async (font: Font) => {
    if (!(await change("font remove", { id: font.id }, "removed"))) return;
    follow(fonts.filter(({ id }) => id !== font.id));
  };

  onFile(async (file) => {
    const { value: name } = find<HTMLInputElement>("[name=name]", form);
    const added = await change<Font>("font add", { name, file }, "added");
    if (added) follow([...fonts, added]);
    return added !== undefined;
  });
  show();
}
