import type { Config } from "../config.ts";
import { describeError, type Log } from "../log.ts";
import type { Io } from "../control/execution.ts";

/** The facts that decide whether the program opens a browser. */
export interface Scene {
  readonly open: Config["open"];
  readonly asJson: boolean;
  /** As `process.platform` names it. */
  readonly platform: string;
  readonly environment: Io["environment"];
  /** Whether the output goes to a terminal. Called last, because it takes memory. */
  isTerminal(): boolean;
}

/** The command that opens the address appended to it in the default browser, or why none runs. */
type Opener = { readonly command: readonly string[] } | { readonly reason: string };

/** Windows' own command. No shell reads the address, so its characters have no special meaning. */
const WINDOWS_OPENER = ["rundll32.exe", "url.dll,FileProtocolHandler"];

/** Decides whether the first start opens the browser, and with which command. */
export function findOpener({ open, asJson, platform, environment, isTerminal }: Scene): Opener {
  const isSet = (...names: string[]) => names.some((name) => environment[name]);
  if (open === "never") return { reason: "it is never to be opened" };
  if (asJson) return { reason: "a program reads what is printed" };
  if (isSet("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) {
    return { reason: "the person sits at another machine" };
  }
  // A browser must not run as root, and root could not show one on another user's desktop.
  if (isSet("SUDO_UID")) return { reason: "the program was started by sudo" };
  const command = openerOf(platform, isSet);
  if (!command) return { reason: "there is no display" };
  return isTerminal() ? { command } : { reason: "nobody sees a terminal" };
}

function openerOf(
  platform: string,
  isSet: (...names: string[]) => boolean,
): readonly string[] | undefined {
  if (platform === "win32") return WINDOWS_OPENER;
  if (platform === "darwin") return ["open"];
  // WSL can run Windows programs, and the browser is usually installed in Windows.
  if (isSet("WSL_DISTRO_NAME")) return WINDOWS_OPENER;
  return isSet("DISPLAY", "WAYLAND_DISPLAY") ? ["xdg-open"] : undefined;
}

/**
 * Opens an address in the default browser if a person can see it. If that fails, the server
 * continues: the address is also printed.
 *
 * The address is an argument and contains the magic link's secret, and other accounts on this
 * machine can list arguments. A file that redirects to the link would hide the secret. But browsers
 * in a sandbox (Snap, Flatpak) cannot read every folder, and the file could open in an editor
 * instead. The link works only once, and the user's click normally uses it right away. For machines
 * that several people use at the same time, the documentation advises `--open never`.
 */
export function openBrowser(address: string, scene: Omit<Scene, "platform">, log: Log): void {
  const opener = findOpener({ ...scene, platform: process.platform });
  if ("reason" in opener) {
    log.debug("no browser is opened", { reason: opener.reason });
    return;
  }
  try {
    Bun.spawn([...opener.command, address], {
      // Ctrl+C in this terminal stops the server, but not the browser.
      detached: true,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    }).unref();
  } catch (error) {
    log.debug("no browser is opened", { reason: describeError(error) });
  }
}
