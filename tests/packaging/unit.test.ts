import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { testWith } from "../fixtures/real-parts.ts";

const path = join(import.meta.dir, "../../packaging/linux/marquee.service");
const text = await Bun.file(path).text();

/** The values that a unit file gives a setting of its `[Service]` section. */
function valuesOf(name: string): string[] {
  const section = /^\[Service\]$([^]*?)^\[/m.exec(text)?.[1] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

describe("the systemd unit", () => {
  test.each([
    ["ExecStart", "/usr/local/bin/marquee serve"],
    ["DynamicUser", "yes"],
    ["StateDirectory", "marquee"],
    ["StateDirectoryMode", "0700"],
    ["UMask", "0077"],
    ["ProtectSystem", "strict"],
    ["ProtectHome", "yes"],
    ["NoNewPrivileges", "yes"],
    ["CapabilityBoundingSet", ""],
    ["EnvironmentFile", "-/etc/marquee/marquee.env"],
    // The compose file has the same ceilings.
    ["MemoryMax", "1G"],
    ["TasksMax", "256"],
  ])("has %s=%s", (name, value) => {
    expect(valuesOf(name)).toEqual([value]);
  });

  test("keeps variables away that would make the executable run other code", () => {
    expect(valuesOf("UnsetEnvironment").join(" ").split(" ").sort()).toEqual([
      "BUN_BE_BUN",
      "BUN_OPTIONS",
    ]);
  });

  test("keeps what the first start prints out of the journal, and the log in it", () => {
    expect(valuesOf("StandardOutput")).toEqual(["null"]);
    expect(valuesOf("StandardError")).toEqual(["journal"]);
  });

  test("does not forbid the JIT compiler its memory", () => {
    expect(valuesOf("MemoryDenyWriteExecute")).toEqual([]);
  });

  test("gives a stop more time than the server takes", () => {
    expect(valuesOf("TimeoutStopSec")).toEqual(["10s"]);
  });

  testWith("systemd-analyze", Bun.which("systemd-analyze") !== null)(
    "is exposed at most 2.5 by systemd's own measure",
    () => {
      const { success, stdout, stderr } = Bun.spawnSync([
        "systemd-analyze",
        "security",
        "--offline=yes",
        "--no-pager",
        "--threshold=25",
        path,
      ]);
      expect(stderr.toString()).toBe("");
      expect(stdout.toString()).toContain("Overall exposure level for marquee.service");
      expect(success).toBe(true);
    },
  );
});
