import { resolve } from "node:path";
import { flagOf, type ResolvedConfig, settingNames } from "../config.ts";
import type { CommandDescription } from "../docs/commands-table.ts";
import { answerOf } from "../control/client.ts";
import { createLog } from "../log.ts";
import { systemClock } from "../clock.ts";
import { VERSION } from "../version.ts";
import { CHOSEN, flagsOf } from "./autostart/kept-settings.ts";
import { isStartedByClick, startInBackground } from "./background.ts";
import { CommandError, type Io, printTo } from "../control/execution.ts";
import { isFromSource } from "../own-program.ts";
import { answersAt } from "./healthcheck.ts";
import { openBrowser } from "./open-browser.ts";
import { isTerminal } from "./output.ts";
import type { Greeting } from "./greeting.ts";
import { serve } from "./serve.ts";
import { soonKnown } from "../control/data-folder.ts";
import { AlreadyRunningError, type RunningFacts } from "../control/folder-lock.ts";

/**
 * `marquee open`, and a start without any words: runs the server, or opens the dashboard of the one
 * that runs on the data folder.
 */
export async function serveOrOpen(
  resolved: ResolvedConfig,
  asJson: boolean,
  io: Io,
  commands: () => Promise<readonly CommandDescription[]>,
  greeting: Greeting,
): Promise<void> {
  const isOwn = !asJson && !isFromSource();
  if (isOwn && (await isStartedByClick(greeting === "always", io.environment))) {
    return serveInBackground(resolved, io);
  }
  try {
    await serve(resolved, asJson, io, commands, greeting);
  } catch (error) {
    // A program that reads the output has to know that this is not its server.
    const isForPeople = greeting === "always" || !asJson;
    if (!(error instanceof AlreadyRunningError) || !error.facts || !isForPeople) throw error;
    await openRunning(error.facts, resolved, asJson, io, isTerminal);
  }
}

/** After a double click: the server runs on without a window, and the browser opens. */
async function serveInBackground(resolved: ResolvedConfig, given: Io): Promise<void> {
  const { config } = resolved;
  const io: Io = {
    ...given,
    out(line) {
      try {
        given.out(line);
      } catch {
        // There may be no output, and the browser shows the same.
      }
    },
  };
  const facts =
    (await soonKnown(config.data)) ?? (await startInBackground(config.data, givenFlags(resolved)));
  if (config.open === "never") return;
  await openRunning(facts, resolved, false, io, () => true);
}

/** The flags of this start, besides those that a start in the background chooses itself. */
const givenFlags = ({ config, origins }: ResolvedConfig): string[] =>
  settingNames
    .filter((name) => origins[name] === flagOf(name) && !CHOSEN.includes(name))
    .flatMap((name) => flagsOf(config, name));

async function openRunning(
  facts: RunningFacts,
  { config, origins }: ResolvedConfig,
  asJson: boolean,
  io: Io,
  /** Whether somebody is there to see a browser. */
  isSeen: () => boolean,
): Promise<void> {
  const { url, pid, version, listens } = facts;
  if (!(await answersAt(listens))) {
    throw new CommandError(
      `Marquee runs (pid ${pid}), but does not answer at ${listens}. End its process if it hangs.`,
    );
  }
  const folder = resolve(config.data);
  const isHere = origins.data === "here" || origins.data === "default";
  const link = await ownersLink(facts, io);
  printTo(io, asJson)(
    [{ url: link }],
    [
      `Marquee ${version} already runs at ${url} (pid ${pid}).`,
      ...(isHere ? [`Its data: ${folder}, found in the current folder.`] : []),
      ...(version === VERSION ? [] : [`Stop it with "marquee stop" to use ${VERSION}.`]),
      "Open this in your browser to sign in. It works once, within half an hour:",
      `  ${link}`,
    ],
  );
  const { wallMs } = systemClock;
  const log = createLog({ level: "warn", format: "text", write: io.error, wallMs });
  openBrowser(link, { ...io, open: config.open, asJson, isTerminal: isSeen }, log);
}

/** A link that signs the owner in, which the running server makes. */
async function ownersLink(facts: RunningFacts, io: Io): Promise<string> {
  const request = { command: "open", texts: {}, asJson: false };
  const [url] = (await answerOf(facts, request, io)) ?? [];
  if (url === undefined) throw new CommandError("There is no sign-in link.");
  return url;
}
