import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isThere } from "../../db/data-folder.ts";
import { writeWhole } from "../../own-file.ts";
import {
  type Autostart,
  type AutostartFacts,
  mustRun,
  statusOf,
  whyNotStarted,
  wordsOf,
} from "./autostart.ts";
import { CommandError } from "../../control/execution.ts";

/** systemd: "Executable name contains special characters". */
const UNSTARTABLE_BY_SYSTEMD = /["'\\]/;
/** GLib looks for the program before it reads `%%` as one sign, and drops the entry. */
const UNSTARTABLE_BY_DESKTOPS = /%/;

/** The user's service manager where it runs, else the desktop's own list. */
export async function createLinuxAutostart(facts: AutostartFacts): Promise<Autostart> {
  const { out } = await facts.run(["systemctl", "--user", "is-system-running"]);
  const state = out.trim().split("\n").at(-1) ?? "";
  return /^(running|degraded|starting|initializing|maintenance|stopping)$/.test(state)
    ? createUnit(facts)
    : createDesktopEntry(facts);
}

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html */
function createUnit(facts: AutostartFacts): Autostart {
  const path = join(configFolder(facts), "systemd", "user", "marquee.service");
  const systemctl = (...words: string[]) => mustRun(facts, ["systemctl", "--user", ...words]);
  return {
    how: "systemd",
    async on() {
      refuseUnstartable(facts, UNSTARTABLE_BY_SYSTEMD);
      write(path, unitOf(wordsOf(facts)));
      await systemctl("daemon-reload");
      await systemctl("enable", "marquee.service");
    },
    async off() {
      if (!isThere(path)) return false;
      await systemctl("disable", "marquee.service");
      rmSync(path, { force: true });
      await systemctl("daemon-reload");
      return true;
    },
    async status() {
      const words = wordsInUnit(lineIn(path, "ExecStart=") ?? "");
      const { code } = await facts.run(["systemctl", "--user", "is-enabled", "marquee.service"]);
      return statusOf(words, code === 0, UNSTARTABLE_BY_SYSTEMD);
    },
  };
}

/** https://specifications.freedesktop.org/autostart-spec/latest/ */
function createDesktopEntry(facts: AutostartFacts): Autostart {
  const path = join(configFolder(facts), "autostart", "marquee.desktop");
  return {
    how: "desktop",
    async on() {
      refuseUnstartable(facts, UNSTARTABLE_BY_DESKTOPS);
      write(path, desktopEntryOf(wordsOf(facts)));
    },
    async off() {
      if (!isThere(path)) return false;
      rmSync(path);
      return true;
    },
    async status() {
      const words = wordsInEntry(lineIn(path, "Exec=") ?? "");
      return statusOf(words, lineIn(path, "Hidden=") !== "true", UNSTARTABLE_BY_DESKTOPS);
    },
  };
}

function refuseUnstartable({ program }: AutostartFacts, unstartable: RegExp): void {
  const reason = whyNotStarted(program, unstartable);
  if (reason !== undefined) throw new CommandError(reason);
}

export function unitOf([program = "", ...words]: readonly string[]): string {
  // In a unit `%` is doubled everywhere, `$` only in arguments.
  const path = quoted(program.replaceAll("%", "%%"));
  const given = words.map((word) => wordOf(word.replaceAll("%", "%%").replaceAll("$", "$$$$")));
  return `[Unit]
Description=Marquee, what is playing for your stream

[Service]
ExecStart=${[path, ...given].join(" ")}
StandardOutput=null
Restart=on-failure
RestartSec=10

[Install]
WantedBy=default.target
`;
}

/** The words of a unit's command line. */
export function wordsInUnit(line: string): string[] {
  const [program, ...words] = wordsIn(line).map((word) => word.replaceAll("%%", "%"));
  if (program === undefined) return [];
  return [program, ...words.map((word) => word.replaceAll("$$", "$"))];
}

export function desktopEntryOf([program = "", ...words]: readonly string[]): string {
  const escape = (word: string) => word.replaceAll("%", "%%");
  const line = [
    quoted(escape(program), SPECIAL_IN_ENTRIES),
    ...words.map((word) => wordOf(escape(word), SPECIAL_IN_ENTRIES)),
  ].join(" ");
  // A text of the file has backslashes doubled once more.
  return `[Desktop Entry]
Type=Application
Name=Marquee
Comment=What is playing, for your stream
Exec=${line.replaceAll("\\", "\\\\")}
Terminal=false
`;
}

/** The words of an entry's command line. */
export const wordsInEntry = (line: string): string[] =>
  wordsIn(line.replaceAll("\\\\", "\\")).map((word) => word.replaceAll("%%", "%"));

const SPECIAL_IN_ENTRIES = /["\\`$]/g;

/** A word in quotes, unless it is a flag or a simple value. */
const wordOf = (text: string, special?: RegExp): string =>
  /^[\w-]+$/.test(text) ? text : quoted(text, special);

/** The words of a line in which some stand in quotes. */
const wordsIn = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, inQuotes, plain = ""]) => inQuotes?.replaceAll(/\\(.)/g, "$1") ?? plain,
  );

const quoted = (text: string, special = /["\\]/g): string =>
  `"${text.replaceAll(special, String.raw`\$&`)}"`;

function configFolder({ environment }: AutostartFacts): string {
  const chosen = environment["XDG_CONFIG_HOME"] ?? "";
  if (isAbsolute(chosen)) return chosen;
  const home = environment["HOME"] ?? "";
  if (!isAbsolute(home)) throw new CommandError("This user has no home folder.");
  return join(home, ".config");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, text, 0o644);
}

/** What follows the beginning of a line of a file; `null` without such a line or file. */
function lineIn(path: string, beginning: string): string | null {
  if (!isThere(path)) return null;
  const line = readFileSync(path, "utf8")
    .split("\n")
    .find((one) => one.startsWith(beginning));
  return line?.slice(beginning.length) ?? null;
}
