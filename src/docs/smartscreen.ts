import type { Words } from "../i18n/index.ts";

const WIDTH = 340;
const HEIGHT = 300;
const MARGIN = 20;
const LINE_HEIGHT = 18;
/** Characters of a line that fit between the margins. */
const TITLE_LENGTH = 28;
const TEXT_LENGTH = 46;

/**
 * Windows’ dialog about a program that it does not know, before and after “More info”, drawn by us.
 * What to click is framed and has the number of its step.
 */
export function smartscreenPicture(words: Words["docs"]["smartscreen"]): string {
  const first = [
    ...lines(words.text, TEXT_LENGTH, 92),
    text(words.more, MARGIN, 180, "link"),
    mark(1, MARGIN, 162, Math.min(WIDTH - 2 * MARGIN, 12 + words.more.length * 7.5)),
    button(words.dont, WIDTH - MARGIN - BUTTON),
  ];
  const second = [
    ...lines(words.text, TEXT_LENGTH, 92),
    text(`${words.app} marquee.exe`, MARGIN, 180),
    text(`${words.publisher} ${words.unknown}`, MARGIN, 180 + LINE_HEIGHT),
    button(words.run, MARGIN),
    mark(2, MARGIN, HEIGHT - 52, BUTTON),
    button(words.dont, WIDTH - MARGIN - BUTTON),
  ];
  const panels = [first, second].map(
    (parts) =>
      `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><rect width="${WIDTH}" height="${HEIGHT}" class="dialog"/>${lines(words.title, TITLE_LENGTH, 36, "title").join("")}${parts.join("")}</svg>`,
  );
  return `<div class="smartscreen" role="img" aria-label="${Bun.escapeHTML(words.picture)}">${panels.join("")}</div>\n`;
}

const BUTTON = 142;

const text = (words: string, x: number, y: number, kind = ""): string =>
  `<text x="${x}" y="${y}" class="${kind}">${Bun.escapeHTML(words)}</text>`;

function button(words: string, x: number): string {
  const y = HEIGHT - 48;
  return `<rect x="${x + 4}" y="${y}" width="${BUTTON - 8}" height="30" class="button"/>${text(words, x + BUTTON / 2, y + 19, "label")}`;
}

/** A frame around what is clicked in a step, with the step's number. */
function mark(step: number, x: number, y: number, width: number): string {
  const height = step === 1 ? 28 : 38;
  return `<rect x="${x - 6}" y="${y}" width="${width + 8}" height="${height}" rx="6" class="mark"/><circle cx="${x + width + 2}" cy="${y}" r="11" class="step"/>${text(String(step), x + width + 2, y + 5, "number")}`;
}

/** Words in lines of at most so many characters. */
function lines(words: string, longest: number, y: number, kind = ""): string[] {
  const rows: string[] = [];
  for (const word of words.split(" ")) {
    const row = rows.at(-1);
    if (row !== undefined && row.length + word.length < longest)
      rows.splice(-1, 1, `${row} ${word}`);
    else rows.push(word);
  }
  const height = kind === "title" ? 24 : LINE_HEIGHT;
  return rows.map((row, at) => text(row, MARGIN, y + at * height, kind));
}
