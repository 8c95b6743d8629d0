import type { Words } from "../i18n/index.ts";
import { code, table } from "./html-table.ts";

/** A command of the program, as its help describes it, in English. */
export interface CommandDescription {
  /** All its words, such as `marquee user add`. */
  readonly name: string;
  readonly usage: string;
  readonly text: string;
  /** Its arguments and its own options, each as it is written. */
  readonly given: readonly CommandPart[];
}

interface CommandPart {
  readonly name: string;
  readonly text: string;
}

/** Every command with its usage, arguments and options, as HTML. */
export function commandsReference(
  { commands: t, meaning }: Words["docs"],
  commands: readonly CommandDescription[],
): string {
  return commands
    .map(({ name, usage, text, given }) => {
      const anchor = name.replaceAll(" ", "-");
      const rows = given.map((part) => [code(part.name), english(part.text)]);
      return [
        `<h3 id="${anchor}"><a class="anchor" href="#${anchor}">${code(name)}</a></h3>\n`,
        `<p>${english(text)}</p>\n`,
        `<div class="example"><pre tabindex="0"><code data-language="usage">${Bun.escapeHTML(usage)}</code></pre></div>\n`,
        rows.length > 0 ? table([t.given, meaning], rows) : "",
      ].join("");
    })
    .join("");
}

/** Text that the program prints in English only. */
const english = (text: string): string => `<span lang="en">${Bun.escapeHTML(text)}</span>`;
