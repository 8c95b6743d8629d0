import type { NamesFrom } from "../playback.ts";

/**
 * Where the title of a file comes from: its tag, or its name, which many servers and players give as the
 * title where there is no tag.
 */
export const originOfTitle = (title: string | undefined, fileName: string): NamesFrom => ({
  origin: title === undefined || title === fileName ? "file" : "tag",
});
