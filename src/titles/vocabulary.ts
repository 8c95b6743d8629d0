/** Words that describe an upload or a release, and words that describe a recording. */

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Each of these alone shows that a bracket describes the upload. */
const STRONG = setOf(`
  official officiel officielle oficial oficiais ufficiale ufficiali offizielles offizielle offizieller
  oficjalny oficjalne resmi
  video vídeo vidéo videos videoclip videoclipe clip clipe musikvideo musicvideo lyricvideo teledysk
  audio áudio lyric lyrics letra letras paroles testo songtext lirik liryk
  visualizer visualiser visualizador hd hq uhd 4k 8k 1440p 1080p 720p 480p 60fps 50fps 320kbps 256kbps
  mv pv explicit clean dirty
  remaster remastered remasterizado remasterizada remasterisé remastérisé リマスター
  公式 官方 官方歌詞版 官方歌词版 歌詞 歌词 ミュージックビデオ リリックビデオ ビデオ 가사 뮤직비디오 공식
  официальный официальное официальная официальный клип премьера видео видеоклип
  فيديو كليب קליפ רשמי הרשמי
`);

/** These say nothing by themselves, and belong to the others beside one of them. */
const WEAK = setOf(`
  music full the new in on with and screen version color colour coded han rom eng sub клипа ミュージック
`);

/** What a recording is: it stays where everything around it goes. */
const RECORDING = setOf(`
  live acoustic unplugged instrumental demo cover karaoke remix edit mix acústico acustico akustik
  acoustique vivo piano orchestral
`);

/** What else says which recording it is, or which part of it. None of these is ever taken off. */
const DESCRIBES = setOf(`
  version session sessions reprise rework bootleg mashup dub vip rmx flip extended original radio club
  slowed reverb sped nightcore acapella cappella studio rehearsal take part pt intro outro interlude
  medley recorded rerecorded alternate alternative mono stereo single album bonus lounge concert
  konzert concierto tour teil partie parte versión versione versão maxi inch
  ライブ ライヴ バージョン 弾き語り 라이브 버전 现场 現場 版 ремикс версия живой концерт
`);

/** One of these at the end of an upload's title goes even alone. */
const ALONE_AT_THE_END = setOf("hd hq 4k mv pv");

/** A part that begins with one of these is no title of its own. */
const CONTINUES = setOf("live acoustic instrumental demo remix part pt episode chapter");
/** Nor is one of only such words, with one of these at its end. */
const KINDS = setOf(
  "edit mix remix version cover demo instrumental karaoke reprise rework dub vip",
);

const TEMPI = setOf(`
  allegro allegretto adagio andante andantino largo larghetto lento grave moderato presto prestissimo
  vivace scherzo menuetto minuet menuett rondo finale
`);
const WORKS = setOf(`
  symphony symphonie sinfonie sinfonia sonata sonate concerto konzert quartet quartett quintet
  trio suite serenade partita
`);

const REMASTERED = setOf(
  "remaster remastered remasterizado remasterizada remasterisé remastérisé リマスター",
);
const BESIDE_REMASTERED = setOf("digital digitally deluxe anniversary version edition the");

const isYear = (word: string): boolean => /^(19|20)\d\d$/.test(word);
const isOrdinal = (word: string): boolean => /^\d{1,3}(st|nd|rd|th)$/.test(word);
const isWeak = (word: string): boolean => WEAK.has(word) || isYear(word) || isOrdinal(word);
export const isStrong = (word: string): boolean => STRONG.has(word);
export const isNoiseWord = (word: string): boolean => isStrong(word) || isWeak(word);
export const isRecording = (word: string): boolean => RECORDING.has(word);
export const goesAlone = (word: string): boolean => ALONE_AT_THE_END.has(word);

/** Whether a word says which recording it is; such words are never lost. */
const describesRecording = (word: string): boolean =>
  RECORDING.has(word) || DESCRIBES.has(word) || word === "8d";

/** Between words that are written as one: `HydeParkMix`, `VIPMix`, `Take3`. */
const SEAM =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

/** A text's words as they are written, and with those taken apart that are written as one. */
const readingsOf = (text: string): readonly (readonly string[])[] => [
  wordsOf(text),
  wordsOf(text.replace(SEAM, " ")),
];

/** Whether a text says which recording it is, in a word of its own or one that is joined to others. */
export const tellsRecording = (text: string): boolean =>
  readingsOf(text).some((words) => words.some(describesRecording));

/** Words that, beside others, as often name a release or a station: `From the album Tides`. */
const OF_RELEASES = setOf("album single radio");

/** Whether a text certainly says which recording it is. */
export const tellsRecordingForSure = (text: string): boolean =>
  tellsOnlyRecording(text) ||
  readingsOf(text).some((words) =>
    words.some((word) => describesRecording(word) && !OF_RELEASES.has(word)),
  );

/** Whether it says nothing else. */
export const tellsOnlyRecording = (text: string): boolean =>
  readingsOf(text).some((words) => words.every(describesRecording));

/**
 * Whether what stands behind a title's first dash goes on with it: `Live at the Mill`, `Radio Edit`,
 * `2011 Remaster`, or the movement of a work.
 */
export function goesOn(left: string, right: string): boolean {
  const words = wordsOf(right);
  const [first = ""] = words;
  const isKind = readingsOf(right).some(
    (read) =>
      KINDS.has(read.at(-1) ?? "") &&
      read.length > 1 &&
      read.every((word) => KINDS.has(word) || describesRecording(word)),
  );
  return (
    CONTINUES.has(first) ||
    /^s\d{1,2}e\d{1,3}$/.test(first) ||
    isKind ||
    areRemasterLabel(words) ||
    /^[IVX]+\. /.test(right) ||
    (TEMPI.has(first) && isNumberedWork(left))
  );
}

/** `5. Symphony`, `Sonata No. 3 in D`. */
export const isNumberedWork = (text: string): boolean =>
  /\d/.test(text) && wordsOf(text).some((word) => WORKS.has(word));

/** Words a removal may begin with: the others would be torn from the title. */
export const beginsNoise = (word: string): boolean =>
  isStrong(word) || word === "full" || word === "new" || word === "music";

/** Whether all words describe the upload, and one of them certainly. */
export const areNoise = (words: readonly string[]): boolean =>
  words.some(isStrong) && words.every(isNoiseWord);

/** Whether words are a remaster's label: `2011 Remaster`, `40th Anniversary Remastered Edition`. */
export const areRemasterLabel = (words: readonly string[]): boolean =>
  words.some((word) => REMASTERED.has(word)) &&
  words.every(
    (word) =>
      REMASTERED.has(word) || BESIDE_REMASTERED.has(word) || isYear(word) || isOrdinal(word),
  );

/** Scripts that write words without spaces are divided where the script changes. */
const WORD =
  /\p{sc=Han}+|[\p{sc=Katakana}ー]+|\p{sc=Hiragana}+|(?:(?![\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}])[\p{L}\p{N}\p{M}'’])+/gu;

/** A text's words, in lower case; `M/V` is one. */
export const wordsOf = (text: string): string[] =>
  text.toLowerCase().replaceAll("m/v", "mv").match(WORD) ?? [];
