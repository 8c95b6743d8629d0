import { declareActions } from "./action-commands.ts";
import { type Cli, declaredBy, type Syntax } from "./cli.ts";

/** Declares the commands that are carried out on a data folder, in the order of `--help`. */
export function declareCommands<Target extends Syntax>(cli: Cli<Target>): void {
  declareActions(cli);
}

/** The same by their words, such as `key add`. */
export const commandsByWords = () => declaredBy([declareCommands]);
