import { flagOf, type ResolvedConfig, settingNames, settings, variableOf } from "../config.ts";
import { type Io, print, table } from "./command.ts";

/** `marquee config`: every setting in force and where it came from, secrets masked. */
export function showConfig({ config, origins }: ResolvedConfig, asJson: boolean, io: Io): void {
  const documents = settingNames.map((name) => {
    const secret = "secret" in settings[name];
    const value = config[name];
    return {
      setting: flagOf(name).slice(2),
      value: secret && value !== null ? "(secret)" : value,
      origin: origins[name],
      variable: variableOf(name),
    };
  });
  const rows = documents.map(({ setting, value, origin }) => [setting, textOf(value), origin]);
  print(io, asJson, documents, table([["SETTING", "VALUE", "FROM"], ...rows]));
}

function textOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "–";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
