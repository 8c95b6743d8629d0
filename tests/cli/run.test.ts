import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createProgram } from "../../src/cli/program.ts";
import { flagsOfServe } from "../../src/cli/run.ts";
import { flagOf, settingNames, settings } from "../../src/config.ts";

/** What Commander makes of the flags of `serve`; `undefined` when it refuses them. */
function flagsByCommander(words: readonly string[]): Record<string, unknown> | undefined {
  const program = createProgram({ environment: {}, out: () => {}, error: () => {} });
  const serve = program.commands.find((command) => command.name() === "serve");
  if (!serve) throw new Error("there is no serve");
  serve.action(() => {});
  try {
    program.parse([...words], { from: "user" });
    return serve.opts();
  } catch {
    return undefined;
  }
}

const anyValue = fc.oneof(
  fc.constantFrom("8080", "a b", "", "=", "x=y", "-1", "--json"),
  fc.string(),
);
const anyFlag = fc.constantFrom(...settingNames);
const anyWords = fc
  .array(
    fc.oneof(
      fc.tuple(anyFlag, anyValue).map(([name, value]) => {
        const { placeholder } = settings[name];
        return placeholder === undefined ? [flagOf(name)] : [flagOf(name), value];
      }),
      fc.tuple(anyFlag, anyValue).map(([name, value]) => [`${flagOf(name)}=${value}`]),
      anyFlag.map((name) => [flagOf(name)]),
      fc.constantFrom(["--json"], ["--help"], ["user"], ["--prot", "1"], ["-p"]),
    ),
    { maxLength: 4 },
  )
  .map((words) => words.flat());

describe("a plain start of the server", () => {
  test("has the flags that Commander finds, wherever it is understood", () => {
    let understood = 0;
    fc.assert(
      fc.property(anyWords, fc.boolean(), (words, isNamed) => {
        const line = isNamed ? ["serve", ...words] : words;
        const flags = flagsOfServe(line);
        if (!flags) return;
        understood += 1;
        expect(flagsByCommander(line)).toEqual(flags);
      }),
      { numRuns: 500 },
    );
    expect(understood).toBeGreaterThan(50);
  });

  test.each<[string[], Record<string, string | true>]>([
    [[], {}],
    [["serve"], {}],
    [["serve", "--port", "8080", "--json"], { port: "8080", json: true }],
    [["--data=./music", "--demo"], { data: "./music", demo: true }],
  ])("is understood: %j", (words, flags) => {
    expect(flagsOfServe(words)).toEqual(flags);
  });

  test.each<[string[]]>([
    [["--help"]],
    [["--version"]],
    [["user", "list"]],
    [["serve", "now"]],
    [["--port"]],
    [["--port", "--json"]],
    [["--demo=yes"]],
    [["--prot", "8080"]],
  ])("is not seen in %j, which Commander explains", (words) => {
    expect(flagsOfServe(words)).toBeUndefined();
  });
});
