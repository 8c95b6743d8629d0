/** A radio station sends artist and title as one text, `Artist - Title`; some send only a title. */
export function splitStreamTitle(text: string): { artist: string | undefined; title: string } {
  const [, artist, title] = /^\s*(\S.*?) - (.*\S)\s*$/s.exec(text) ?? [];
  return title === undefined ? { artist: undefined, title: text.trim() } : { artist, title };
}
