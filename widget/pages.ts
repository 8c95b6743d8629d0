import { phrasesIn } from "./phrases.ts";

/** Measured widths may differ from the room by rounding. */
const ROUNDING_PX = 0.5;

/**
 * Where the pages of a line of text begin, in pixels from the side where reading starts. A page begins
 * with the phrase that the page before it has no room for, although that may show a part of it.
 */
export function pageStarts(
  text: HTMLElement,
  roomPx: number,
  isRightToLeft: boolean,
): readonly number[] {
  const node = text.firstChild as Text;
  const line = text.getBoundingClientRect();
  // The streamer's own styles may scale the card.
  const scale = line.width / text.offsetWidth || 1;
  const range = document.createRange();
  const phrases = phrasesIn(node.data).map(({ from, to }) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    const { left, right, width } = range.getBoundingClientRect();
    const fromPx = (isRightToLeft ? line.right - right : left - line.left) / scale;
    return { fromPx, toPx: fromPx + width / scale };
  });
  // They are seen in another order where a title has words of both directions.
  phrases.sort((one, other) => one.fromPx - other.fromPx);

  let startPx = 0;
  const starts = [startPx];
  for (const { fromPx, toPx } of phrases) {
    const hasRoom = () => toPx - startPx <= roomPx + ROUNDING_PX;
    if (!hasRoom() && fromPx > startPx) starts.push((startPx = fromPx));
    // One that no page has room for moves on by half a page, so that each letter is whole on one.
    while (!hasRoom()) starts.push((startPx += Math.max(1, roomPx / 2)));
  }
  return starts;
}
