import type { Words } from "../i18n/index.ts";

/**
 * Windows’ dialog about a program that it does not know, before and after “More info”, drawn by us.
 * What to click is framed and has the number of its step.
 */
export function smartscreenPicture(words: Words["docs"]["smartscreen"]): string {
  const { picture, title, text, more, app, publisher, unknown, run, dont } = words;
  const dialog = (...parts: readonly string[]) =>
    `<div>${part(title, "title")}${part(text)}${parts.join("")}</div>`;
  const buttons = (...parts: readonly string[]) => `<span class="buttons">${parts.join("")}</span>`;
  const panels = [
    dialog(step(1, more, "more"), buttons(part(dont))),
    dialog(
      part(`${app} marquee.exe`),
      part(`${publisher} ${unknown}`),
      buttons(step(2, run), part(dont)),
    ),
  ];
  return `<figure class="smartscreen" role="img" aria-label="${Bun.escapeHTML(picture)}">${panels.join("")}</figure>\n`;
}

const part = (words: string, kind = ""): string =>
  `<span class="${kind}">${Bun.escapeHTML(words)}</span>`;

/** What is clicked in a step. */
const step = (number: number, words: string, kind = ""): string =>
  `<span class="step ${kind}" data-step="${number}">${Bun.escapeHTML(words)}</span>`;
