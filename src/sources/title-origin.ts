import { withoutExtension } from "../address-name.ts";
import type { NamesFrom } from "../playback.ts";

/**
 * Where the title of a file comes from: its tag, or its name, which many servers and players give as the
 * title where there is no tag, mpv with the extension.
 * @param fileName without the extension
 */
export function originOfTitle(title: string | undefined, fileName: string): NamesFrom {
  const isName = title === undefined || [title, withoutExtension(title)].includes(fileName);
  return { origin: isName ? "file" : "tag" };
}

/** Whether a program, a page or a host is YouTube itself, where the artist is a channel. YouTube Music names artists. */
export const isVideoPage = (name: string | undefined): boolean =>
  /^(?:(?:www\.|m\.)?youtube(?:\.com)?|youtu\.be)$/i.test(name ?? "");
