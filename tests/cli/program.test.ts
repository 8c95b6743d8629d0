import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import packageJson from "../../package.json";
import { OutputError } from "../../src/cli/output.ts";
import { run } from "../../src/cli/run.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, environment, path } = useCommandLine();

/** Every command, with arguments that work once there is a user named ada. */
const commands = [
  { name: "user add", words: ["grace"] },
  { name: "user list", words: [] },
  { name: "user remove", words: ["ada"] },
  { name: "key add", words: ["ada"] },
  { name: "key list", words: ["ada"] },
  { name: "key rotate", words: ["ada"] },
  { name: "widget url", words: ["ada"] },
  { name: "widget rotate", words: ["ada"] },
  { name: "connect", words: ["ada", "demo"] },
  { name: "disconnect", words: ["ada"] },
  { name: "secret rotate", words: [] },
  { name: "config", words: [] },
];
const named = (name: string) => name.split(" ").filter((word) => word !== "");

describe("--help", () => {
  const names = [...commands.map(({ name }) => name), "key revoke", "backup", "serve"];

  test.each(names)("of marquee %s says what it does and which options it takes", async (name) => {
    const { code, out, errors } = await marquee(...named(name), "--help");
    expect(code).toBe(0);
    expect(out).toStartWith(`Usage: marquee ${name}`);
    for (const option of ["--data", "--json", "--help"]) expect(out).toContain(option);
    expect(errors).toBe("");
  });

  test.each(["", "user", "key", "widget", "secret"])(
    "of marquee %s lists the commands",
    async (name) => {
      const { code, out } = await marquee(...named(name), "--help");
      expect(code).toBe(0);
      for (const one of commands.filter((command) => command.name.startsWith(`${name} `))) {
        expect(out).toMatch(new RegExp(`^  ${one.name.slice(name.length + 1)} `, "m"));
      }
      expect(out).toContain("Commands:");
    },
  );

  test("of marquee serve lists every setting", async () => {
    const { out } = await marquee("serve", "--help");
    for (const flag of ["--host", "--port", "--base-url", "--demo", "--trusted-proxies"]) {
      expect(out).toContain(flag);
    }
  });
});

test("--version prints version, commit and runtime", async () => {
  const line = `marquee ${packageJson.version} (from source, Bun ${Bun.version})`;
  expect(await marquee("--version")).toMatchObject({ code: 0, out: line });
});

describe("help", () => {
  test.each([
    ["help", "Usage: marquee [options]"],
    ["-h", "Usage: marquee [options]"],
    ["help serve", "Usage: marquee serve"],
    ["help user list", "Usage: marquee user list"],
    ["help user", "Usage: marquee user "],
    ["serve -h", "Usage: marquee serve"],
  ])("is shown by marquee %s", async (words, usage) => {
    const { code, out, errors } = await marquee(...named(words));
    expect(code).toBe(0);
    expect(out).toStartWith(usage);
    expect(errors).toBe("");
  });

  test("of no kind knows a hidden command", async () => {
    const { errors } = await marquee("nosuch");
    expect(errors).toContain("doctor");
    expect(errors).not.toContain("healthcheck");
  });
});

describe("a command that is done", () => {
  test.each(commands)(
    "marquee $name exits 0 and prints nothing but JSON with --json",
    async (command) => {
      await marquee("user", "add", "ada");
      const ran = await marquee(...named(command.name), ...command.words, "--json");
      expect(ran.code).toBe(0);
      expect(ran.errors).toBe("");
      expect(ran.documents().length).toBeGreaterThan(0);
    },
  );

  test("takes --data as a flag", async () => {
    environment["MARQUEE_DATA"] = "/dev/null/nowhere";
    await marquee("user", "add", "ada", "--data", path("flag"));
    expect(await marquee("user", "list", "--data", path("flag"))).toMatchObject({ code: 0 });
  });
});

describe("a command that is called wrongly", () => {
  test.each([
    "nonsense",
    "--nonsense",
    "--port",
    "help nonsense",
    "user",
    "user nonsense",
    "user add",
    "user list --nonsense",
    "user list extra",
    "key rotate",
    "widget url ada --lang",
    "connect ada",
    "serve extra",
  ])("exits 2, says why in lines of its own, and names the help: marquee %s", async (words) => {
    const { code, out, errors } = await marquee(...named(words));
    expect([code, out]).toEqual([2, ""]);
    for (const line of errors.split("\n")) expect(line).toStartWith("marquee: ");
    expect(errors).toMatch(/See "marquee( \w+)* --help"\.$/);
  });

  test.each(["serve --port x", "user list --data="])("exits 2 and says why: %s", async (words) => {
    const { code, out, errors } = await marquee(...named(words));
    expect([code, out]).toEqual([2, ""]);
    expect(errors).toStartWith("marquee: ");
    expect(errors).not.toMatch(/^\s+at /m);
  });

  test.each([
    ["user list --json=true", "--json"],
    ["config --demo=false", "--demo"],
  ])("is told which option takes no value: marquee %s", async (words, option) => {
    const { code, errors } = await marquee(...named(words));
    expect(code).toBe(2);
    expect(errors).toStartWith(`marquee: option '${option}' takes no value. See `);
  });

  test("does not print a key that was among its words", async () => {
    const key = `mq_${"a".repeat(38)}`;
    const { code, errors } = await marquee("nonsense", key);
    expect(code).toBe(2);
    expect(errors).not.toContain(key);
  });
});

