import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createApiKey, createWidgetToken } from "../src/accounts/credential.ts";
import {
  createLog,
  describeError,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFields,
  type LogFormat,
  type LogLevel,
} from "../src/log.ts";

const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** The lines that a log writes. */
function linesOf(
  say: (log: ReturnType<typeof createLog>) => void,
  format: LogFormat = "text",
  level: LogLevel = "debug",
): string[] {
  const lines: string[] = [];
  say(createLog({ level, format, write: (line) => lines.push(line), wallMs: () => NOON_MS }));
  return lines;
}

/** One line in each format that holds this text, as the message and as a field. */
const linesWith = (text: string, field = "url") =>
  LOG_FORMATS.flatMap((format) =>
    linesOf((log) => (log.info(text), log.info("a thing", { [field]: text })), format),
  );

describe("a line of text", () => {
  test("has the time, the level, the message and the fields", () => {
    const [line] = linesOf((log) => log.warn("music cannot be followed", { user: 1, again: true }));
    expect(line).toBe("2026-11-21T12:00:00.000Z warn  music cannot be followed user=1 again=true");
  });

  test("quotes values that would read as several", () => {
    const [line] = linesOf((log) =>
      log.info("done", { a: "two words", b: 'x="y"', c: "", d: "z" }),
    );
    expect(line).toEndWith('done a="two words" b="x=\\"y\\"" c="" d=z');
  });

  test("leaves out fields that are not there", () => {
    expect(linesOf((log) => log.info("done", { a: undefined, b: null }))[0]).toEndWith(
      "done b=null",
    );
  });
});

describe("a line of JSON", () => {
  test("has the time, the level, the message and the fields", () => {
    const [line = ""] = linesOf(
      (log) => log.error("it broke", { user: 1, reason: 'a "b"' }),
      "json",
    );
    expect(JSON.parse(line)).toEqual({
      time: "2026-11-21T12:00:00.000Z",
      level: "error",
      message: "it broke",
      user: 1,
      reason: 'a "b"',
    });
  });
});

describe("the level", () => {
  test.each(LOG_LEVELS)("%s lets itself and what is graver through", (level) => {
    const said = linesOf(
      (log) => LOG_LEVELS.forEach((one) => log[one]("hello")),
      "json",
      level,
    ).map((line) => JSON.parse(line).level);
    expect(said).toEqual(["error", "warn", "info", "debug"].slice(0, said.length));
    expect(said.at(-1)).toBe(level);
  });

  test("tells what is written at all", () => {
    linesOf(
      (log) => {
        expect(LOG_LEVELS.filter(log.enabled)).toEqual(["error", "warn"]);
      },
      "text",
      "warn",
    );
  });
});

