import { systemClock } from "../clock.ts";
import { describeSettings, type ShownSetting, textOf } from "../config.ts";
import { noteOtherSettings, type Settled } from "../control/carry-out.ts";
import { askServer } from "../control/client.ts";
import { asFolderOwner, soonKnown } from "../control/data-folder.ts";
import { CommandError, EXIT, type Io, printTo, table } from "../control/execution.ts";
import { isServerRunning } from "../control/folder-lock.ts";
import { untilReaderLeaves } from "./output.ts";

/** `marquee config`: every setting in force and where it came from, secrets masked. */
export async function showConfig(settled: Settled, io: Io): Promise<void> {
  for (const warning of settled.resolved.warnings) io.error(`marquee: ${warning}`);
  const shown = await settingsInForce(settled, io);
  const rows = shown.map(({ setting, value, origin }) => [setting, textOf(value), origin]);
  const lines = table([["SETTING", "VALUE", "FROM"], ...rows]);
  printTo(untilReaderLeaves(io), settled.asJson)(shown, lines);
}

/**
 * The settings of the server that runs on the data folder; where none runs, those that one would have
 * which were started like this command.
 * @throws {CommandError} when the running server does not say
 */
export const settingsInForce = ({ resolved, config }: Settled, io: Io): Promise<ShownSetting[]> =>
  asFolderOwner(config, async () => {
    const facts = isServerRunning(config.data) ? await soonKnown(config.data) : undefined;
    if (!facts) return describeSettings(resolved);
    const shown: ShownSetting[] = [];
    const lines = { out: (line: string) => void shown.push(JSON.parse(line)), error: io.error };
    const request = { command: "config", texts: {}, asJson: true };
    const code = await askServer(facts, request, lines, systemClock);
    if (code !== EXIT.done) throw new CommandError("The running server did not say its settings.");
    noteOtherSettings(resolved, io);
    return shown;
  });
