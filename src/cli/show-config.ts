import { describeSettings } from "../config.ts";
import type { Settled } from "../control/carry-out.ts";
import { type Io, printTo, table } from "../control/execution.ts";
import { untilReaderLeaves } from "./output.ts";

/** `marquee config`: every setting in force and where it came from, secrets masked. */
export function showConfig({ resolved, asJson }: Settled, io: Io): void {
  for (const warning of resolved.warnings) io.error(`marquee: ${warning}`);
  const shown = describeSettings(resolved);
  const documents = shown.map(({ setting, value, origin, variable }) => ({
    setting,
    value,
    origin,
    variable,
  }));
  const rows = shown.map(({ setting, text, origin }) => [setting, text, origin]);
  const lines = table([["SETTING", "VALUE", "FROM"], ...rows]);
  printTo(untilReaderLeaves(io), asJson)(documents, lines);
}
