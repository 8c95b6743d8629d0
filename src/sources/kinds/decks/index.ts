import { join } from "node:path";
import { LONGEST_ADDRESS } from "../../../text-limits.ts";
import type { FoundPlayer, Machine, Search } from "../../here/found.ts";
import { trackOf } from "../../here/found.ts";
import { DELAY_OPTION } from "../../delay.ts";
import { optionalText } from "../../entered-server.ts";
import { defineLocalSource, playbackOf } from "../../local-source.ts";
import { fileMissing, type Source } from "../../source.ts";
import type { Deck } from "./song-log.ts";

/** DJ programs on this computer that write into a database what they play: it is only read. */

const pathOption = (name: string) => ({
  ...optionalText("path", `The database of ${name}, if it is not where ${name} usually has it.`),
  longest: LONGEST_ADDRESS,
  allowed: "the path of a file",
});

/** https://github.com/mixxxdj/mixxx/wiki/Advanced-Topics: the last one is that of the first versions for macOS. */
const MIXXX_DATABASES = ({ home, localData }: Machine["folders"]): string[] =>
  [
    join(localData, "Mixxx"),
    join(home, ".mixxx"),
    join(home, ".var/app/org.mixxx.Mixxx/.mixxx"),
    join(home, "Library/Containers/org.mixxx.mixxx/Data/Library/Application Support/Mixxx"),
    join(home, "Library/Application Support/Mixxx"),
  ].map((folder) => join(folder, "mixxxdb.sqlite"));

const SERATO_DATABASES = ({ home, localData }: Machine["folders"]): string[] =>
  [join(localData, "Serato"), join(home, "Library/Application Support/Serato")].map((folder) =>
    join(folder, "Library/master.sqlite"),
  );

export const createMixxx = (machine: Machine): Source =>
  createDeck(machine, { id: "mixxx", name: "Mixxx" }, MIXXX_DATABASES);

export const createSerato = (machine: Machine): Source =>
  createDeck(machine, { id: "serato", name: "Serato" }, SERATO_DATABASES);

function createDeck(
  machine: Machine,
  deck: { readonly id: Deck; readonly name: string },
  usualPaths: (folders: Machine["folders"]) => readonly string[],
): Source {
  const findIn = async ({ folders }: Machine): Promise<string | undefined> => {
    for (const path of usualPaths(folders)) if (await Bun.file(path).exists()) return path;
    return undefined;
  };
  const look = async (path: string, context: Pick<Search, "clock">) => {
    const { lastSongIn } = await import("./song-log.ts");
    const song = lastSongIn(deck, path);
    return song && playbackOf(deck, song, context);
  };
  return defineLocalSource({
    ...deck,
    options: { path: pathOption(deck.name), delay: DELAY_OPTION },
    async findHere(search): Promise<readonly FoundPlayer[]> {
      const path = await findIn(search.machine);
      if (path === undefined) return [];
      return [{ settings: {}, track: trackOf(await look(path, search)) }];
    },
    begin({ path }, context) {
      let timesLocked = 0;
      /** `undefined` before the first look. */
      let last: Awaited<ReturnType<typeof look>> | undefined;
      return async () => {
        const found = path || (await findIn(machine));
        if (found === undefined) {
          throw fileMissing(
            `${deck.name} has no database on this computer: it makes one when it runs`,
          );
        }
        const { DatabaseLocked } = await import("./song-log.ts");
        try {
          last = await look(found, context);
          timesLocked = 0;
        } catch (error) {
          // A program locks it while it writes.
          timesLocked += 1;
          const mayPass = error instanceof DatabaseLocked && timesLocked <= MOST_LOCKED;
          if (!mayPass || last === undefined) throw error;
        }
        return last;
      };
    },
  });
}

const MOST_LOCKED = 5;
