/** A part of a line that stays whole, in pixels from the side where reading starts. */
export interface Piece {
  readonly fromPx: number;
  readonly toPx: number;
}

/** The part of a line that is shown at one time. */
export interface TitlePage extends Piece {
  /** Empty space on either side that belongs to this page; `Infinity` at the ends of the line. */
  readonly spaceBeforePx: number;
  readonly spaceAfterPx: number;
}

/** Measured widths may differ from the room by rounding. */
const ROUNDING_PX = 0.5;

/**
 * Divides a line into pages no wider than the room. Pieces stay whole, except those wider than the
 * room. The last page is filled from the end: it may repeat pieces of the page before it.
 */
export function pagesOf(pieces: readonly Piece[], roomPx: number): readonly TitlePage[] {
  if (!(roomPx >= 1)) return [];
  const line = apart(pieces).flatMap((piece) => slices(piece, roomPx));
  const fits = (first: number, last: number) =>
    edge(line, last).toPx - edge(line, first).fromPx <= roomPx + ROUNDING_PX;
  const end = line.length - 1;
  const pages: TitlePage[] = [];
  for (let first = 0; first <= end;) {
    let last = first;
    while (last < end && fits(first, last + 1)) last += 1;
    if (last === end) while (first > 0 && fits(first - 1, last)) first -= 1;
    pages.push(pageOf(line, first, last));
    first = last + 1;
  }
  return pages;
}

function pageOf(line: readonly Piece[], first: number, last: number): TitlePage {
  const { fromPx } = edge(line, first);
  const { toPx } = edge(line, last);
  return {
    fromPx,
    toPx,
    spaceBeforePx: (fromPx - (line[first - 1]?.toPx ?? Number.NEGATIVE_INFINITY)) / 2,
    spaceAfterPx: ((line[last + 1]?.fromPx ?? Number.POSITIVE_INFINITY) - toPx) / 2,
  };
}

const edge = (line: readonly Piece[], at: number): Piece => line[at] ?? { fromPx: 0, toPx: 0 };

/** The pieces in visual order. Pieces that overlap, as in text of both directions, become one. */
function apart(pieces: readonly Piece[]): readonly Piece[] {
  const line: Piece[] = [];
  for (const piece of [...pieces].sort((a, b) => a.fromPx - b.fromPx)) {
    const before = line.at(-1);
    if (!before || piece.fromPx >= before.toPx - ROUNDING_PX) line.push(piece);
    else {
      line.pop();
      line.push({ fromPx: before.fromPx, toPx: Math.max(before.toPx, piece.toPx) });
    }
  }
  return line;
}

function slices({ fromPx, toPx }: Piece, roomPx: number): readonly Piece[] {
  if (toPx - fromPx <= roomPx + ROUNDING_PX) return [{ fromPx, toPx }];
  return Array.from({ length: Math.ceil((toPx - fromPx) / roomPx) }, (_, at) => ({
    fromPx: fromPx + at * roomPx,
    toPx: Math.min(fromPx + (at + 1) * roomPx, toPx),
  }));
}
