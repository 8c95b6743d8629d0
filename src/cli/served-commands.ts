import { signInUrl } from "../accounts/magic-links.ts";
import { dashboardAddress } from "../addresses.ts";
import type { ControlRequest } from "../control/protocol.ts";
import type { Lines } from "../control/server.ts";
import { VERSION } from "../version.ts";
import type { Declared } from "./cli.ts";
import { EXIT, type Execution, printTo } from "./command.ts";
import { commandsByWords } from "./commands.ts";
import { examineConnections } from "./doctor-report.ts";
import { explain } from "./explain.ts";
import { explained } from "./workspace.ts";

/** What the running server carries commands out with. */
export interface Serving extends Omit<Execution, "note" | "print"> {
  /** Has the server stop once the command is answered. */
  stop(): void;
}

/** Prints a link that signs the owner in, or the dashboard's address where there is no owner. */
async function printOwnersLink({ accounts, baseUrl, print }: Execution): Promise<void> {
  const owner = accounts.users.owner();
  const url = owner ? signInUrl(accounts, baseUrl, owner, "en") : dashboardAddress(baseUrl, "en");
  print([{ url }], [url]);
}

/** What `stop`, `open` and `doctor` ask the running server for. */
const asked = (stop: () => void): ReadonlyMap<string, Declared> =>
  new Map<string, Declared>([
    ["stop", { prepare: () => async () => void setTimeout(stop, 0) }],
    ["open", { prepare: () => printOwnersLink }],
    ["doctor", { prepare: (songs) => examineConnections(songs === true) }],
  ]);

/**
 * Carries a command out in the running server, and resolves with its exit code. What goes wrong is
 * written as the program that was called would write it.
 */
export async function carryOutServed(
  { command, given, asJson }: ControlRequest,
  lines: Lines,
  { stop, ...serving }: Serving,
): Promise<number> {
  try {
    const declared = asked(stop).get(command) ?? commandsByWords().get(command);
    if (!declared) {
      lines.error(
        `marquee: The running server is Marquee ${VERSION} and does not know ${JSON.stringify(command)}. Use the same version for both.`,
      );
      return EXIT.usage;
    }
    const run = declared.prepare(...given);
    const print = printTo(lines, asJson);
    await explained(serving.config, () => run({ ...serving, note: lines.error, print }));
    return EXIT.done;
  } catch (error) {
    const { message, code } = explain(error);
    for (const line of message.split("\n")) lines.error(`marquee: ${line}`);
    return code;
  }
}
