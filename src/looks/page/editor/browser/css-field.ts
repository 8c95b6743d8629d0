import { fill } from "../../../../i18n/fill.ts";
import { tooNewIn } from "../too-new-css.ts";
import { find, showMistake } from "../../../../dashboard/browser/page-parts.ts";

/**
 * The field for CSS, into which public names are inserted. Returns what says how long the CSS is, and
 * whether it is short enough.
 * @param onInsert called after a name was inserted
 */
export function followCssField(onInsert: () => void) {
  const place = find<HTMLElement>("[data-css]");
  const area = find<HTMLTextAreaElement>("textarea", place);
  const used = find<HTMLElement>("[data-css-used]", place);
  const mistake = find<HTMLElement>(".mistake", place);
  const tooNew = find<HTMLElement>("[data-css-too-new]", place);
  const most = Number(place.dataset["longest"]);

  /** Says what older OBS cannot read. It may be saved all the same. */
  const showTooNew = () => {
    const { text = "", nesting = "" } = tooNew.dataset;
    const what = tooNewIn(area.value, nesting).join(", ");
    tooNew.hidden = what === "";
    tooNew.textContent = what === "" ? "" : fill(text, { what });
  };

  const insert = (name: string) => {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const before = value.slice(0, start);
    const isInRule = before.lastIndexOf("{") > before.lastIndexOf("}");
    const snippet = snippetOf(name, isInRule);
    area.focus();
    area.setRangeText(snippet.replace(CURSOR, ""), start, end, "end");
    const cursor = snippet.indexOf(CURSOR);
    if (cursor >= 0) area.selectionStart = area.selectionEnd = start + cursor;
    onInsert();
  };
  for (const button of document.querySelectorAll<HTMLElement>("[data-insert]")) {
    button.addEventListener("click", () => insert(button.dataset["insert"] ?? ""));
  }

  return (): boolean => {
    const bytes = new TextEncoder().encode(area.value).length;
    const numbers = { used: String(bytes), most: String(most) };
    used.textContent = fill(used.dataset["text"] ?? "", numbers);
    mistake.textContent = fill(mistake.dataset["text"] ?? "", numbers);
    showTooNew();
    const isTooLong = bytes > most;
    showMistake(area, mistake, isTooLong);
    return !isTooLong;
  };
}

const CURSOR = "|";

/** What is inserted for a public name, with a mark where the user goes on. */
function snippetOf(name: string, isInRule: boolean): string {
  if (name.startsWith(".")) return isInRule ? name : `${name} {\n  ${CURSOR}\n}\n`;
  return isInRule ? `${name}: ${CURSOR};` : `:root {\n  ${name}: ${CURSOR};\n}\n`;
}
