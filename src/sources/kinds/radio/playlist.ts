/** The lists that stations offer in place of their streams: PLS and M3U. */

export const LARGEST_PLAYLIST_BYTES = 64 * 1024;

/** Whether an answer is a list by its type, or by its name where its type says nothing. */
export function isPlaylist({ pathname }: URL, headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  if (/scpls|mpegurl|pls\+xml/i.test(type)) return true;
  return /\.(?:pls|m3u8?)$/i.test(pathname) && /^$|^text\/|octet-stream/i.test(type);
}

/** The first address in a list; `undefined` where it has none. The parts of HLS are no streams. */
export function entryOf(text: string, at: URL): URL | undefined {
  if (text.includes("#EXT-X-")) return undefined;
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const entry = /^\[playlist\]/i.test(text.trim())
    ? lines.find((line) => /^File\d+=/i.test(line))?.replace(/^\w+=\s*/, "")
    : lines.find((line) => line !== "" && !line.startsWith("#"));
  const url = entry === undefined ? null : URL.parse(entry, at.href);
  return url && !url.username && !url.password ? url : undefined;
}
