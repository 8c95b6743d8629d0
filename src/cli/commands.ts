import { declareActions } from "./action-commands.ts";
import { declaredBy } from "./cli.ts";

/** The commands that are carried out on a data folder, by their words such as `key add`. */
export const commandsByWords = () => declaredBy([declareActions]);
