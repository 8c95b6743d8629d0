/** A stretch of a line, in pixels from the side where reading starts. */
export interface Stretch {
  readonly fromPx: number;
  readonly toPx: number;
}

/** A part of a line that stays whole where it can. */
export interface Piece extends Stretch {
  /** A word that has room on a page is whole on one. */
  readonly isWord?: boolean;
  /** Smaller pieces of it; none, or absent, where it cannot be divided. */
  parts?(): readonly Piece[];
}

/** Measured widths may differ from the room by rounding. */
const ROUNDING_PX = 0.5;

/** Where more text follows, a page is filled to this share of the room or more. */
const LEAST_FILLED = 0.6;

/**
 * Divides a line into pages no wider than the room. Pieces stay whole, unless the page would be too
 * empty without a part of the next one. Where that part is of a word, the next page has the word whole.
 * The last page is filled from the end: it may repeat pieces of the page before it.
 */
export function pagesOf(pieces: readonly Piece[], roomPx: number): readonly Stretch[] {
  if (!(roomPx >= 1)) return [];
  let line = apart(pieces);
  const pages: Stretch[] = [];
  for (let first = 0; first < line.length;) {
    const begun = fillPage(line, first, roomPx, "whole words");
    line = begun.line;
    const isLast = begun.last === line.length - 1;
    const shown = isLast ? begun : fillPage(line, first, roomPx, "parts of words");
    pages.push(stretchOf(shown.line, isLast ? firstOfLast(line, roomPx) : first, shown.last));
    first = begun.last + 1;
  }
  return pages;
}

/** The line with those pieces divided that had to be, and the index of the page's last piece in it. */
function fillPage(
  pieces: readonly Piece[],
  first: number,
  roomPx: number,
  takes: "whole words" | "parts of words",
) {
  const line = [...pieces];
  const { fromPx } = edge(line, first);
  let last = first - 1;
  for (let next = line[first]; next; next = line[last + 1]) {
    const isFirst = last < first;
    if (fits(fromPx, next.toPx, roomPx)) {
      last += 1;
      continue;
    }
    if (!isFirst && edge(line, last).toPx - fromPx >= LEAST_FILLED * roomPx) break;
    const waits = next.isWord && takes === "whole words" && fits(next.fromPx, next.toPx, roomPx);
    if (!isFirst && waits) break;
    const parts = apart(next.parts?.() ?? []);
    if (!isFirst && parts.length === 0) break;
    line.splice(last + 1, 1, ...(parts.length > 0 ? parts : slices(next, roomPx)));
  }
  return { line, last };
}

/** The first piece of a last page that is as full as it can be. */
function firstOfLast(line: readonly Piece[], roomPx: number): number {
  const { toPx } = edge(line, line.length - 1);
  return line.findIndex(({ fromPx }) => fits(fromPx, toPx, roomPx));
}

const fits = (fromPx: number, toPx: number, roomPx: number): boolean =>
  toPx - fromPx <= roomPx + ROUNDING_PX;

const stretchOf = (line: readonly Piece[], first: number, last: number): Stretch => ({
  fromPx: edge(line, first).fromPx,
  toPx: edge(line, last).toPx,
});

const edge = (line: readonly Piece[], at: number): Stretch => line[at] ?? { fromPx: 0, toPx: 0 };

/** The pieces in visual order. Pieces that overlap, as in text of both directions, become one. */
function apart(pieces: readonly Piece[]): readonly Piece[] {
  const line: Piece[] = [];
  for (const piece of [...pieces].sort((a, b) => a.fromPx - b.fromPx)) {
    const before = line.at(-1);
    if (!before || piece.fromPx >= before.toPx - ROUNDING_PX) line.push(piece);
    else {
      line.pop();
      line.push({
        fromPx: before.fromPx,
        toPx: Math.max(before.toPx, piece.toPx),
        parts: () => [before, piece].flatMap((one) => one.parts?.() ?? []),
      });
    }
  }
  return line;
}

function slices({ fromPx, toPx }: Stretch, roomPx: number): readonly Piece[] {
  return Array.from({ length: Math.ceil((toPx - fromPx) / roomPx) }, (_, at) => ({
    fromPx: fromPx + at * roomPx,
    toPx: Math.min(fromPx + (at + 1) * roomPx, toPx),
  }));
}
