import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { widgetStylesheet } from "../../src/html/assets.ts";
import { contrast, luminance, mix, parseHex, readableOn } from "../../widget/colour.ts";
import { parseWidgetOptions } from "../../widget/options.ts";
import {
  AMBIENT_AT_WORST,
  coverStyles,
  LEAST_PANEL_OPACITY,
  MODE_COLOURS,
  modeOf,
  optionStyles,
} from "../../widget/styles.ts";

const parse = (query: string) => parseWidgetOptions(new URLSearchParams(query)).options;

const valueOf = (styles: string, property: string) =>
  new RegExp(`${property}:(#[0-9a-f]{6})`).exec(styles)?.[1];

test("the colours of each mode are those of the stylesheet", async () => {
  const css = await Bun.file(`${import.meta.dir}/../../widget/base.css`).text();
  const rulesOf = (selector: string) => css.split(`${selector} {`)[1]?.split("}")[0];
  const declared = ({ panel, title, muted, accent }: (typeof MODE_COLOURS)["dark" | "light"]) => [
    `--np-fg: ${title};`,
    `--np-panel: ${parseHex(panel).join(" ")};`,
    `--np-fg-muted: ${muted};`,
    `--np-accent: ${accent};`,
  ];
  for (const line of declared(MODE_COLOURS.dark)) expect(rulesOf(":root")).toContain(line);
  const light = rulesOf(`:root[data-np-mode="light"]`);
  for (const line of declared(MODE_COLOURS.light)) expect(light).toContain(line);
});

test("colours are made readable on the most transparent panel of all themes", () => {
  const { body } = widgetStylesheet;
  const opacities = [...body.matchAll(/--np-panel-opacity:([\d.]+)/g)].map(([, share]) =>
    Number(share),
  );
  expect(Math.min(...opacities)).toBe(LEAST_PANEL_OPACITY);
});

test("colours are made readable on what the stylesheet of ambient makes of white and of black", async () => {
  const css = await Bun.file(`${import.meta.dir}/../../widget/themes/ambient.css`).text();
  const brightness = Number(/brightness\(([\d.]+)\)/.exec(css)?.[1]);
  const veil = /background: rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)\);/.exec(css);
  const [, red = -1, green = -1, blue = -1, opacity = -1] = veil?.map(Number) ?? [];
  expect(AMBIENT_AT_WORST).toEqual({
    dark: mix([0, 0, 0], [255, 255, 255], brightness),
    light: mix([0, 0, 0], [red, green, blue], opacity),
  });
});

test("each rule for light mode counts for the mode auto where the system is light", () => {
  const { body } = widgetStylesheet;
  const rules = [...body.matchAll(/[^{}]*\[data-np-mode=light\][^{}]*\{[^{}]*\}/g)];
  expect(rules.length).toBeGreaterThan(5);
  for (const [rule] of rules) {
    const automatic = rule.replaceAll("=light]", "=auto]");
    expect(body).toContain(`@media (prefers-color-scheme:light){${automatic}}`);
  }
});

const anyColour = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => value.toString(16).padStart(6, "0"));

const track = {
  id: "1",
  title: "Paper Lanterns",
  artist: "Juniper Vale",
  album: "Slow Weather",
  art: "/art/cover/256.webp",
  accent: "#103080",
  durationMs: 200_000,
  source: "Test",
};

