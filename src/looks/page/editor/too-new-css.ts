/** What Chromium 103, the browser in OBS 28 to 30, cannot read, as it is written in CSS. */
const TOO_NEW: readonly (readonly [name: string, pattern: RegExp])[] = [
  [":has()", /:has\(/i],
  ["@scope", /@scope\b/i],
  ["@container", /@container\b/i],
  ["@starting-style", /@starting-style\b/i],
  ["@media (<, >)", /@media[^{;]*[<>]/i],
  ["color-mix()", /\bcolor-mix\(/i],
  ["light-dark()", /\blight-dark\(/i],
  ["lab(), lch(), oklab(), oklch()", /\b(?:ok)?l(?:ab|ch)\(/i],
  ["sin(), cos(), tan()", /\b(?:a?sin|a?cos|a?tan2?)\(/i],
  ["linear()", /\blinear\(/i],
  ["translate:, rotate:, scale:", /(?:^|[{;]|\s)(?:translate|rotate|scale)\s*:/i],
  ["mask:", /(?:^|[{;]|\s)mask(?:-image)?\s*:/i],
  ["text-wrap:", /(?:^|[{;]|\s)text-wrap\s*:/i],
  ["subgrid", /\bsubgrid\b/i],
  ["dvh, svh, lvh", /\d(?:d|s|l)v(?:h|w|min|max)\b/i],
];

/** Rules within these at-rules are as old as CSS. */
const HOLDS_RULES =
  /^@(?:media|supports|layer|keyframes|-webkit-keyframes|document|scope|container|starting-style)/i;

const withoutTexts = (css: string): string =>
  css
    .replace(/\/\*[^]*?(?:\*\/|$)/g, " ")
    .replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""');

/** Whether a rule stands within another. @param css without comments and strings */
function nests(css: string): boolean {
  const within: boolean[] = [];
  let start = 0;
  for (let at = 0; at < css.length; at++) {
    const sign = css[at];
    if (sign === "{") {
      if (within.includes(true)) return true;
      within.push(!HOLDS_RULES.test(css.slice(start, at).trim()));
    }
    if (sign === "}") within.pop();
    if (sign === "{" || sign === "}" || sign === ";") start = at + 1;
  }
  return false;
}

/**
 * What of a stylesheet older OBS cannot read, each once.
 * @param nesting what a rule within a rule is called
 */
export function tooNewIn(css: string, nesting: string): readonly string[] {
  const plain = withoutTexts(css);
  const found = TOO_NEW.flatMap(([name, pattern]) => (pattern.test(plain) ? [name] : []));
  return nests(plain) ? [nesting, ...found] : found;
}
