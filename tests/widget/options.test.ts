import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseWidgetOptions, type WidgetOption, widgetOptions } from "../../widget/options.ts";
import { optionStyles } from "../../widget/styles.ts";

const table = Object.entries(widgetOptions) as [string, WidgetOption<unknown>][];
const parse = (query: string) => parseWidgetOptions(new URLSearchParams(query));
const defaults = parse("").options;

/** What CSS, HTML and JSON would trip over, beside any text at all. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        ..."<>{};:'\"\\/*()#@!,- \n\0".split(""),
        "</style>",
        "url(",
        "-->",
        "Arial",
        "fff",
        "ff8800",
        "1",
        "é",
        "字",
        "\u2028",
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join("")),
);
const anyQuery = fc
  .array(
    fc.tuple(fc.oneof(fc.constantFrom(...table.map(([name]) => name)), hostileText), hostileText),
    {
      maxLength: 12,
    },
  )
  .map((pairs) => new URLSearchParams(pairs));

/** How an option's value stands in an address; `undefined` where nothing says it. */
function toText(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value === null) return undefined;
  return name === "idleText" ? String(value) : String(value).replace(/^#/, "");
}

describe("parseWidgetOptions", () => {
  test("answers every default to an empty query, without a warning", () => {
    const { options, warnings } = parse("");
    expect<unknown>(options).toEqual(
      Object.fromEntries(table.map(([name, { fallback }]) => [name, fallback])),
    );
    expect(warnings).toEqual([]);
  });

  test("never throws, and answers every option and no other", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyQuery.map(String)), (query) => {
        const { options, warnings } = parse(query);
        expect(Object.keys(options)).toEqual(table.map(([name]) => name));
        expect(warnings.length).toBeLessThanOrEqual(table.length);
      }),
    );
  });

  test("warns once for each wrong value and takes the default in its place", () => {
    fc.assert(
      fc.property(fc.constantFrom(...table), hostileText, ([name, option], text) => {
        const { options, warnings } = parseWidgetOptions(new URLSearchParams([[name, text]]));
        const value: unknown = options[name as keyof typeof options];
        if (warnings.length === 0) return;
        expect(warnings).toEqual([expect.stringContaining(`"${name}" must be ${option.allowed}`)]);
        expect(value).toBe(option.fallback);
      }),
    );
  });

  test("repeats nothing of a wrong value in its warning", () => {
    const { warnings } = parse("font=<img src=x>&speed=<script>&bg=%22");
    expect(warnings).toHaveLength(3);
    expect(warnings.join("")).not.toMatch(/[<>]/);
  });

  test("understands a value again that it has understood", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        const { options } = parseWidgetOptions(query);
        const texts = Object.entries(options).flatMap(([name, value]) => {
          const text = toText(name, value);
          return text === undefined ? [] : [[name, text] as [string, string]];
        });
        const again = parseWidgetOptions(new URLSearchParams(texts));
        expect(again).toEqual({ options, warnings: [] });
      }),
    );
  });

  test("takes the first of two values", () => {
    expect(parse("speed=40&speed=50").options.speed).toBe(40);
  });
});

const withText = table.flatMap(([name, option]) => {
  const text = toText(name, option.fallback);
  return text === undefined ? [] : [[name, text, option] as const];
});

test.each(withText)("the option %s takes its own default, %j", (_, text, option) => {
  expect(option.parse(text)).toEqual(option.fallback);
});

test("every option that an address may hold is there, with its default", () => {
  expect(defaults).toMatchObject({
    theme: "card",
    mode: "dark",
    bg: null,
    opacity: null,
    color: null,
    accent: "auto",
    font: null,
    size: null,
    radius: null,
    width: null,
    position: "tl",
    align: "start",
    art: true,
    progress: true,
    time: true,
    label: true,
    source: false,
    swap: false,
    marquee: "pages",
    speed: 30,
    hold: null,
    delay: 0,
    paused: "show",
    idle: "hide",
    idleText: "",
    hideDelay: 5_000,
    show: 0,
    motion: "auto",
    demo: "0",
  });
  for (const name of ["album", "enter", "exit", "outline"]) expect(defaults).toHaveProperty(name);
});

