import { resolve } from "node:path";
import { createServerFacts } from "../accounts/server-facts.ts";
import { systemClock } from "../clock.ts";
import { DatabaseError } from "../db/errors.ts";
import type { Cli } from "./cli.ts";
import { type Command, print } from "./command.ts";
import { isServerRunning, NotRunningError, readRunningFacts } from "./process/server-lock.ts";
import { withStore } from "./workspace.ts";

/** Longer than a stopping server waits for its last requests and writes. */
const STOPS_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Declares `marquee stop`. */
export function declareStop({ command, runs }: Cli): void {
  runs(command("stop", "stop the server that runs on this data folder"), () => stopServer());
}

/** `marquee stop`: asks the running server to stop, and waits until it has. */
function stopServer(): Command {
  return async (config, asJson, io) => {
    const { data, database } = config;
    if (database !== null) {
      throw new DatabaseError("Several servers share this database. Stop each one where it runs.");
    }
    const refuse = () => {
      throw new NotRunningError(`No Marquee runs with the data in ${resolve(data)}.`);
    };
    const facts = await withStore(config, async (store) => {
      if (!isServerRunning(data)) refuse();
      const running = readRunningFacts(data);
      await createServerFacts({ store, wallMs: systemClock.wallMs }).askToStop();
      return running;
    });
    const giveUpAtMs = performance.now() + STOPS_WITHIN_MS;
    while (isServerRunning(data)) {
      if (performance.now() > giveUpAtMs) {
        throw new NotRunningError(
          `Marquee${facts ? ` (pid ${facts.pid})` : ""} was asked to stop, but is still running. End its process if it hangs.`,
        );
      }
      await Bun.sleep(LOOK_EVERY_MS);
    }
    print(
      io,
      asJson,
      [{ stopped: true, url: facts?.url ?? null, pid: facts?.pid ?? null }],
      [`Marquee${facts ? ` at ${facts.url}` : ""} has stopped.`],
    );
  };
}
