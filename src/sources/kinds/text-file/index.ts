import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { LONGEST_ADDRESS } from "../../../text-limits.ts";
import { DELAY_OPTION } from "../../delay.ts";
import { requiredText } from "../../entered-server.ts";
import type { FoundPlayer, Machine } from "../../here/found.ts";
import { defineLocalSource } from "../../local-source.ts";
import { fileMissing, type Source } from "../../source.ts";
import { createFileReader, TEXT_FILE } from "./read.ts";

/** A text file that a program writes anew with each song, and VirtualDJ's lists of what was played. */

const DEFAULT_PATTERN = "{artist} - {title}";

/** Where programs have their files, and what is in them. */
const USUAL_FILES = ({ home, localData }: Machine["folders"]) => [
  ...[
    join(localData, "VirtualDJ/History"),
    join(home, "Library/Application Support/VirtualDJ/History"),
    join(home, "Documents/VirtualDJ/History"),
  ].map((path) => ({ name: "VirtualDJ", settings: { path } })),
  { name: "DJUCED", settings: { path: join(home, "Documents/DJUCED/playing.txt") } },
];

export const createTextFile = (): Source =>
  defineLocalSource({
    ...TEXT_FILE,
    options: {
      path: {
        ...requiredText(
          "path",
          "The file, or VirtualDJ's folder History.",
          "the path of a file or a folder",
        ),
        longest: LONGEST_ADDRESS,
      },
      pattern: {
        placeholder: "pattern",
        help: "What is in the file, such as {title} by {artist}; \\n stands for a new line.",
        fallback: DEFAULT_PATTERN,
        allowed: "a pattern with {title}, and texts between {title}, {artist} and {album}",
        parse: (text) =>
          text.includes("{title}") && !text.includes("}{") ? text.trim() : undefined,
      },
      encoding: {
        placeholder: "name",
        help: "The file's encoding, such as shift_jis; without it, UTF-8 or windows-1252.",
        fallback: "",
        allowed: "the name of an encoding, such as utf-8, windows-1251 or shift_jis",
        parse: (text) => (isEncoding(text.trim()) ? text.trim().toLowerCase() : undefined),
      },
      delay: DELAY_OPTION,
    },
    async findHere({ machine }): Promise<readonly FoundPlayer[]> {
      const usual = USUAL_FILES(machine.folders);
      const there = await Promise.allSettled(usual.map(({ settings }) => stat(settings.path)));
      return usual.filter((_, index) => there[index]?.status === "fulfilled");
    },
    begin({ path, pattern, encoding }, { clock }) {
      const read = createFileReader({ pattern, encoding }, clock);
      let seen: string | undefined;
      return async () => {
        const file = await newestIn(path);
        const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
        if (file === undefined || !found?.isFile()) {
          // Some programs delete it when they stop.
          if (seen !== undefined) return null;
          throw fileMissing(`there is no file at ${path}, or it may not be read`);
        }
        seen = file;
        return read(file, found);
      };
    },
  });

/** The file, or the newest list in a folder. */
async function newestIn(path: string): Promise<string | undefined> {
  const names = await readdir(path).catch(() => undefined);
  if (names === undefined) return path;
  const lists = names.filter((name) => /\.m3u$/i.test(name)).toSorted();
  // VirtualDJ names them after their days.
  const last = lists.at(-1);
  return last === undefined ? undefined : join(path, last);
}

function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return name !== "";
  } catch {
    return false;
  }
}
