/** A table of the documentation. Its headings are text, its cells HTML. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const headings = head.map((text) => `<th scope="col">${Bun.escapeHTML(text)}</th>`).join("");
  return frame(
    `<thead><tr>${headings}</tr></thead>`,
    rows.map((row) => row.map((content) => `<td>${content}</td>`).join("")),
  );
}

/** A table of names, which are text, and what is said of them, which is HTML. */
export const factsList = (facts: readonly (readonly [name: string, content: string])[]): string =>
  frame(
    "",
    facts.map(
      ([name, content]) => `<th scope="row">${Bun.escapeHTML(name)}</th><td>${content}</td>`,
    ),
  );

export const code = (text: string): string => `<code>${Bun.escapeHTML(text)}</code>`;

function frame(head: string, rows: readonly string[]): string {
  const body = rows.map((row) => `<tr>${row}</tr>`).join("");
  return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
}
