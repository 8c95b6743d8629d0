import { resolve } from "node:path";
import type { CommandExtras, Texts } from "../actions/action.ts";
import { baseUrlOf, listeningAddressOf } from "../addresses.ts";
import { systemClock } from "../clock.ts";
import {
  type Config,
  flagOf,
  type ResolvedConfig,
  type SettingName,
  settingNames,
} from "../config.ts";
import { askServer, ServerGoneError } from "./client.ts";
import { CommandError, EXIT, type Execution, type Io, printTo } from "./execution.ts";
import { holdServerLock, readRunningFacts, seemsToRun } from "./folder-lock.ts";
import { NETWORK } from "../upstream/index.ts";
import { asFolderOwner, explained, openFolder, refuseMissing, workspaceOf } from "./data-folder.ts";

/** What a command line asks for. */
export interface Asked {
  /** The command's words, such as `key add`. */
  readonly command: string;
  readonly texts: Texts;
  readonly extras?: CommandExtras;
  /** Does it in this program. */
  run(execution: Execution, texts: Texts): Promise<void>;
}

/** The settings that a command line gives. */
export interface Settled {
  readonly resolved: ResolvedConfig;
  readonly config: Config;
  readonly asJson: boolean;
}

/** How long a command waits for another that holds the folder, or for a server that starts or stops. */
const HELD_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 25;

/**
 * Carries a command out: has the server do it that runs on the data folder, and where none runs does
 * it here, while nobody else may open the folder. Resolves with the exit code.
 * @throws whatever the command throws where it is carried out here
 * @throws {CommandError} when the running server cannot carry it out
 */
export async function carryOut(asked: Asked, settled: Settled, io: Io): Promise<number> {
  const { resolved, config, asJson } = settled;
  const { command, extras = {} } = asked;
  const texts = extras.readHere?.(asked.texts, config) ?? asked.texts;
  return asFolderOwner(config, async () => {
    if (!extras.createsFolder) refuseMissing(config);
    const giveUpAtMs = performance.now() + HELD_WITHIN_MS;
    for (let isGone = false; ;) {
      const lock = holdServerLock(config.data);
      if (lock && (lock.isHeld || isGone || !seemsToRun(config.data))) {
        try {
          await carryOutHere({ ...asked, texts }, config, asJson, io);
          return EXIT.done;
        } finally {
          lock.release();
        }
      }
      const facts = readRunningFacts(config.data);
      if (facts) {
        try {
          const code = await askServer(facts, { command, texts, asJson }, io, systemClock);
          noteOtherSettings(resolved, io, extras.settingsOfCaller);
          return code;
        } catch (error) {
          if (!(error instanceof ServerGoneError) || error.hasTaken) throw error;
          if (performance.now() > giveUpAtMs) throw error;
          isGone = true;
        }
      } else if (performance.now() > giveUpAtMs) {
        throw new CommandError(
          `Another Marquee command works with ${resolve(config.data)}, or a server is starting there. Try again when it is done.`,
        );
      }
      await Bun.sleep(LOOK_EVERY_MS);
    }
  });
}

async function carryOutHere(
  { run, texts, extras }: Asked,
  config: Config,
  asJson: boolean,
  io: Io,
): Promise<void> {
  const folder = openFolder(config, extras?.otherKeys?.(texts));
  try {
    const workspace = workspaceOf(config, folder);
    const { port } = config;
    await explained(config, async () =>
      run(
        {
          ...workspace,
          config,
          clock: systemClock,
          network: NETWORK,
          baseUrl: config.baseUrl ?? workspace.accounts.lastBaseUrl() ?? baseUrlOf(config, port),
          listeningAddress: listeningAddressOf(config, port),
          signal: new AbortController().signal,
          note: io.error,
          print: printTo(io, asJson),
        },
        texts,
      ),
    );
  } finally {
    folder.store.close();
  }
}

/** The settings of the running server count: whoever gave others here is told so. */
export function noteOtherSettings(
  { origins }: ResolvedConfig,
  io: Io,
  ofCaller: readonly SettingName[] = [],
): void {
  const counting = ["data", ...ofCaller];
  const given = settingNames.filter(
    (name) => origins[name] === flagOf(name) && !counting.includes(name),
  );
  if (given.length === 0) return;
  io.error(
    `Note: ${given.map(flagOf).join(", ")} had no effect: the running server does this with its own settings.`,
  );
}
