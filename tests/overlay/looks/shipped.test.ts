import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseWidgetOptions, widgetOptions } from "../../../widget/options.ts";
import { en } from "../../../src/i18n/en.ts";
import { readSharedLook, sharedLookJson } from "../../../src/overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../../src/overlay/looks/shipped.ts";
import { readDocument } from "../../fixtures/docs/documents.ts";

/** What is public, or part of the page's own language: the documentation lists it. */
const documented = new Set(readDocument("en", "options").codes);
const OTHER_ATTRIBUTES = ["data-np-swap", "data-np-album", "data-np-label"];

/** What Chromium 103 does not know, what costs too much on stream, and what loads something. */
const UNWANTED =
  /:has\(|color-mix|@container|@layer|@import|@font-face|url\(|backdrop-filter|infinite|!important|@keyframes/;

test("every file of a look is one of the looks", () => {
  const folder = join(import.meta.dir, "../../../src/overlay/looks/shipped");
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".css"))
    .map((file) => file.replace(".css", ""));
  const { theme } = widgetOptions;
  const isTheme = (name: string) => theme.parse(name) !== undefined;
  expect(files.toSorted()).toEqual(SHIPPED_LOOK_NAMES.filter((name) => !isTheme(name)).toSorted());
  // Each theme is a look of its own, without anything else.
  if (theme.type.kind !== "choice") throw new Error("themes are chosen");
  expect(SHIPPED_LOOK_NAMES.filter(isTheme).toSorted()).toEqual(
    [...theme.type.choices].toSorted() as never,
  );
  for (const name of SHIPPED_LOOK_NAMES.filter(isTheme)) {
    expect(shippedLook(name, en)).toMatchObject({ css: "", size: null });
    const { options } = shippedLook(name, en);
    const query = new URLSearchParams();
    expect(Object.keys(options).filter((option) => option !== "theme")).toEqual([]);
    expect(parseWidgetOptions(query, options).options.theme).toBe(name as never);
  }
  for (const name of SHIPPED_LOOK_NAMES) {
    const look = shippedLook(name, en);
    expect(readSharedLook(sharedLookJson(look))).toEqual({ look, unknown: [] });
  }
});

const DRAWN = SHIPPED_LOOK_NAMES.filter((name) => shippedLook(name, en).css !== "");

describe.each(DRAWN)("the look %s", (name) => {
  const { css, options } = shippedLook(name, en);

  test("uses only what streaming programs know, and loads nothing", () => {
    expect(css).not.toMatch(UNWANTED);
    // Rules within rules are too new.
    const media = /@media \([\w :/-]+\) (\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})/g;
    expect(css.replaceAll(media, "").replaceAll(/\{[^{}]*\}/g, "")).not.toContain("{");
  });

  test("is made of public names alone", () => {
    const classes = [...css.matchAll(/\.np[\w-]*/g)].map(([found]) => found);
    const attributes = [...css.matchAll(/data-np-[a-z-]+/g)].map(([found]) => found);
    const properties = [...css.matchAll(/--[\w-]+/g)].map(([found]) => found);
    expect(classes.length).toBeGreaterThan(2);
    const used = [...classes, ...attributes, ...properties];
    const known = (one: string) => documented.has(one) || OTHER_ATTRIBUTES.includes(one);
    expect(used.filter((one) => !known(one))).toEqual([]);
  });

  test("leaves to options what options can say, so that the editor changes it", () => {
    expect(css).not.toMatch(/--np-(font|font-size|radius|bg|accent|fg|max-width|align)\s*:/);
    expect(css).not.toMatch(/font-family/);
    // Light or dark is not left to the streaming program.
    expect(options["mode"]).toMatch(/^(dark|light)$/);
  });
});
