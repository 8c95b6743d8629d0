import type { Filled } from "./template.ts";

/**
 * Anybody can name a song, and a chat bot prints that name with its owner's rights. What is printed
 * here pings nobody, links nowhere, and starts no command or variable of a bot.
 */

/** An invisible character (U+2060) that keeps two others apart. */
const WORD_JOINER = "\u2060";
/** Looks like a full stop (U+2024), but makes no address. */
const ONE_DOT_LEADER = "․";
/** Real writing has fewer marks on one letter. More of them grow over the lines around. */
const TOO_MANY_MARKS = /(\p{M}{6})\p{M}+/gu;

/**
 * A text on one line, without characters that break it or turn its direction, and well-formed, so
 * that it may stand in XML.
 */
export function oneLine(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize("NFC")
      .replace(/[\p{Bidi_Control}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]/gu, "")
      .replace(TOO_MANY_MARKS, "$1")
      // U+2800 is a letter of Braille without a dot: an empty place.
      .replace(/[\s\p{Cc}\u2800]+/gu, " ")
      .trim()
  );
}

/** A name for chat: on one line, without characters that nobody sees, except in emoji and words that need them. */
export function chatName(text: string): string {
  let seen = "";
  let end = 0;
  const line = oneLine(text);
  for (const emoji of line.matchAll(/\p{RGI_Emoji}/gv)) {
    seen += withoutInvisible(line.slice(end, emoji.index)) + emoji[0];
    end = emoji.index + emoji[0].length;
  }
  return oneLine(withoutSchemes(seen + withoutInvisible(line.slice(end))));
}

function withoutSchemes(text: string): string {
  const less = text.replace(/https?:\/\//gi, "");
  // What is left may be a scheme again.
  return less === text ? text : withoutSchemes(less);
}

/** Letters and marks of scripts in whose words U+200C and U+200D decide how the signs beside them join. */
const ARABIC = String.raw`\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}`;
const INDIC = "Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr"
  .split(" ")
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");
/** Between two letters, or at the end of an Indic word whose last vowel is taken off. */
const JOINER = String.raw`(?<=[[\p{L}\p{M}]&&[${ARABIC}${INDIC}]])[\u200c\u200d](?=[\p{L}&&[${ARABIC}${INDIC}]])|(?<=[\p{M}&&[${INDIC}]])\u200d`;
const INVISIBLE = new RegExp(
  String.raw`(${JOINER})|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}]`,
  "gv",
);

/** The joiners of Persian, Urdu, Hindi, Malayalam and others stay: without them a word is another. */
const withoutInvisible = (text: string): string =>
  text.replace(INVISIBLE, (_, joiner: string | undefined) => joiner ?? "");

/**
 * A finished line. Whatever touches a name without a space is made harmless with it: a name and the
 * words of a template could be an address together.
 */
export function harmlessLine(pieces: readonly Filled[]): string {
  const words = wordsOf(pieces).map(({ text, isTrusted }) => (isTrusted ? text : disarm(text)));
  return withSafeStart(words.filter((word) => word !== "").join(" "));
}

/** The words of the pieces; one is trusted when all of its parts are, empty ones too. */
function wordsOf(pieces: readonly Filled[]): Filled[] {
  const words: Filled[] = [];
  for (const { text, isTrusted } of pieces) {
    const [first = "", ...others] = text.split(/\s+/);
    const open = words.pop() ?? { text: "", isTrusted: true };
    words.push({ text: open.text + first, isTrusted: open.isTrusted && isTrusted });
    words.push(...others.map((part) => ({ text: part, isTrusted })));
  }
  return words;
}

/** Most words have nothing of what is replaced in them: schemes end in a colon. */
const SUSPICIOUS = /[@\uFE6B.．｡。$%{~<:]/;

function disarm(word: string): string {
  if (!SUSPICIOUS.test(word)) return word;
  return (
    withoutSchemes(word)
      .replace(/:\/{2,}/g, ":")
      .replace(/[@\uFE6B]/g, "＠")
      .replace(/(?<=\S)\.(?=[\p{L}\p{N}])/gu, ONE_DOT_LEADER)
      // Browsers read these as full stops in names of hosts.
      .replace(/(?<=[a-z0-9])[．｡。](?=[a-z0-9])/gi, ONE_DOT_LEADER)
      // `$name`, `$(name)`, `%name%`, `{name}` and `~name~` are variables of bots, `<#1>` a channel.
      .replace(/([$%{~])(?=[\p{L}\p{N}_([{<$%~])/gu, `$1${WORD_JOINER}`)
      .replace(/<(?=[\p{L}\p{N}#:&!/＠])/gu, `<${WORD_JOINER}`)
  );
}

/** The bots' commands begin with signs: `!song`, `/timeout`, `.ban`. */
const withSafeStart = (line: string): string =>
  line === "" || /^[\p{L}\p{N}"'“”„‘’‚«»‹›「『♪]/u.test(line) ? line : `♪ ${line}`;
