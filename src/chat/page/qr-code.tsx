import { encode } from "uqr";
import { Html } from "../../jsx.ts";

/** The light edge that readers need, in modules. */
const BORDER = 3;

/** A text as a QR code, for a phone's camera. @param label for screen readers */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: BORDER });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={squares.join("")} />
    </svg>
  );
}
