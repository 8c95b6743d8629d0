import { find } from "../../../../dashboard/browser/page-parts.ts";
import { fill } from "../../../../i18n/fill.ts";
import { lineOf } from "../../../../outputs/line.ts";
import {
  cardOptions,
  readCardOptions,
  readTextOptions,
  textOptions,
} from "../../../../outputs/options.ts";
import { isMistake, parseTemplate } from "../../../../outputs/template.ts";
import type { Draft } from "../../../draft.ts";
import type { EditorSetup, TextSetup } from "../setup.ts";
import { readSetup, startEditor } from "./editor.ts";

/** The editors of texts and cards. */
const form = find<HTMLFormElement>("#widget-draft");
const card = document.querySelector<HTMLImageElement>("[data-card]");

function editCard(picture: HTMLImageElement): void {
  const show = ({ options }: Draft) => {
    const { mode, progress, source } = readCardOptions(options, new URLSearchParams());
    const address = new URL(picture.src);
    address.searchParams.set("mode", mode);
    address.searchParams.set("progress", progress ? "1" : "0");
    address.searchParams.set("source", source ? "1" : "0");
    if (picture.src !== address.href) picture.src = address.href;
  };
  const setup = readSetup<EditorSetup>();
  const table = Object.entries(cardOptions);
  startEditor({ setup, form, table, show: ({ draft }) => show(draft) });
}

function editText(): void {
  const setup = readSetup<TextSetup>();
  const { words, songs, most } = setup;
  const lines = [...document.querySelectorAll("[data-lines] dd")];
  const fields = [...form.querySelectorAll<HTMLInputElement>("[data-control] input")];

  const show = ({ options }: Draft) => {
    const look = { options: readTextOptions(options), words, most };
    for (const [index, song] of songs.entries()) {
      const line = lines[index];
      if (line) line.textContent = lineOf(song, look);
    }
  };
  const editor = startEditor({
    setup,
    form,
    table: Object.entries(textOptions),
    show({ draft }) {
      show(draft);
      for (const field of fields) explainMistake(field);
    },
  });

  let chosen = fields[0];
  for (const field of fields) field.addEventListener("focus", () => (chosen = field));
  for (const button of form.querySelectorAll<HTMLElement>("[data-insert]")) {
    button.addEventListener("click", () => {
      if (!chosen) return;
      chosen.focus();
      const text = button.dataset["insert"] ?? "";
      chosen.setRangeText(text, chosen.selectionStart ?? 0, chosen.selectionEnd ?? 0, "end");
      editor.update(chosen.name);
    });
  }
}

/** Says what is wrong with a template, beside that it is. */
function explainMistake(field: HTMLInputElement): void {
  const parsed = parseTemplate(field.value);
  const place = document.getElementById(`${field.id}-mistake`);
  if (!place || !isMistake(parsed)) return;
  const { unknown = "", unbalanced = "" } = place.dataset;
  place.textContent =
    parsed.kind === "unknown"
      ? fill(unknown, { name: parsed.name })
      : fill(unbalanced, { bracket: parsed.bracket });
}

if (card) editCard(card);
else editText();
