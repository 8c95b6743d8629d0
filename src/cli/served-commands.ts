import type { Texts } from "../actions/action.ts";
import { actionNamed } from "../actions/index.ts";
import { signInUrl } from "../accounts/magic-links.ts";
import { dashboardAddress } from "../addresses.ts";
import { describeSettings, type ResolvedConfig } from "../config.ts";
import type { ControlRequest } from "../control/protocol.ts";
import type { Lines } from "../control/server.ts";
import { VERSION } from "../version.ts";
import { EXIT, type Execution, printTo } from "../control/execution.ts";
import { examineConnections } from "./doctor-report.ts";
import { explain } from "./explain.ts";
import { performAction } from "./perform-action.ts";
import { explained } from "../control/data-folder.ts";

/** What the running server carries commands out with. */
export interface Serving extends Omit<Execution, "note" | "print"> {
  readonly settings: ResolvedConfig;
  /** Has the server stop once the command is answered. */
  stop(): void;
}

/** Prints a link that signs the owner in, or the dashboard's address where there is no owner. */
function printOwnersLink({ accounts, baseUrl, print }: Execution): void {
  const owner = accounts.users.owner();
  const url = owner ? signInUrl(accounts, baseUrl, owner) : dashboardAddress(baseUrl, "en");
  print([{ url }], [url]);
}

/** What `stop`, `open`, `config` and `doctor` ask the running server for; else what an action does. */
function findCommand(
  command: string,
  texts: Texts,
  { settings, stop }: Pick<Serving, "settings" | "stop">,
): ((execution: Execution) => void | Promise<void>) | undefined {
  switch (command) {
    case "stop":
      return () => void setTimeout(stop, 0);
    case "open":
      return printOwnersLink;
    case "config":
      return ({ print }) => print(describeSettings(settings), []);
    case "doctor":
      return (execution) => examineConnections(texts["songs"] === "1", execution);
    default: {
      const action = actionNamed(command);
      return action && ((execution) => performAction(action, texts, execution));
    }
  }
}

/**
 * Carries a command out in the running server, and resolves with its exit code. What goes wrong is
 * written as the program that was called would write it.
 */
export async function carryOutServed(
  { command, texts, asJson }: ControlRequest,
  lines: Lines,
  { settings, stop, ...serving }: Serving,
): Promise<number> {
  try {
    const run = findCommand(command, texts, { settings, stop });
    if (!run) {
      lines.error(
        `marquee: The running server is Marquee ${VERSION} and does not know ${JSON.stringify(command)}. Use the same version for both.`,
      );
      return EXIT.usage;
    }
    const print = printTo(lines, asJson);
    await explained(serving.config, async () => run({ ...serving, note: lines.error, print }));
    return EXIT.done;
  } catch (error) {
    const { message, code } = explain(error);
    for (const line of message.split("\n")) lines.error(`marquee: ${line}`);
    return code;
  }
}
