import { expect, test } from "bun:test";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../../src/overlay/looks/shipped.ts";
import { en } from "../../../src/i18n/en.ts";
import { tooNewIn } from "../../../src/looks/page/editor/too-new-css.ts";

test.each([
  [".a { .b { color: red } }", ["nesting"]],
  [".a { color: red; &:hover { color: blue } }", ["nesting"]],
  ["@media (min-width: 1px) { .a { color: red } }", []],
  ["@layer x { @supports (a: b) { .a { color: red } } }", []],
  ["@keyframes x { from { opacity: 0 } to { opacity: 1 } }", []],
  [".a { @media (min-width: 1px) { color: red } }", ["nesting"]],
  [".np:has(.b) {}", [":has()"]],
  ["@scope (.a) { .b { color: red } }", ["@scope"]],
  ["@container (width > 1px) { .b { color: red } }", ["@container"]],
  ["@media (width >= 1px) { .b { color: red } }", ["@media (<, >)"]],
  ["@starting-style { .a { opacity: 0 } }", ["@starting-style"]],
  [".a { color: color-mix(in srgb, red, blue) }", ["color-mix()"]],
  [".a { color: oklch(1 0 0) }", ["lab(), lch(), oklab(), oklch()"]],
  [".a { rotate: 3deg }", ["translate:, rotate:, scale:"]],
  [".a { transform: rotate(3deg) scale(2) }", []],
  [".a { -webkit-mask: none; mask: none }", ["mask:"]],
  [".a { -webkit-mask: none }", []],
  ["/* .a:has(b) { .c {} } */ .a::after { content: ':has( { {' }", []],
  [".a { .b {", ["nesting"]],
  ["} } .a {}", []],
])("of %p older OBS cannot read %p", (css, expected) => {
  expect(tooNewIn(css, "nesting")).toEqual(expected);
});

test("every look that comes with Marquee can be read by older OBS", () => {
  const found = SHIPPED_LOOK_NAMES.flatMap((name) => tooNewIn(shippedLook(name, en).css, name));
  expect(found).toEqual([]);
});
