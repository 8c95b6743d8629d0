import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isThere } from "../../db/data-folder.ts";
import { writeWhole } from "../../own-file.ts";
import { type Autostart, type AutostartFacts, mustRun, statusOf, wordsOf } from "./autostart.ts";
import { CommandError } from "../../control/execution.ts";

const LABEL = "marquee";
const LOCAL_NETWORK =
  "macOS may not let a program that starts by itself reach other machines of your network, such as an MPD elsewhere: allow it under Privacy & Security → Local Network, again after an update.";

/** A launch agent of the user: `man launchd.plist`. */
export function createMacAutostart(facts: AutostartFacts): Autostart {
  const home = facts.environment["HOME"] ?? "";
  if (!isAbsolute(home)) throw new CommandError("This user has no home folder.");
  const path = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const bootOut = () => facts.run(["launchctl", "bootout", `${domain}/${LABEL}`]);
  return {
    how: "launchd",
    async on() {
      mkdirSync(dirname(path), { recursive: true });
      writeWhole(
        path,
        agentOf(wordsOf(facts), join(home, "Library", "Logs", "Marquee.log")),
        0o644,
      );
      // An agent that is there already would be refused.
      await bootOut();
      await mustRun(facts, ["launchctl", "bootstrap", domain, path]);
    },
    async off() {
      if (!isThere(path)) return false;
      await bootOut();
      rmSync(path);
      return true;
    },
    async status() {
      const words = isThere(path) ? argumentsIn(readFileSync(path, "utf8")) : [];
      return { note: LOCAL_NETWORK, ...statusOf(words, true) };
    },
  };
}

export function agentOf(words: readonly string[], log: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escaped(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>BUN_ENABLE_CRASH_REPORTING</key><string>0</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardOutPath</key><string>/dev/null</string>
  <key>StandardErrorPath</key><string>${escaped(log)}</string>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`;
}

/** The words of an agent's command line. */
export function argumentsIn(plist: string): string[] {
  const [, list = ""] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(plist) ?? [];
  return [...list.matchAll(/<string>(.*?)<\/string>/gs)].map(([, word = ""]) =>
    word
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&apos;", "'")
      .replaceAll("&amp;", "&"),
  );
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
