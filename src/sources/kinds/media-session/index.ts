import { defineSource, type Source } from "../../source.ts";
import { optionalText } from "../../entered-server.ts";
import type { MediaSessionDeps, MediaSessionKind } from "./settings.ts";

/**
 * Players of this computer that the system knows: the media sessions of Windows, and what macOS calls
 * now playing. https://learn.microsoft.com/en-us/uwp/api/windows.media.control
 */

const WINDOWS: MediaSessionKind = { id: "windows", name: "Windows", platform: "win32" };
const MACOS: MediaSessionKind = { id: "macos", name: "macOS", platform: "darwin" };

export const createWindows = (deps: MediaSessionDeps): Source => createMediaSession(WINDOWS, deps);

export const createMacos = (deps: MediaSessionDeps): Source => createMediaSession(MACOS, deps);

const LONGEST_NAME = 200;

function createMediaSession(kind: MediaSessionKind, deps: MediaSessionDeps): Source {
  const { id, name, platform } = kind;
  return defineSource({
    id,
    name,
    delivery: "streamed",
    facts: {
      runs: "computer",
      reports: ["pause"],
      reportsSometimes: ["position", "cover"],
      delayMs: platform === "win32" ? 250 : 500,
      calls: [],
    },
    ownerOnly: true,
    onlyOn: platform,
    options: {
      player: {
        ...optionalText(
          "name",
          "Follow only players with this in their name, such as Spotify; without it, all but browsers.",
        ),
        longest: LONGEST_NAME,
      },
    },
    account: ({ player }) => ({ displayName: player || name }),
    findHere: async (search) => (await import("./find.ts")).find(kind, search, deps),
    async *watch(settings, context) {
      if (context.signal.aborted) return;
      const { listen } = await import("./listen.ts");
      yield* listen(kind, settings, context, deps);
    },
  });
}
