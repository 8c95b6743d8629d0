import { accessSync, constants } from "node:fs";
import { dirname, sep } from "node:path";
import { VERSION } from "../../version.ts";
import type { CommanderCli, OwnCommand } from "../commander.ts";
import { type Io, print, UsageError } from "../../control/execution.ts";
import { isFromSource } from "../../own-program.ts";
import { runSystemProgram } from "../system-program.ts";
import { readOutputFacts } from "../../control/logged-output.ts";
import releases from "./releases.json" with { type: "json" };
import {
  findRelease,
  goBack,
  install,
  UpdateError,
  type UpdateFacts,
  versionOf,
} from "./update.ts";

/** Declares `marquee update`. */
export function declareUpdate({ command, runs }: CommanderCli): void {
  runs(
    command(
      "update",
      "replace this program with the newest release, once its signature is checked",
      ["marquee update --check"],
    )
      .option("--check", "only say which release is the newest")
      .option("--back", "go back to the program from before the last update"),
    (options: { check?: true; back?: true }) => update(options),
  );
}

function update({ check, back }: { check?: true; back?: true }): OwnCommand {
  if (check && back) throw new UsageError("Give --check or --back, not both.");
  return async (_, asJson, io) => {
    if (back) {
      refuseToReplace(process.execPath, io);
      goBack(process.execPath);
      print(
        io,
        asJson,
        [{ back: true }],
        [
          "The earlier program is back. Restart Marquee.",
          ...(await showInSystem(process.execPath)),
        ],
      );
      return;
    }
    const facts = await factsOf(io);
    const release = await findRelease(facts);
    const { current } = facts;
    const { version: latest } = release;
    const isNewer = Bun.semver.order(latest, current) > 0;
    if (check || !isNewer) {
      const sentence = isNewer
        ? `Marquee ${latest} is available; this is ${current}. "marquee update" installs it.`
        : `Marquee ${current} is the newest release.`;
      print(io, asJson, [{ current, latest }], [sentence]);
      return;
    }
    refuseToReplace(facts.program, io);
    await install(facts, release);
    print(
      io,
      asJson,
      [{ current, latest }],
      [
        `Marquee ${latest} is installed. Restart it: until then, ${current} keeps running.`,
        `The earlier program is ${facts.program}.old; "marquee update --back" brings it back.`,
        ...(await showInSystem(facts.program)),
      ],
    );
  };
}

/** Registers the version of a program that has changed with the system. Returns lines for people. */
async function showInSystem(program: string): Promise<string[]> {
  if (process.platform !== "win32") return [];
  const version = versionOf(program);
  const { showVersion } = await import("./installed-apps.ts");
  if (version !== undefined && (await showVersion(program, version, runSystemProgram))) return [];
  return ["Windows keeps showing the previous version in its list of installed apps."];
}

async function factsOf({ environment }: Io): Promise<UpdateFacts> {
  // A mirror may have the files; the signature still has to be right.
  const from = (environment["MARQUEE_UPDATE_FROM"] ?? releases.from).replace(/\/+$/, "");
  if (from === "" || releases.keys.length === 0) {
    throw new UpdateError(
      "This build does not know where releases are. Download the new program, and put it in the place of this one.",
    );
  }
  const suffix = await suffixHere();
  return { program: process.execPath, current: VERSION, suffix, from, keys: releases.keys };
}

/** How the release's file for this computer ends. */
async function suffixHere(): Promise<string> {
  if (process.platform === "win32") return `windows-${process.arch}.exe`;
  if (process.platform === "darwin") return `macos-${process.arch}`;
  // A program for musl names its loader within the first 4,096 bytes.
  const start = await Bun.file(process.execPath).slice(0, 4_096).bytes();
  return `linux-${process.arch}${Buffer.from(start).includes("/ld-musl-") ? "-musl" : ""}`;
}

/** Folders of package managers, each with what updates programs there. */
const MANAGED: readonly (readonly [RegExp, string])[] = [
  [/[/\\]Cellar[/\\]/, "brew upgrade marquee"],
  [/[/\\]scoop[/\\]apps[/\\]/i, "scoop update marquee"],
  [/[/\\]WinGet[/\\]Packages[/\\]/i, "winget upgrade marquee"],
  [/^\/nix\/store\//, "your Nix configuration"],
  [/^\/usr\/bin\//, "your system's package manager"],
];

/** @throws {UpdateError} where something else keeps this program up to date */
function refuseToReplace(program: string, { environment }: Io): void {
  if (isFromSource()) {
    throw new UpdateError("This runs from source. Update the source code instead: git pull");
  }
  const isInContainer = environment["container"] || readOutputFacts(environment).isInContainer;
  if (process.platform === "linux" && isInContainer) {
    throw new UpdateError("In a container, update its image instead.");
  }
  const [, instead] = MANAGED.find(([folder]) => folder.test(program)) ?? [];
  if (instead) throw new UpdateError(`A package manager has installed ${program}. Use ${instead}.`);
  try {
    accessSync(dirname(program) + sep, constants.W_OK);
  } catch (cause) {
    throw new UpdateError(
      `You may not write to ${dirname(program)}. Run the same command as the user who put the program there.`,
      { cause },
    );
  }
}
