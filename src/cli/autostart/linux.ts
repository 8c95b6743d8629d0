import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isThere } from "../../db/data-folder.ts";
import { writeWhole } from "../../own-file.ts";
import { type Autostart, AutostartError, type AutostartFacts, mustRun } from "./autostart.ts";

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
      write(path, unitOf(facts));
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
      const command = lineIn(path, "ExecStart=");
      const { code } = await facts.run(["systemctl", "--user", "is-enabled", "marquee.service"]);
      return { on: command !== null && code === 0, command };
    },
  };
}

/** https://specifications.freedesktop.org/autostart-spec/latest/ */
function createDesktopEntry(facts: AutostartFacts): Autostart {
  const path = join(configFolder(facts), "autostart", "marquee.desktop");
  return {
    how: "desktop",
    async on() {
      write(path, desktopEntryOf(facts));
    },
    async off() {
      if (!isThere(path)) return false;
      rmSync(path);
      return true;
    },
    async status() {
      const command = lineIn(path, "Exec=");
      return { on: command !== null && lineIn(path, "Hidden=") !== "true", command };
    },
  };
}

export function unitOf({ program, data }: Pick<AutostartFacts, "program" | "data">): string {
  // In a unit `%` is doubled everywhere, `$` only in arguments.
  const path = quoted(program.replaceAll("%", "%%"));
  const folder = quoted(data.replaceAll("%", "%%").replaceAll("$", "$$$$"));
  return `[Unit]
Description=Marquee, what is playing for your stream

[Service]
ExecStart=${path} serve --open never --data ${folder}
StandardOutput=null
Restart=on-failure
RestartSec=10

[Install]
WantedBy=default.target
`;
}

export function desktopEntryOf({
  program,
  data,
}: Pick<AutostartFacts, "program" | "data">): string {
  // A text of the file has backslashes doubled once more.
  const word = (path: string) =>
    quoted(path.replaceAll("%", "%%"), /["\\`$]/g).replaceAll("\\", "\\\\");
  return `[Desktop Entry]
Type=Application
Name=Marquee
Comment=What is playing, for your stream
Exec=${word(program)} serve --open never --data ${word(data)}
Terminal=false
`;
}

const quoted = (text: string, special = /["\\]/g): string =>
  `"${text.replaceAll(special, String.raw`\$&`)}"`;

function configFolder({ environment }: AutostartFacts): string {
  const chosen = environment["XDG_CONFIG_HOME"] ?? "";
  if (isAbsolute(chosen)) return chosen;
  const home = environment["HOME"] ?? "";
  if (!isAbsolute(home)) throw new AutostartError("This user has no home folder.");
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
