import type { Config } from "../config.ts";
import { describeError, type Log } from "../log.ts";
import type { Io } from "./command.ts";

/** What decides whether a browser opens in front of whoever started the program. */
export interface Scene {
  readonly open: Config["open"];
  readonly asJson: boolean;
  /** As `process.platform` names it. */
  readonly platform: string;
  readonly environment: Io["environment"];
  /** Whether a person's terminal shows what is printed. Asked last: the answer takes memory. */
  isTerminal(): boolean;
}

/** The command that opens the address after it in the default browser, or why none is to run. */
export type Opener = { readonly command: readonly string[] } | { readonly reason: string };

/** Windows' own way: no shell reads the address, so no character of it means anything else. */
const WINDOWS_OPENER = ["rundll32.exe", "url.dll,FileProtocolHandler"];

/** Decides whether a first start opens the browser, and with what. */
export function findOpener({ open, asJson, platform, environment, isTerminal }: Scene): Opener {
  const isSet = (...names: string[]) => names.some((name) => environment[name]);
  if (open === "never") return { reason: "it is never to be opened" };
  if (asJson) return { reason: "a program reads what is printed" };
  if (isSet("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) {
    return { reason: "the person sits at another machine" };
  }
  // A browser must not be root's, and root could not show one on somebody else's desktop.
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
  // Linux inside Windows runs Windows' programs, and the browser is usually there.
  if (isSet("WSL_DISTRO_NAME")) return WINDOWS_OPENER;
  return isSet("DISPLAY", "WAYLAND_DISPLAY") ? ["xdg-open"] : undefined;
}

/**
 * Opens an address in the default browser if there is somebody to see it. Whatever becomes of that,
 * the server goes on: the address is printed as well.
 *
 * The address is an argument, with the sign-in link's secret in it, and other accounts of this
 * machine can list arguments. A file that leads on to the link would hide it, but browsers in a
 * sandbox (Snap, Flatpak) cannot read every folder, and where files of its kind belong to an
 * editor, that would open. The link works once, and the click that uses it up comes next; where
 * others work on the same machine at the same time, the documentation advises `--open never`.
 */
export function openBrowser(address: string, scene: Scene, log: Log): void {
  const opener = findOpener(scene);
  if ("reason" in opener) {
    log.debug("no browser is opened", { reason: opener.reason });
    return;
  }
  try {
    Bun.spawn([...opener.command, address], {
      // Ctrl+C in this terminal ends the server, not the browser that it has opened.
      detached: true,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    }).unref();
  } catch (error) {
    log.debug("no browser is opened", { reason: describeError(error) });
  }
}
