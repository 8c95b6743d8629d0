import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chownSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  finish,
  isOwn,
  makeAnew,
  mustBe,
  openOwnFile,
  readOwnFile,
  writeWhole,
} from "../src/own-file.ts";
import { createTempFolder } from "./fixtures/data/temp-folder.ts";
import { testWith } from "./fixtures/real-parts.ts";

const SOMEBODY = 61_234;
const testAsRoot = testWith("root", process.getuid?.() === 0);

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());
const path = (name: string) => join(folder.path, name);

describe("a file that is written whole", () => {
  test("is private, replaces what was there, and leaves no draft", () => {
    writeFileSync(path("facts"), "before", { mode: 0o644 });
    writeWhole(path("facts"), "after");
    expect(readFileSync(path("facts"), "utf8")).toBe("after");
    expect(statSync(path("facts")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(["facts"]);
  });

  test.each([
    ["symbolic", symlinkSync],
    ["hard", linkSync],
  ] as const)("follows no %s link that somebody has put in the draft's place", (_, link) => {
    writeFileSync(path("victim"), "precious");
    link(path("victim"), path("facts.new"));
    writeWhole(path("facts"), "after");
    expect(readFileSync(path("victim"), "utf8")).toBe("precious");
    expect(readFileSync(path("facts"), "utf8")).toBe("after");
    expect(lstatSync(path("facts")).isFile()).toBe(true);
  });

  test("takes its place only if nobody has replaced it meanwhile", () => {
    const file = makeAnew(path("draft"));
    writeSync(file, "ours");
    const written = finish(file, 0o600);
    closeSync(file);
    mustBe(path("draft"), written);
    renameSync(path("draft"), path("ours"));
    writeFileSync(path("draft"), "theirs");
    expect(() => mustBe(path("draft"), written)).toThrow("replaced by another program");
    symlinkSync(path("ours"), path("link"));
    expect(() => mustBe(path("link"), written)).toThrow("replaced by another program");
  });
});

describe("a file that is believed", () => {
  test("is a file of this user's", () => {
    writeFileSync(path("facts"), "{}");
    expect(readOwnFile(path("facts"))).toBe("{}");
  });

  test("is no link, folder or pipe, and is there", () => {
    writeFileSync(path("facts"), "{}");
    symlinkSync(path("facts"), path("link"));
    Bun.spawnSync(["mkfifo", path("pipe")]);
    for (const name of ["link", "pipe", ".", "missing"]) {
      expect(readOwnFile(path(name))).toBeUndefined();
      expect(openOwnFile(path(name), constants.O_WRONLY)).toBeUndefined();
    }
  });

  testAsRoot("does not belong to somebody else", () => {
    writeFileSync(path("facts"), "{}");
    chownSync(path("facts"), SOMEBODY, SOMEBODY);
    expect(readOwnFile(path("facts"))).toBeUndefined();
    expect(isOwn(statSync(path("facts")))).toBe(false);
    expect(isOwn(statSync("/"))).toBe(true);
  });
});
