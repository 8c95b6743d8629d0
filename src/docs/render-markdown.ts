export type RenderedMarkdown = ReturnType<typeof renderMarkdown>;

export interface MarkdownContext {
  /** Anchors in the order of the headings; a missing one is made from the heading's text. */
  readonly anchors?: readonly string[];
  /** The address for a hyperlink's target. */
  linkTo(href: string): string;
  /** The same picture for dark pages; `undefined` when there is none. */
  darkOf(src: string): string | undefined;
  /** The HTML to show for code, which is HTML too, in a language if the Markdown names one. */
  example(code: string, language?: string): string;
  /** The HTML in place of a token such as `settings`; `undefined` when there is no such token. */
  replace(token: string): string | undefined;
}

/** More words for the search, in other words than the text's: `<!-- search: two PCs, dual PC -->`. */
const KEYWORDS = /^&lt;!-- search: (.+) --&gt;$/;

/** Renders our own Markdown as HTML. HTML inside it is shown as text, but for the search's words. */
export function renderMarkdown(markdown: string, context: MarkdownContext) {
  /** The headings' anchors in their order. */
  const anchors: string[] = [];
  /** More words, as HTML, to find the part with this anchor by. The page's own have none. */
  const keywords = new Map<string, string>();
  let part = "";
  const cell = (tag: "th" | "td") => (content: string, meta?: { align?: string }) =>
    meta?.align
      ? `<${tag} class="${meta.align}">${content}</${tag}>`
      : `<${tag}>${content}</${tag}>`;
  const html = Bun.markdown.render(markdown, {
    text: (text) => Bun.escapeHTML(text),
    heading(content, { level }) {
      const text = content.replace(/<[^>]*>/g, "");
      const anchor = context.anchors?.[anchors.length] ?? anchorOf(text);
      anchors.push(anchor);
      if (level > 1) part = anchor;
      if (level === 1) return `<h1>${content}</h1>\n`;
      return `<h${level} id="${anchor}"><a class="anchor" href="#${anchor}">${content}</a></h${level}>\n`;
    },
    html(content) {
      const words = KEYWORDS.exec(content.trim())?.[1];
      if (words === undefined) return content;
      keywords.set(part, words);
      return "";
    },
    paragraph(content) {
      const token = /^\{\{(\w+)\}\}$/.exec(content)?.[1];
      return (token && context.replace(token)) ?? `<p>${content}</p>\n`;
    },
    code: (content, meta) =>
      `<div class="example"><pre tabindex="0"><code data-language="${meta?.language ?? "text"}">${context.example(content, meta?.language)}</code></pre></div>\n`,
    codespan: (content) => `<code>${context.example(content)}</code>`,
    strong: (content) => `<strong>${content}</strong>`,
    emphasis: (content) => `<em>${content}</em>`,
    link: (content, { href }) => `<a href="${Bun.escapeHTML(context.linkTo(href))}">${content}</a>`,
    image(content, { src }) {
      const image = `<img src="${Bun.escapeHTML(context.linkTo(src))}" alt="${content}" loading="lazy">`;
      const dark = context.darkOf(src);
      if (dark === undefined) return image;
      const source = `<source srcset="${Bun.escapeHTML(context.linkTo(dark))}" media="(prefers-color-scheme: dark)">`;
      return `<picture>${source}${image}</picture>`;
    },
    list: (content, meta) => (meta?.ordered ? `<ol>${content}</ol>\n` : `<ul>${content}</ul>\n`),
    listItem: (content) => `<li>${content}</li>`,
    blockquote: (content) => `<blockquote>${content}</blockquote>\n`,
    hr: () => "<hr>\n",
    table: (content) => `<div class="table" tabindex="0"><table>${content}</table></div>\n`,
    thead: (content) => `<thead>${content}</thead>`,
    tbody: (content) => `<tbody>${content}</tbody>`,
    tr: (content) => `<tr>${content}</tr>`,
    th: cell("th"),
    td: cell("td"),
  });
  return { html, anchors, keywords };
}

/** A heading's anchor: the part of an address after `#`. */
function anchorOf(text: string): string {
  return text
    .replace(/&[^;]+;/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