describe("a panel in a colour of the streamer's own", () => {
  test.each([
    ["bg=ffffff", "light"],
    ["bg=ffffff&mode=auto", "light"],
    ["bg=101010&mode=light", "dark"],
    ["theme=glass&bg=ff8800", "light"],
    ["mode=light", "light"],
    ["mode=auto", "auto"],
    ["theme=text&bg=ffffff", "dark"],
    ["bg=ffffff&opacity=50", "light"],
    ["bg=ffffff&opacity=49", "dark"],
  ])("decides about light or dark: %s", (query, mode) => {
    expect(modeOf(parse(query))).toBe(mode as ReturnType<typeof modeOf>);
  });

  test("gets words and an accent that can be read on it, whatever the colour", () => {
    fc.assert(
      fc.property(anyColour, fc.constantFrom("dark", "light", "auto"), (bg, mode) => {
        const options = parse(`bg=${bg}&mode=${mode}`);
        const panel = parseHex(`#${bg}`);
        const { title } = MODE_COLOURS[modeOf(options) === "light" ? "light" : "dark"];
        for (const property of ["--np-fg", "--np-fg-muted", "--np-accent"]) {
          const colour = parseHex(valueOf(optionStyles(options), property) ?? title);
          expect(contrast(colour, panel)).toBeGreaterThanOrEqual(4.5);
          const side = luminance(colour) > luminance(panel) ? "dark" : "light";
          expect(side).toBe(modeOf(options) as typeof side);
        }
      }),
    );
  });

  test.each([
    ["4d7f3b", "dark", "#ffffff"],
    ["757575", "dark", "#ffffff"],
    ["777777", "light", "#000000"],
  ])("in the middle between dark and light has words of one side: %s", (bg, mode, words) => {
    const options = parse(`bg=${bg}`);
    expect(modeOf(options)).toBe(mode as ReturnType<typeof modeOf>);
    for (const property of ["--np-fg-muted", "--np-accent"]) {
      expect(valueOf(optionStyles(options), property)).toBe(words);
    }
    expect(valueOf(coverStyles(track, options), "--np-accent")).toBe(words);
  });

  test("leaves the mode's colours to a panel that is hardly there", () => {
    const styles = optionStyles(parse("bg=ffffff&opacity=20"));
    expect(valueOf(styles, "--np-fg-muted")).toBe(undefined);
    expect(valueOf(styles, "--np-accent")).toBe(undefined);
  });

  test("leaves the streamer's own text and accent as they are", () => {
    const styles = optionStyles(parse("bg=ffffff&color=ffff00&accent=00ff00"));
    expect(valueOf(styles, "--np-fg-muted")).toBe("#ffff00");
    expect(valueOf(styles, "--np-accent")).toBe("#00ff00");
  });
});

test("a font's name is quoted, and a family that each system has is not", () => {
  const styles = optionStyles(parse("font=Georgia, Sans-Serif One, serif"));
  expect(styles).toContain('--np-font:"Georgia","Sans-Serif One",serif,system-ui,sans-serif}');
});

describe("the accent of a cover", () => {
  test("stays a colour of the cover’s hue and is read on the panel, however dark or pale the cover", () => {
    for (const colour of ["#3a0004", "#b00010", "#5b4a3f", "#1c2a5e", "#ffe9e9", "#274d2a"]) {
      for (const panel of ["#11131a", "#fcfcfe", "#666666"]) {
        const accent = readableOn(parseHex(colour), parseHex(panel));
        expect(contrast(accent, parseHex(panel))).toBeGreaterThanOrEqual(4.5);
        const range = Math.max(...accent) - Math.min(...accent);
        const most = panel === "#666666" ? 4 : 20;
        expect([colour, panel, range > most]).toEqual([colour, panel, true]);
      }
    }
  });

  const accentWith = (query: string) => valueOf(coverStyles(track, parse(query)), "--np-accent");

  test("is made for the panel's own colour", () => {
    expect(accentWith("bg=ffffff")).toBe(accentWith("mode=light"));
    expect(accentWith("bg=3b6ea5")).not.toBe(accentWith(""));
  });

  test.each([
    ["text", "bg=3b6ea5"],
    ["glass", "bg=3b6ea5"],
  ])("is not made for a panel that the theme %s does not show", (theme, query) => {
    expect(accentWith(`theme=${theme}&${query}`)).toBe(accentWith(`theme=${theme}`));
  });

  test("is not made for a panel that is hardly there", () => {
    expect(accentWith("bg=ffffff&opacity=20")).toBe(accentWith("opacity=20"));
  });

  test("is made for the panel of the theme glass where the cover is not shown", () => {
    expect(accentWith("theme=glass&bg=3b6ea5&art=0")).not.toBe(accentWith("theme=glass&art=0"));
  });
});
