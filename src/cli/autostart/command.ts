import { tmpdir } from "node:os";
import { dirname, resolve, sep } from "node:path";
import { settingNames } from "../../config.ts";
import type { CommanderCli } from "../commander.ts";
import type { Settled } from "../../control/carry-out.ts";
import { CommandError, type Io, printTo } from "../../control/execution.ts";
import { isFromSource } from "../../own-program.ts";
import { isInContainer } from "../../control/logged-output.ts";
import { untilReaderLeaves } from "../output.ts";
import { runSystemProgram } from "../system-program.ts";
import {
  type Autostart,
  type AutostartFacts,
  refuseControlCharacters,
  wordsOf,
} from "./autostart.ts";
import { flagsToKeep } from "./kept-settings.ts";

/** Declares `marquee autostart …`. */
export function declareAutostart({ command, runs }: CommanderCli): void {
  runs(
    command(
      "autostart on",
      "start Marquee whenever you sign in, with the data folder in use and the settings given here",
      [
        "marquee autostart on",
        "marquee autostart on --host 0.0.0.0 --base-url http://192.168.1.20:4747",
      ],
    ),
    switchOn,
    settingNames,
  );
  runs(command("autostart off", "no longer start Marquee when you sign in"), switchOff);
  runs(
    command(
      "autostart status",
      "show whether Marquee starts when you sign in, and with which command",
    ),
    showStatus,
  );
}

async function switchOn({ resolved, asJson }: Settled, io: Io): Promise<void> {
  const facts = factsOf(flagsToKeep(resolved), io);
  refuseWhereItWouldNotLast(facts, io);
  refuseControlCharacters(wordsOf(facts));
  const autostart = await findAutostart(facts);
  await autostart.on();
  const downloads = /[/\\]downloads[/\\]/i.test(facts.program)
    ? [`Marquee is in ${dirname(facts.program)}. If you move or delete it, it no longer starts.`]
    : [];
  await report(autostart, asJson, io, ["Marquee starts whenever you sign in.", ...downloads]);
}

async function switchOff({ asJson }: Settled, io: Io): Promise<void> {
  const autostart = await findAutostart(factsOf([], io));
  const wasOn = await autostart.off();
  await report(autostart, asJson, io, [
    wasOn ? "Marquee no longer starts when you sign in." : "It was not on.",
  ]);
}

async function showStatus({ asJson }: Settled, io: Io): Promise<void> {
  const autostart = await findAutostart(factsOf([], io));
  const { on } = await autostart.status();
  await report(autostart, asJson, untilReaderLeaves(io), [on ? "on" : "off"]);
}

/** Whether Marquee starts by itself, for a report: without its command, which holds addresses. */
export async function examineAutostart(
  io: Io,
): Promise<{ readonly on: boolean; readonly how: string; readonly note: string | null } | null> {
  try {
    const autostart = await findAutostart(factsOf([], io));
    const { on, note = null } = await autostart.status();
    return { on, how: autostart.how, note };
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

async function report(
  autostart: Autostart,
  asJson: boolean,
  io: Io,
  lines: readonly string[],
): Promise<void> {
  const { on, command, note } = await autostart.status();
  printTo(io, asJson)(
    [{ on, how: autostart.how, command }],
    [...lines, ...(command ? [`  ${command}`] : []), ...(note ? [note] : [])],
  );
}

/** Loads only what belongs to this system. */
async function findAutostart(facts: AutostartFacts): Promise<Autostart> {
  if (process.platform === "win32") {
    return (await import("./windows.ts")).createWindowsAutostart(facts);
  }
  if (process.platform === "darwin") return (await import("./macos.ts")).createMacAutostart(facts);
  return (await import("./linux.ts")).createLinuxAutostart(facts);
}

const factsOf = (flags: readonly string[], { environment }: Io): AutostartFacts => ({
  environment,
  program: process.execPath,
  flags,
  run: runSystemProgram,
});

function refuseWhereItWouldNotLast({ program }: AutostartFacts, { environment }: Io): void {
  if (isFromSource()) {
    throw new CommandError(
      "This runs from source. Build the program with the build command of the README, and use that.",
    );
  }
  if (program.startsWith(resolve(tmpdir()) + sep)) {
    throw new CommandError(
      `${program} is in a temporary folder, which gets emptied. Move it to where it can stay.`,
    );
  }
  if (isInContainer(environment)) {
    throw new CommandError("In a container, the container's engine starts Marquee.");
  }
}
