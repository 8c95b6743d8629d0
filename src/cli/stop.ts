import { resolve } from "node:path";
import { systemClock } from "../clock.ts";
import { askServer, ServerGoneError } from "../control/client.ts";
import type { Settled } from "../control/carry-out.ts";
import type { CommanderCli } from "./commander.ts";
import { CommandError, type Io, printTo } from "../control/execution.ts";
import { isServerRunning } from "../control/folder-lock.ts";
import { asFolderOwner, soonKnown } from "../control/data-folder.ts";

/** Longer than a stopping server waits for its last requests and writes. */
const STOPS_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Declares `marquee stop`. */
export function declareStop({ command, runs }: CommanderCli): void {
  runs(command("stop", "stop the server that runs on this data folder"), stopServer);
}

/** `marquee stop`: asks the running server to stop, and waits until it has. It needs no secret key. */
const stopServer = ({ config, asJson }: Settled, io: Io): Promise<void> =>
  asFolderOwner(config, async () => {
    const { data } = config;
    const facts = await soonKnown(data);
    if (!facts) throw new CommandError(`No Marquee runs with the data in ${resolve(data)}.`);
    const { url, pid } = facts;
    const request = { command: "stop", texts: {}, asJson: false };
    await askServer(facts, request, io, systemClock).catch((error: unknown) => {
      // It is about to be gone anyway.
      if (!(error instanceof ServerGoneError)) throw error;
    });
    const giveUpAtMs = performance.now() + STOPS_WITHIN_MS;
    while (isServerRunning(data)) {
      if (performance.now() > giveUpAtMs) {
        throw new CommandError(
          `Marquee (pid ${pid}) was asked to stop, but is still running. End its process if it hangs.`,
        );
      }
      await Bun.sleep(LOOK_EVERY_MS);
    }
    printTo(io, asJson)([{ stopped: true, url, pid }], [`Marquee at ${url} has stopped.`]);
  });
