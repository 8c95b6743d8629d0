import { readValues, settingText } from "../windows-registry.ts";
import { type Autostart, type AutostartFacts, mustRun, whyNotStarted } from "./autostart.ts";
import { CommandError } from "../../control/execution.ts";

const RUN = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
/** Where Windows notes what was switched off in the Task Manager. */
const APPROVED = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
const VALUE = "Marquee";
/** https://learn.microsoft.com/en-us/windows/win32/setupapi/run-and-runonce-registry-keys */
const LONGEST_COMMAND = 260;

/** A value of the user's Run key, which Windows starts when the user signs in. */
export function createWindowsAutostart(facts: AutostartFacts): Autostart {
  const values = (key: string) => readValues(key, facts.run);
  return {
    how: "registry",
    async on() {
      const command = commandOf(facts);
      if (command.length > LONGEST_COMMAND) {
        throw new CommandError(
          `Windows starts commands of at most ${LONGEST_COMMAND} characters, and this one has ${command.length}. Move Marquee or its data to a folder with a shorter path, or give fewer settings.`,
        );
      }
      await mustRun(facts, settingText(RUN, VALUE, command));
      // On means on, also where the Task Manager had switched it off.
      await facts.run(["reg.exe", "delete", APPROVED, "/v", VALUE, "/f"]);
    },
    async off() {
      if (!(await values(RUN)).has(VALUE)) return false;
      await mustRun(facts, ["reg.exe", "delete", RUN, "/v", VALUE, "/f"]);
      return true;
    },
    async status() {
      const command = (await values(RUN)).get(VALUE) ?? null;
      const approved = (await values(APPROVED)).get(VALUE);
      const isSwitchedOff = Number.parseInt(approved ?? "0", 16) % 2 === 1;
      if (command === null) return { on: false, command };
      const [, program = command] = /^"([^"]*)"/.exec(command) ?? [];
      const note = isSwitchedOff
        ? "It is switched off in the Task Manager."
        : whyNotStarted(program);
      return { on: note === undefined, command, ...(note && { note }) };
    },
  };
}

/** The program starts itself in the background, so `serve` is not said. */
export const commandOf = ({ program, flags }: AutostartFacts): string =>
  [
    quoted(program),
    "--open",
    "never",
    ...flags.map((flag) => (/^[\w-]+$/.test(flag) ? flag : quoted(flag))),
  ].join(" ");

/**
 * A word as programs on Windows read it: backslashes count only before a quote, as after a drive's
 * root. https://learn.microsoft.com/en-us/cpp/c-language/parsing-c-command-line-arguments
 */
const quoted = (word: string): string =>
  `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, "$&$&")}"`;
