import { action, good } from "../actions/action.ts";
import { choice, connectionId, givenIn, onOff, orKept } from "../actions/inputs.ts";
import { Refused } from "../i18n/refused.ts";
import { LINE_BREAK } from "../text-limits.ts";
import {
  LONGEST_PHRASE,
  MOST_PHRASES,
  type Phrase,
  PHRASE_PLACES,
  type PhrasePlace,
  SHORTEST_PHRASE,
} from "./phrases.ts";
import type { TitleRules } from "./shown-names.ts";

/** Phrases for one place, one per line; none are given where those that are stored stay. */
const phrasesAt = (place: PhrasePlace, where: string) =>
  orKept({
    type: { kind: "lines" },
    longest: 10_000,
    help: `phrases to leave out ${where}, one per line`,
    placeholder: "phrases",
    allowed: "phrases, one per line",
    parse: (text: string): readonly Phrase[] => {
      const lines = new Set(text.split(LINE_BREAK).map((line) => line.trim()));
      const phrases = [...lines].filter((line) => line !== "");
      const wrong = phrases.find(
        ({ length }) => length < SHORTEST_PHRASE || length > LONGEST_PHRASE,
      );
      if (wrong !== undefined) {
        throw new Refused("titles.length", { phrase: wrong.slice(0, LONGEST_PHRASE) });
      }
      return phrases.map((line) => ({ text: line, place }));
    },
  } as const);

type Changes = { readonly [Place in PhrasePlace]?: readonly Phrase[] } & {
  readonly clean?: boolean;
};

/**
 * Rules with what was entered.
 * @throws {Refused} for too many phrases
 */
export function changedRules(
  rules: TitleRules,
  { clean = rules.isOn, ...entered }: Changes,
): TitleRules {
  const phrases = PHRASE_PLACES.flatMap(
    (place) => entered[place] ?? rules.phrases.filter((phrase) => phrase.place === place),
  );
  if (phrases.length > MOST_PHRASES) {
    const values = { count: String(phrases.length) };
    const field = PHRASE_PLACES.findLast((place) => (entered[place] ?? []).length > 0);
    throw new Refused("titles.tooMany", values, { field, isMisuse: true });
  }
  return { ...rules, isOn: clean, phrases };
}

export const setTitles = action({
  name: "titles set",
  help: "show titles without what describes their upload, or as given; what is not named stays",
  who: "self",
  inputs: {
    clean: orKept({ ...onOff, help: "whether titles are cleaned" }),
    brackets: phrasesAt("brackets", "where they stand in brackets"),
    dash: phrasesAt("dash", "where they stand after a dash, at the end"),
    anywhere: phrasesAt("anywhere", "wherever they stand"),
  },
  command: {
    examples: [
      "marquee titles set ada --clean off",
      "marquee titles set ada --brackets 'Night Edit'",
    ],
  },
  async run({ accounts: { privacy }, user }, changes) {
    const titles = changedRules(privacy.of(user.id).titles, givenIn(changes));
    await privacy.change(user, { titles });
    return titles;
  },
  documents: ({ isOn, phrases }) => [{ cleaned: isOn, phrases }],
  notice: ({ dashboard }) => good(dashboard.music.titles.saved),
});

const CHOICES = { on: true, off: false, all: null } as const;

export const setTitlesOfConnection = action({
  name: "connection titles",
  help: "show a connection's titles without what describes their upload, or as given",
  who: "self",
  inputs: {
    id: connectionId,
    titles: {
      ...choice(["on", "off", "all"]),
      placeholder: "on|off|all",
      help: "all: as for all connections",
    },
  },
  command: { examples: ["marquee connection titles ada 3 off"] },
  async run({ accounts, user }, { id, titles }) {
    await accounts.connections.cleanTitles(user, id, CHOICES[titles]);
    return { id, titles };
  },
  documents: (chosen) => [chosen],
  notice: ({ dashboard }) => good(dashboard.music.titles.saved),
});
