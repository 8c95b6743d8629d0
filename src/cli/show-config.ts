import { describeSettings, type ResolvedConfig } from "../config.ts";
import { type Io, print, table } from "../control/execution.ts";

/** `marquee config`: every setting in force and where it came from, secrets masked. */
export function showConfig(resolved: ResolvedConfig, asJson: boolean, io: Io): void {
  const shown = describeSettings(resolved);
  const documents = shown.map(({ setting, value, origin, variable }) => ({
    setting,
    value,
    origin,
    variable,
  }));
  const rows = shown.map(({ setting, text, origin }) => [setting, text, origin]);
  print(io, asJson, documents, table([["SETTING", "VALUE", "FROM"], ...rows]));
}