describe("a command that fails", () => {
  const expectFailure = async (...words: string[]) => {
    const { code, out, errors } = await marquee(...words, "--json");
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(errors).toStartWith("marquee: ");
    expect(errors).not.toMatch(/^\s+at |SQLITE_|Error:/m);
    return errors;
  };

  test("exits 1 with a sentence on standard error: a damaged database", async () => {
    await marquee("user", "add", "ada");
    writeFileSync(path("data", "marquee.db"), "no database ".repeat(1_000));
    expect(await expectFailure("user", "list")).toContain(path("data", "marquee.db"));
  });

  test("exits 1 with a sentence on standard error: a folder that cannot be made", async () => {
    writeFileSync(path("file"), "");
    environment["MARQUEE_DATA"] = path("file", "data");
    expect(await expectFailure("user", "add", "ada")).toContain(path("file", "data"));
  });

  for (const words of ["user list", "backup copy.db"]) {
    test(`exits 1 where there is no data, and makes none: ${words}`, async () => {
      expect(await expectFailure(...words.split(" "))).toContain("There is no Marquee data");
      expect(existsSync(path("data"))).toBe(false);
    });
  }

  for (const words of ["--json user list", "user --json list", "user list --json"]) {
    test(`takes its options before its words too: ${words}`, async () => {
      await marquee("user", "add", "ada");
      const ran = await marquee(...words.split(" "));
      expect(ran.code).toBe(0);
      expect(ran.documents()).toHaveLength(1);
    });
  }

  test("exits 1 and says so when what it printed could not be written", async () => {
    const full = await run(["user", "add", "ada"], {
      environment: { MARQUEE_DATA: path("data") },
      out: () => {
        throw new OutputError("The result could not be written.");
      },
      error: () => {},
    });
    expect(full).toBe(1);
  });

  for (const flag of ["--port 8080", "--host=127.0.0.1", "--demo", "--files /tmp/x"]) {
    test(`takes every setting before its words: ${flag} config`, async () => {
      const ran = await marquee(...flag.split(" "), "config", "--json");
      expect(ran.code).toBe(0);
      const [name = ""] = flag.slice(2).split(/[ =]/);
      const shown = ran.documents().find(({ setting }) => setting === name);
      expect(shown).toMatchObject({ origin: `--${name}` });
    });
  }

  test("is told which setting it does not take, wherever that stands", async () => {
    const { code, errors } = await marquee("--log-level", "debug", "user", "list");
    expect(code).toBe(2);
    expect(errors).toContain("--log-level");
  });

  test("does not blame the data's disk for a full one under its output", async () => {
    const errors: string[] = [];
    const cause = Object.assign(new Error("full"), { code: "ENOSPC" });
    await run(["user", "add", "ada"], {
      environment: { MARQUEE_DATA: path("data") },
      out() {
        throw new OutputError("The output is full.", { cause });
      },
      error: (line) => errors.push(line),
    });
    expect(errors).toEqual(["marquee: The output is full."]);
  });

  const whenReaderLeft = async (...words: string[]) => {
    const errors: string[] = [];
    const cause = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
    const code = await run(words, {
      environment: { MARQUEE_DATA: path("data") },
      out() {
        throw new OutputError("Nobody has seen it.", { cause });
      },
      error: (line) => errors.push(line),
    });
    return { code, errors };
  };

  test.each(["user list", "key list ada", "widget url ada", "config", "--help", "user --help"])(
    "ends quietly when the reader of what it shows has left: %s",
    async (words) => {
      await marquee("user", "add", "ada");
      expect(await whenReaderLeft(...named(words))).toEqual({ code: 0, errors: [] });
    },
  );

  test.each(["user add grace", "key add ada", "widget rotate ada"])(
    "fails when the reader has left before what is shown only once: %s",
    async (words) => {
      await marquee("user", "add", "ada");
      expect((await whenReaderLeft(...named(words))).code).toBe(1);
    },
  );

  test("exits 1 with a sentence on standard error: a user who is not there", async () => {
    await marquee("user", "add", "ada");
    expect(await expectFailure("key", "list", "nobody")).toContain("“nobody”");
  });
});
