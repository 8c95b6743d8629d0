/** Words that programs put where they know no name. */

/** A text's words in lower case: `<No_Name>` is `no name`. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();

/** The phrases of a text that has a comma between them. */
const phrasesOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/,\s+/));

const UNKNOWN_ARTISTS = phrasesOf(`
  unknown, unknown artist, artist unknown, no artist, unknown title, unknown track, undefined, null, n a,
  unbekannt, unbekannter interpret, unbekannter künstler, artiste inconnu, interprète inconnu, inconnu,
  artista desconocido, intérprete desconocido, desconocido, artista desconhecido, desconhecido,
  artista sconosciuto, sconosciuto, onbekende artiest, okänd artist, ukjent artist, ukendt kunstner,
  nieznany wykonawca, neznámý interpret, bilinmeyen sanatçı, неизвестный исполнитель, неизвестен,
  невідомий виконавець, 不明なアーティスト, 未知艺术家, 未知藝術家, 未知艺人, 알 수 없는 아티스트, 알 수 없는 음악가
`);

/**
 * Whether a text names an artist. `Unknown Artist`, `<unknown>` and `[unknown]` do not; `Various
 * Artists` says something true of a compilation, and stays.
 */
export const namesAnArtist = (text: string): boolean =>
  text.trim() !== "" && !UNKNOWN_ARTISTS.has(fold(text));

/** Of several lists of names, the first in which somebody is named, without those who are nobody. */
export const firstNamed = (...lists: readonly (readonly string[])[]): readonly string[] =>
  lists.map((names) => names.filter(namesAnArtist)).find(({ length }) => length > 0) ?? [];

/**
 * What servers and encoders call a station whose owner gave it no name: Icecast, libshout and butt,
 * SHOUTcast, VLC, ices and ezstream, and programs that read them.
 */
const STATIONS_WITHOUT_NAME = phrasesOf(`
  unspecified name, no name, unnamed server, vlc media player live stream, example stream name,
  default stream, test stream, this is my server name, unnamed, unnamed station, unknown,
  unknown station, undefined, null, none, n a
`);
/** Liquidsoap gives a stream the name of its mount, or `sc#1`. */
const MOUNT = /^(?:\/\S*|\S+\.(?:mp3|aac|ogg|oga|opus|flac|m3u8?|pls)|sc#\d+|use \[mount\])$/i;

/** Whether a text names a station, and is not what a server writes where there is no name. */
export const namesAStation = (text: string): boolean => {
  const folded = fold(text);
  return folded !== "" && !STATIONS_WITHOUT_NAME.has(folded) && !MOUNT.test(text.trim());
};
