/** A paragraph whose lines are pages. It is broken at spaces; a word only where it has no line of its own. */
const PARAGRAPH =
  "min-width:0;white-space:normal;word-break:keep-all;overflow-wrap:anywhere;line-height:2";

/**
 * Where the pages of a line of text begin, in pixels from the side where reading starts. The browser
 * divides it: for a moment the text is a paragraph as wide as a page.
 */
export function pageStarts(
  text: HTMLElement,
  roomPx: number,
  isRightToLeft: boolean,
): readonly number[] {
  const node = text.firstChild as Text;
  const range = document.createRange();
  const boxOf = (from: number, to: number) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };

  text.style.cssText = `${PARAGRAPH};width:${roomPx}px`;
  const starts: number[] = [];
  let belowPx = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < node.length; at++) {
    // A space may count to either of the lines that it parts.
    if (node.data[at]?.trim() === "") continue;
    const { top, bottom } = boxOf(at, at + 1);
    if (top < belowPx) continue;
    starts.push(at);
    belowPx = bottom;
  }
  text.style.cssText = "";

  const line = text.getBoundingClientRect();
  // The streamer's own styles may scale the card.
  const scale = line.width / text.offsetWidth || 1;
  return starts.map((at, page) => {
    const { left, right } = boxOf(at, starts[page + 1] ?? node.length);
    return (isRightToLeft ? line.right - right : left - line.left) / scale;
  });
}