test("what older versions could save or put into an address is still understood", () => {
  const could: Readonly<Record<string, string>> = {
    theme: "card compact bar text art vinyl glass",
    mode: "auto dark light",
    accent: "auto f80 FF8800",
    position: "tl tc tr ml mc mr bl bc br",
    align: "start center end",
    marquee: "pages once auto off always",
    enter: "fade slide none",
    exit: "fade slide none",
    paused: "show dim hide",
    idle: "hide text",
    shown: "always changes asked",
    motion: "auto full none",
    demo: "0 1",
    ...Object.fromEntries(
      "art progress time album label source swap".split(" ").map((name) => [name, "0 1"]),
    ),
    opacity: "0 100",
    size: "8 64",
    radius: "0 64",
    width: "120 3840",
    speed: "5 30 300",
    hold: "0 3 60",
    delay: "0 30",
    hideDelay: "0 5000 600000",
    show: "0 3600",
    outline: "0 8",
  };
  for (const [name, values] of Object.entries(could)) {
    for (const value of values.split(" ")) {
      expect([name, value, parse(`${name}=${value}`).warnings]).toEqual([name, value, []]);
    }
  }
});

test("colours are hexadecimal digits without #", () => {
  expect(parse("bg=FF8800").options.bg).toBe("#ff8800");
  expect(parse("bg=f80").options.bg).toBe("#f80");
  for (const wrong of ["%23fff", "ff", "ffff", "fffffff", "ggg", "red", "fff ", " fff", "fff%0a"]) {
    expect(parse(`bg=${wrong}`).warnings).toHaveLength(1);
  }
});

test("numbers stay within their range", () => {
  expect(parse("speed=5").options.speed).toBe(5);
  expect(parse("speed=300").options.speed).toBe(300);
  expect(parse("hold=1.5").options.hold).toBe(1.5);
  for (const wrong of ["4", "301", "-30", "3e1", "0x1e", "NaN", "Infinity", "", " 30", "٣٠"]) {
    expect(parse(`speed=${encodeURIComponent(wrong)}`).options.speed).toBe(30);
  }
});

test("fonts are names of letters, digits, spaces and hyphens", () => {
  expect(parse("font=Fira Sans, Ubuntu-字 2").options.font).toBe("Fira Sans, Ubuntu-字 2");
  for (const sign of [..."\"'\\;:{}()<>&/*@#\n\0", "a".repeat(120)]) {
    expect([
      sign,
      parseWidgetOptions(new URLSearchParams({ font: `A${sign}` })).options.font,
    ]).toEqual([sign, null]);
  }
});

test("a text is one line of at most so many characters", () => {
  expect(parse(`idleText=${"x".repeat(80)}`).options.idleText).toHaveLength(80);
  for (const wrong of ["x".repeat(81), "a%0ab", "a%07b"]) {
    expect(parse(`idleText=${wrong}`)).toMatchObject({
      options: { idleText: "" },
      warnings: [expect.any(String)],
    });
  }
});

describe("optionStyles", () => {
  const DECLARATION = /^--np-[a-z-]+:(?:"[\p{L}\p{N} -]*"|[a-z0-9#(). ,%/-])+$/u;

  /** The declarations of the one rule that the stylesheet holds. */
  const declarationsOf = (styles: string) => {
    const body = /^@layer [a-z.]+\{[a-z:]+\{([^{}]*)\}\}$/u.exec(styles)?.[1];
    if (body === undefined) throw new Error(`not one rule: ${styles}`);
    return body === "" ? [] : body.split(";");
  };

  test("set nothing of their own accord", () => {
    expect(declarationsOf(optionStyles(defaults))).toEqual([]);
  });

  test("are one rule of known declarations, whatever the query says", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        const styles = optionStyles(parseWidgetOptions(query).options);
        expect(styles).not.toContain("<");
        const declarations = declarationsOf(styles);
        for (const declaration of declarations) expect(declaration).toMatch(DECLARATION);
        const names = declarations.map((one) => one.split(":")[0]);
        expect(new Set(names).size).toBe(names.length);
      }),
      { numRuns: 500 },
    );
  });

  test("quote every font name", () => {
    const { options } = parse("font=Fira Sans, Noto-Sans,Ubuntu 字");
    expect(optionStyles(options)).toContain('--np-font:"Fira Sans","Noto-Sans","Ubuntu 字",');
  });

  test.each([
    ["bg=f80", ["--np-panel:255 136 0"]],
    ["opacity=50", ["--np-panel-opacity:0.5"]],
    ["bg=000&opacity=0", ["--np-panel:0 0 0", "--np-panel-opacity:0"]],
  ])("leave to the theme what %s does not say of the background", (query, declarations) => {
    const declared = declarationsOf(optionStyles(parse(query).options));
    expect(declared.filter((one) => one.startsWith("--np-panel"))).toEqual(declarations);
  });
});
