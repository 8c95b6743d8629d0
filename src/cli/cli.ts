import type { Config, SettingName } from "../config.ts";
import type { Command } from "./command.ts";

/** Settings that every command accepts; `serve` and `config` accept all settings. */
export const SHARED_SETTINGS: readonly SettingName[] = ["data", "baseUrl", "secretKey"];

/** What a command takes: the part of Commander that declarations use. */
export interface Syntax {
  argument(name: string, help?: string): this;
  option(flags: string, help: string, fallback?: string): this;
  requiredOption(flags: string, help: string): this;
  usage(text: string): this;
  addHelpText(position: "after", text: () => string): this;
}

/** How a command is carried out. */
export interface Carrying {
  /** Settings that it takes besides those of all commands. */
  readonly settings?: readonly SettingName[];
  /** Whether it makes the data folder if there is none. A missing one may be a mistyped path. */
  readonly createsFolder?: true;
  /** Puts the contents of files in the place of their names: only the caller may read them. */
  readHere?(given: readonly unknown[], config: Config): readonly unknown[];
  /** Settings of the caller that count even where a server carries it out. */
  readonly settingsOfCaller?: readonly SettingName[];
  /** Keys besides the setting's under which the database may be encrypted. */
  otherKeys?(given: readonly unknown[]): readonly string[];
}

/** With this each file declares its commands. */
export interface Cli<Target extends Syntax> {
  command(name: string, help: string, examples?: readonly string[]): Target;
  /** Declares a word before other words, once; the result declares what follows it. */
  group(
    name: string,
    help: string,
  ): (usage: string, description: string, examples?: readonly string[]) => Target;
  /**
   * Makes a command carry out what `prepare` returns for its arguments: in the running server, or where
   * none runs, in this program.
   */
  carriesOut(target: Target, prepare: (...given: never[]) => Command, carrying?: Carrying): void;
  /** The same for a command that only shows what it can show again. */
  shows: Cli<Target>["carriesOut"];
}

/** A command as it was declared. */
export interface Declared extends Carrying {
  prepare(...given: readonly unknown[]): Command;
}

/** Stands for Commander where commands are only looked up by their words. */
class Words implements Syntax {
  readonly words: string;
  constructor(...words: readonly string[]) {
    this.words = words.map((word) => word.split(" ", 1)[0]).join(" ");
  }
  argument = () => this;
  option = () => this;
  requiredOption = () => this;
  usage = () => this;
  addHelpText = () => this;
}

/** The commands that are carried out on a data folder, by their words such as `key add`. */
export function declaredBy(
  declarations: readonly ((cli: Cli<Words>) => void)[],
): ReadonlyMap<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const declare of declarations) {
    const carriesOut: Cli<Words>["carriesOut"] = ({ words }, prepare, carrying = {}) =>
      void declared.set(words, { ...carrying, prepare: prepare as never });
    declare({
      command: (name) => new Words(name),
      group: (name) => (usage) => new Words(name, usage),
      carriesOut,
      shows: carriesOut,
    });
  }
  return declared;
}
