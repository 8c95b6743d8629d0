import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { en } from "../../../src/i18n/en.ts";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../../src/overlay/looks/shipped.ts";
import { readDocument } from "../../fixtures/docs/documents.ts";

/** What is public, or part of the page's own language: the documentation lists it. */
const documented = new Set(readDocument("en", "options").codes);
const OTHER_ATTRIBUTES = ["data-np-swap"];

/** What Chromium 103 does not know, what costs too much on stream, and what loads something. */
const UNWANTED =
  /:has\(|color-mix|@container|@layer|@import|@font-face|url\(|backdrop-filter|infinite|!important|@keyframes/;

test("every file of a look is one of the looks", () => {
  const folder = join(import.meta.dir, "../../../src/overlay/looks/shipped");
  const files = readdirSync(folder).map((file) => file.replace(".json", ""));
  expect(files.toSorted()).toEqual([...SHIPPED_LOOK_NAMES].toSorted());
  for (const file of files) {
    const document = JSON.parse(readFileSync(join(folder, `${file}.json`), "utf8"));
    expect(Object.keys(document)).toEqual(["marquee", "name", "options", "css", "size"]);
  }
});

describe.each(SHIPPED_LOOK_NAMES)("the look %s", (name) => {
  const { css, options } = shippedLook(name, en);

  test("uses only what streaming programs know, and loads nothing", () => {
    expect(css).not.toMatch(UNWANTED);
    // Rules within rules are too new.
    expect(css.replaceAll(/\{[^{}]*\}/g, "")).not.toContain("{");
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
