import { accessSync, constants } from "node:fs";
import { dirname, sep } from "node:path";
import { VERSION } from "../../version.ts";
import { UPDATE_MIRROR_VARIABLE } from "../../config.ts";
import type { Settled } from "../../control/carry-out.ts";
import type { CommanderCli } from "../commander.ts";
import { CommandError, type Io, printTo, UsageError } from "../../control/execution.ts";
import { isFromSource } from "../../own-program.ts";
import { runSystemProgram } from "../system-program.ts";
import { isInContainer } from "../../control/logged-output.ts";
import releases from "./releases.json" with { type: "json" };
import { findRelease, goBack, install, type UpdateFacts, versionOf } from "./update.ts";

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
    update,
  );
}

interface UpdateOptions {
  readonly check?: true;
  readonly back?: true;
}

async function update({ asJson }: Settled, io: Io, { check, back }: UpdateOptions): Promise<void> {
  if (check && back) throw new UsageError("Give --check or --back, not both.");
  const say = (document: object, ...lines: string[]) => printTo(io, asJson)([document], lines);
  if (back) {
    refuseToReplace(process.execPath, io);
    goBack(process.execPath);
    const shown = await showInSystem(process.execPath);
    return say({ back: true }, "The earlier program is back. Restart Marquee.", ...shown);
  }
  const facts = await factsOf(io);
  const { current, program } = facts;
  const release = await findRelease(facts);
  const versions = { current, latest: release.version };
  if (Bun.semver.order(release.version, current) <= 0) {
    return say(versions, `Marquee ${current} is the newest release.`);
  }
  if (check) {
    return say(
      versions,
      `Marquee ${release.version} is available; this is ${current}. "marquee update" installs it.`,
    );
  }
  refuseToReplace(program, io);
  await install(facts, release);
  say(
    versions,
    `Marquee ${release.version} is installed. Restart it: until then, ${current} keeps running.`,
    `The earlier program is ${program}.old; "marquee update --back" brings it back.`,
    ...(await showInSystem(program)),
  );
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
  const from = (environment[UPDATE_MIRROR_VARIABLE] ?? releases.from).replace(/\/+$/, "");
  if (from === "" || releases.keys.length === 0) {
    throw new CommandError(
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

/** @throws {CommandError} where something else keeps this program up to date */
function refuseToReplace(program: string, { environment }: Io): void {
  if (isFromSource()) {
    throw new CommandError("This runs from source. Update the source code instead: git pull");
  }
  if (isInContainer(environment)) {
    throw new CommandError("In a container, update its image instead.");
  }
  const [, instead] = MANAGED.find(([folder]) => folder.test(program)) ?? [];
  if (instead)
    throw new CommandError(`A package manager has installed ${program}. Use ${instead}.`);
  try {
    accessSync(dirname(program) + sep, constants.W_OK);
  } catch (cause) {
    throw new CommandError(
      `You may not write to ${dirname(program)}. Run the same command as the user who put the program there.`,
      { cause },
    );
  }
}
