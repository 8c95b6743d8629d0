/** What a template may show of a song, in the order in which people are shown them. */
export const PLACEHOLDERS = [
  "title",
  "artist",
  "first_artist",
  "album",
  "elapsed",
  "duration",
  "remaining",
  "source",
  "url",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The values of a song; what is not known is left out or empty. */
export type Values = Readonly<Partial<Record<Placeholder, string>>>;

/** A piece of a template that is printed as it is, or whose value is. */
type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: Placeholder };

/** What stands between square brackets vanishes when one of its values is empty. */
export type Template = readonly (
  Piece | { readonly kind: "section"; readonly pieces: readonly Piece[] }
)[];

export type TemplateMistake =
  | { readonly kind: "unknown"; readonly name: string }
  | { readonly kind: "unbalanced"; readonly bracket: "{" | "}" | "[" | "]" };

/** A piece of a finished text. What comes from others is not trusted. */
export interface Filled {
  readonly text: string;
  readonly isTrusted: boolean;
}

const TOKEN = /\{\{|\}\}|\[\[|\]\]|\{[^{}]*\}|[{}[\]]|[^{}[\]]+/g;

/** Reads a template: its pieces, or the first mistake in it. */
export function parseTemplate(text: string): Template | TemplateMistake {
  const template: Template[number][] = [];
  let section: Piece[] | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "[") {
      if (section) return { kind: "unbalanced", bracket: "[" };
      section = [];
    } else if (token === "]") {
      if (!section) return { kind: "unbalanced", bracket: "]" };
      template.push({ kind: "section", pieces: section });
      section = undefined;
    } else if (token === "{" || token === "}") {
      return { kind: "unbalanced", bracket: token };
    } else {
      const piece = readPiece(token);
      if (piece.kind === "unknown") return piece;
      (section ?? template).push(piece);
    }
  }
  return section ? { kind: "unbalanced", bracket: "[" } : template;
}

export function isMistake(parsed: Template | TemplateMistake): parsed is TemplateMistake {
  return "kind" in parsed;
}

function readPiece(token: string): Piece | Extract<TemplateMistake, { kind: "unknown" }> {
  const isDoubled = token.length === 2 && token[0] === token[1];
  if (isDoubled && /[{}[\]]/.test(token)) return { kind: "text", text: token[0] ?? "" };
  if (!token.startsWith("{")) return { kind: "text", text: token };
  const name = token.slice(1, -1);
  const placeholder = PLACEHOLDERS.find((one) => one === name);
  return placeholder ? { kind: "value", name: placeholder } : { kind: "unknown", name };
}

/** A template with values in their places. The address of a song is made by us, so it is trusted. */
export function fillTemplate(template: Template, values: Values): Filled[] {
  const fill = (piece: Piece): Filled =>
    piece.kind === "text"
      ? { text: piece.text, isTrusted: true }
      : { text: values[piece.name] ?? "", isTrusted: piece.name === "url" };
  return template.flatMap((part) => {
    if (part.kind !== "section") return [fill(part)];
    const isEmpty = (piece: Piece) => piece.kind === "value" && !values[piece.name];
    return part.pieces.some(isEmpty) ? [] : part.pieces.map(fill);
  });
}
