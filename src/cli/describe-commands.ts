import type { Command } from "commander";
import { wordsOf } from "./commander.ts";
import { flagOf, settingNames } from "../config.ts";
import type { CommandDescription } from "../docs/commands-table.ts";

/** Options that many commands have. The documentation describes them with the settings. */
const SHARED: readonly string[] = ["--json", ...settingNames.map(flagOf)];

/** Every command that does something and is not hidden, with what it takes itself. */
export function describeCommands(command: Command): CommandDescription[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  if (below.length > 0) return below.flatMap(describeCommands);
  const usage = help.commandUsage(command);
  return [
    {
      name: wordsOf(command).join(" "),
      usage,
      text: command.description(),
      given: [
        ...command.registeredArguments
          .filter(({ description }) => description !== "")
          .map((argument) => ({ name: help.argumentTerm(argument), text: argument.description })),
        ...help
          .visibleOptions(command)
          .filter(({ long }) => long !== "--help" && !SHARED.includes(long ?? ""))
          .map((option) => ({
            name: option.flags,
            text: help.optionDescription(option),
          })),
      ],
    },
  ];
}
