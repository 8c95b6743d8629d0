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

/** A rule in which another begins, but for at-rules that have always held rules. */
const NESTING =
  /(?:^|[{};])(?!\s*@(?:media|supports|layer|(?:-webkit-)?keyframes|document|scope|container|starting-style))[^{};]*\{[^}]*\{/i;

const withoutTexts = (css: string): string =>
  css
    .replace(/\/\*[^]*?(?:\*\/|$)/g, " ")
    .replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""');

/**
 * What of a stylesheet older OBS cannot read, each once.
 * @param nesting what a rule within a rule is called
 */
export function tooNewIn(css: string, nesting: string): readonly string[] {
  const plain = withoutTexts(css);
  const found = TOO_NEW.flatMap(([name, pattern]) => (pattern.test(plain) ? [name] : []));
  return NESTING.test(plain) ? [nesting, ...found] : found;
}