describe("no line holds", () => {
  /** Text of a request's target: anything that can stand between `&` and `&`. */
  const aValue = fc
    .string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 6,
    })
    .filter((text) => !/[&#]/.test(text) && !"[redacted]".includes(text));

  test("a key or a widget token, wherever it stands", () => {
    const around = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(
        around,
        fc.constantFrom(createApiKey, createWidgetToken),
        ([before, after], create) => {
          const secret = create();
          for (const line of linesWith(`${before}${secret} ${after}`)) {
            expect(line).not.toContain(secret.slice(4));
          }
        },
      ),
    );
  });

  test("what follows api_key=, be it a key or not", () => {
    fc.assert(
      fc.property(aValue, (value) => {
        const [message, , json = "{}"] = linesWith(`http://x/api/v1/user?api_key=${value}&b=1`);
        expect(message).toEndWith("http://x/api/v1/user?api_key=[redacted]&b=1");
        expect(JSON.parse(json).message).toBe("http://x/api/v1/user?api_key=[redacted]&b=1");
      }),
    );
  });

  test("what follows api_key= in a field either", () => {
    fc.assert(
      fc.property(aValue, (value) => {
        const json = linesWith(`http://x/?api_key=${value}&b=1`)[3] ?? "{}";
        expect(JSON.parse(json).url).toBe("http://x/?api_key=[redacted]&b=1");
      }),
    );
  });

  test.each([
    "/fr/widget/*/live",
    "/fr/text/*",
    "/fr/card/*",
    "/show/*",
    "/hide/*",
    "/in/*/json",
    "/fr/sign-in/*",
    "/fr/connect/spotify/*/start",
  ])("the token or the secret in the path %s, be it one or not", (path) => {
    const aSegment = aValue.filter((text) => !/[/?]/.test(text));
    fc.assert(
      fc.property(aSegment, (segment) => {
        const [message] = linesWith(`http://x${path.replace("*", () => segment)}`);
        expect(message).toEndWith(path.replace("*", "[redacted]"));
      }),
    );
  });

  test.each([
    "X-Api-Key: swordfish",
    "x-api-key=swordfish",
    '{"x-api-key":"swordfish"}',
    '{"api_key":"swordfish"}',
    "Authorization: Bearer swordfish",
    "authorization: ApiKey swordfish",
    "Cookie: theme=dark; session=swordfish",
    "Set-Cookie: session=swordfish; Path=/",
    "--password=swordfish",
    "password: swordfish",
    "password: 'sword of swordfish'",
    '{"password":"my \\"good\\" swordfish"}',
    "MARQUEE_SECRET_KEY=swordfish",
    "secret-key: swordfish",
    "https://ada:swordfish@example.org/music",
    "https://swordfish@example.org",
    "https://ada:sword@swordfish@example.org/",
    "API_KEY=swordfish",
    "/EN/WIDGET/swordfish",
  ])("the secret in %p", (text) => {
    const lines = linesWith(text);
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line).not.toContain("swordfish");
  });

  test.each([
    "x-api-key",
    "api_key",
    "authorization",
    "Cookie",
    "set-cookie",
    "password",
    "mpdPassword",
    "secretKey",
    "secret_key",
  ])("what a field named %s says", (field) => {
    const fields: LogFields = { [field]: "a whole swordfish" };
    for (const format of LOG_FORMATS) {
      const [line] = linesOf((log) => log.info("a thing", fields), format);
      expect(line).toContain(field);
      expect(line).not.toMatch(/whole|swordfish/);
    }
  });
});

test("what is no secret stays as it is", () => {
  const text = "MPD at music.example.org:6600 refuses the password; mail ada@example.org";
  for (const line of linesWith(text)) expect(line).toContain(text);
});

describe("data in a line", () => {
  const aControl = fc.constantFrom(..."\n\r\v\f\u0000\u0007\u001b\u007f\u0085\u009b\u2028\u2029");
  const hostile = fc.string({ unit: fc.oneof(aControl, fc.string({ unit: "grapheme" })) });

  test.each(LOG_FORMATS)("never starts another line or moves the cursor, in %s", (format) => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, name, value) => {
        const lines = linesOf((log) => log.info(message, { [name]: value }), format);
        expect(lines).toHaveLength(1);
        expect(lines[0]).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  test("is cut to 300 characters a field, between characters", () => {
    for (const format of LOG_FORMATS) {
      const fields = { url: `http://nas/${"🎵".repeat(60_000)}`, reason: "b".repeat(300) };
      const [line = ""] = linesOf((log) => log.warn("it failed", fields), format);
      expect(line.length).toBeLessThan(1_200);
      expect(line).toContain(`${"🎵".repeat(289)}…`);
      expect(line).not.toContain("🎵".repeat(290));
      expect(line).toContain("b".repeat(300));
      expect(line.isWellFormed()).toBe(true);
    }
  });

  test("is not cut so that half a secret is left", () => {
    const secret = "mq_".padEnd(41, "a");
    const lines = linesOf((log) => {
      for (let before = 250; before < 310; before += 1) {
        log.warn("it failed", { reason: `${"x".repeat(before)} ${secret}` });
      }
    });
    expect(lines.join("\n")).not.toContain("aa");
  });

  test("cannot turn the order of a line in a terminal", () => {
    const [line] = linesOf((log) =>
      log.warn("it \u202efailed", { reason: "x\u2066y\u001b[31mz\u009b1m" }),
    );
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  test("is whole in JSON, however hostile", () => {
    const [line = ""] = linesOf((log) => log.info("x", { title: "a\u2028b\u0085c\nd" }), "json");
    expect(JSON.parse(line).title).toBe("a\u2028b\u0085c\nd");
  });
});

describe("an error", () => {
  test("is told with what caused it", () => {
    const cause = new Error("no route to host");
    expect(describeError(new Error("MPD cannot be reached", { cause }))).toBe(
      "MPD cannot be reached (no route to host)",
    );
  });

  test("is told without its stack", () => {
    expect(describeError(new Error("it broke"))).toBe("it broke");
  });

  test("need not be one", () => {
    expect(describeError("it broke")).toBe("it broke");
  });
});
