import { resolve } from "node:path";
import {
  type Config,
  flagOf,
  type ResolvedConfig,
  type SettingName,
  settingNames,
  settings,
} from "../../config.ts";
import { CommandError } from "../../control/execution.ts";

/** What every start by the system, or in the background, chooses itself. */
export const CHOSEN: readonly SettingName[] = ["data", "open"];

/**
 * The flags that give a start by the system the settings of this command: the data folder, and what
 * differs from the defaults.
 * @throws {CommandError} for a secret, which others could read in the system's list
 */
export function flagsToKeep({ config, origins }: ResolvedConfig): string[] {
  const given = settingNames.filter(
    (name) => !CHOSEN.includes(name) && !Bun.deepEquals(config[name], settings[name].fallback),
  );
  const secrets = given.filter((name) => settings[name].secret);
  if (secrets.length > 0) {
    const named = secrets.map((name) => origins[name]).join(", ");
    throw new CommandError(
      `Autostart keeps no secrets, since its command can be read by others: ${named}. Leave out what Marquee does not need at this start, or start it by a service of your own that has the secret in a file.`,
    );
  }
  return ["--data", resolve(config.data), ...given.flatMap((name) => flagsOf(config, name))];
}

/** The flags that give a setting its value. */
export function flagsOf(config: Config, name: SettingName): string[] {
  const { [name]: value } = config;
  return value === true ? [flagOf(name)] : [flagOf(name), textOf(name, value)];
}

function textOf(name: SettingName, value: unknown): string {
  // Another working folder would be another place.
  if (settings[name].placeholder === "folder") return resolve(String(value));
  return Array.isArray(value) ? value.join(",") : String(value);
}
