import { describeSettings, type ShownSetting, textOf } from "../config.ts";
import { noteOtherSettings, type Settled } from "../control/carry-out.ts";
import { answerOf } from "../control/client.ts";
import { asFolderOwner, soonKnown } from "../control/data-folder.ts";
import { CommandError, type Io, printTo, table } from "../control/execution.ts";
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
    const facts = await soonKnown(config.data);
    if (!facts) return describeSettings(resolved);
    const answer = await answerOf(facts, { command: "config", texts: {}, asJson: true }, io);
    if (!answer) throw new CommandError("The running server did not say its settings.");
    noteOtherSettings(resolved, io);
    return answer.map((line): ShownSetting => JSON.parse(line));
  });
