import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findDataPlace, type PlaceFacts } from "../../src/control/data-place.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";

const facts = (changes: Partial<PlaceFacts>, data: readonly string[] = []): PlaceFacts => ({
  platform: "linux",
  environment: { HOME: "/home/ada", PATH: "/usr/local/bin:/usr/bin" },
  programFolder: "/home/ada/Downloads",
  isUnattended: () => false,
  holdsData: (folder) => data.includes(folder),
  ...changes,
});

const HERE = "./marquee-data";
const BESIDE = "/home/ada/Downloads/marquee-data";
const USERS = "/home/ada/.local/share/marquee";
const mac: Partial<PlaceFacts> = { platform: "darwin" };
const windows: Partial<PlaceFacts> = {
  platform: "win32",
  environment: { USERPROFILE: "/C/Users/ada", LOCALAPPDATA: "/C/Users/ada/AppData/Local" },
};

describe("where the data are when no setting says it", () => {
  test.each([
    ["the sources run", facts({ programFolder: undefined }, [USERS]), HERE, "default"],
    ["data are here", facts({}, [HERE, BESIDE, USERS]), HERE, "here"],
    ["data are beside the program", facts({}, [BESIDE, USERS]), BESIDE, "beside the program"],
    ["data are in the user's folder", facts({}, [USERS]), USERS, "the user's folder"],
    ["./marquee starts for the first time", facts({}), HERE, "here"],
    ["the program is installed", facts({ programFolder: "/usr/bin" }), USERS, "the user's folder"],
    ["a desktop starts it", facts({ isUnattended: () => true }), USERS, "the user's folder"],
    ["nobody has a home", facts({ environment: {}, isUnattended: () => true }), HERE, "here"],
    [
      "XDG_DATA_HOME is set",
      facts({ environment: { HOME: "/home/ada", XDG_DATA_HOME: "/data" } }, ["/data/marquee"]),
      "/data/marquee",
      "the user's folder",
    ],
    [
      "XDG_DATA_HOME is relative, which counts as unset",
      facts({ environment: { HOME: "/home/ada", XDG_DATA_HOME: "data" } }, [USERS]),
      USERS,
      "the user's folder",
    ],
    [
      "a Mac starts it",
      facts(mac),
      "/home/ada/Library/Application Support/Marquee",
      "the user's folder",
    ],
    ["a Mac has data beside the program", facts(mac, [BESIDE]), BESIDE, "beside the program"],
    [
      "Windows starts it",
      facts(windows),
      "/C/Users/ada/AppData/Local/Marquee",
      "the user's folder",
    ],
    [
      "Windows does not say where programs keep data",
      facts({ ...windows, environment: { USERPROFILE: "/C/Users/ada" } }),
      "/C/Users/ada/AppData/Local/Marquee",
      "the user's folder",
    ],
  ] as const)("%s", (_, given, folder, place) => {
    expect(findDataPlace(given)).toEqual({ folder, place });
  });
});

const ADA = 61_234;
const MALLORY = 61_235;
const script = join(import.meta.dir, "../fixtures/data/resolve-as-user.ts");

testWith("root", process.getuid?.() === 0)(
  "a folder of another user in the current one is refused, unless it is root's",
  () => {
    const folder = createTempFolder();
    try {
      chmodSync(folder.path, 0o755);
      const data = join(folder.path, "marquee-data");
      mkdirSync(data);
      const { MARQUEE_DATA: _, STATE_DIRECTORY: __, ...env } = process.env;
      const foundBy = (user: number) => {
        const options = { cwd: folder.path, env } as const;
        return Bun.spawnSync([process.execPath, script, `${user}`], options).stdout.toString();
      };
      chownSync(data, MALLORY, MALLORY);
      expect(foundBy(MALLORY)).toBe(HERE);
      expect(foundBy(ADA)).toStartWith(`CommandError: ${data} belongs to another user`);
      // The program that asks may write there, and that changes nothing.
      chmodSync(data, 0o777);
      expect(foundBy(ADA)).toStartWith("CommandError");
      expect(readdirSync(data)).toEqual([]);
      chownSync(data, 0, 0);
      expect(foundBy(ADA)).toBe(HERE);
    } finally {
      folder.remove();
    }
  },
);
