import { expect, test } from "bun:test";
import { paletteOf } from "../../../src/looks/page/editor/browser/palette.ts";

const pixels = (...parts: readonly (readonly [count: number, ...colour: number[]])[]): number[] =>
  parts.flatMap(([count, ...colour]) => Array.from({ length: count }, () => colour).flat());

test("a picture's colours are those that are frequent or vivid, from dark to light", () => {
  const picture = pixels(
    [900, 20, 20, 30, 255],
    [60, 250, 120, 40, 255],
    [300, 240, 240, 235, 255],
  );
  expect(paletteOf(picture, 6)).toEqual(["#14141e", "#fa7828", "#f0f0eb"]);
});

test("colours that look alike are one, and no more are chosen than are asked for", () => {
  const alike = pixels([10, 200, 0, 0, 255], [10, 210, 10, 0, 255], [10, 0, 200, 0, 255]);
  expect(paletteOf(alike, 6)).toHaveLength(2);
  expect(paletteOf(alike, 1)).toHaveLength(1);
});

test("what is transparent has no colour", () => {
  expect(paletteOf(pixels([10, 200, 0, 0, 0]), 6)).toEqual([]);
  expect(paletteOf([], 6)).toEqual([]);
});
