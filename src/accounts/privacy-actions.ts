import { action, type Call, type Input, good } from "../actions/action.ts";
import { choice, givenIn, orKept } from "../actions/inputs.ts";
import { isoTime } from "../clock.ts";
import { fill } from "../i18n/fill.ts";
import { Refused } from "../i18n/refused.ts";
import { LINE_BREAK } from "../text-limits.ts";
import { type PrivacyRules, UNTIL_RESUMED } from "./privacy.ts";

const PAUSE_MS = 3_600_000;
const MOST_LINES = 100;
/** In Unicode code points. */
const LONGEST_LINE = 200;

/** What programs read of what others see. */
export const privacyDocument = ({ pausedUntil, hiddenTitles, hiddenArtists }: PrivacyRules) => ({
  paused_until: pausedUntil === UNTIL_RESUMED ? "until resumed" : isoTime(pausedUntil),
  hidden_titles: hiddenTitles,
  hidden_artists: hiddenArtists,
});

/** Stores changes of what others see, and gives what is stored then. */
async function change({ accounts: { privacy }, user }: Call, changes: Partial<PrivacyRules>) {
  await privacy.change(user, changes);
  return { username: user.name, ...privacyDocument(privacy.of(user.id)) };
}

export const pauseSharing = action({
  name: "privacy pause",
  help: "show to others that nothing is playing",
  who: "self",
  inputs: {
    for: {
      ...choice(["hour", "long"]),
      placeholder: "hour|long",
      help: "hour: it ends by itself; long: until sharing is resumed (default: long)",
      fallback: "long",
    },
  },
  command: { examples: ["marquee privacy pause ada --for hour"] },
  run: (call, { for: time }) =>
    change(call, { pausedUntil: time === "long" ? UNTIL_RESUMED : call.clock.wallMs() + PAUSE_MS }),
  documents: (rules) => [rules],
  notice: ({ dashboard }) => good(dashboard.privacy.nowPaused),
});

export const resumeSharing = action({
  name: "privacy resume",
  help: "show again to others what is playing",
  who: "self",
  inputs: {},
  run: (call) => change(call, { pausedUntil: null }),
  documents: (rules) => [rules],
  notice: ({ dashboard }) => good(dashboard.privacy.nowSharing),
});

/** Accents are ignored, so a line with only accents would match every name. */
const saysSomething = (line: string): boolean => /[^\p{M}\s]/u.test(line.normalize("NFKD"));

/** Texts, one per line; empty and repeated lines are left out. */
function readHiddenTexts(text: string): readonly string[] {
  const lines = text.split(LINE_BREAK).map((line) => line.trim());
  const texts = [...new Set(lines.filter(saysSomething))];
  if (texts.length > MOST_LINES) {
    throw new Refused("privacy.tooMany", { count: String(texts.length) });
  }
  const lengths = lines.map((line) => [...line].length);
  const tooLong = lengths.findIndex((length) => length > LONGEST_LINE);
  if (tooLong !== -1) {
    const values = { line: String(tooLong + 1), count: String(lengths[tooLong]) };
    throw new Refused("privacy.tooLong", values);
  }
  return texts;
}

/** Hides what has this text in its title: the title of a song, shortened to what a rule takes. */
const hiddenTitle = {
  type: { kind: "lines" },
  as: "argument",
  placeholder: "title",
  help: "the title of a song, or a part of it",
  // That of any song that plays here.
  longest: 2_000,
  allowed: "a text that says something",
  refusal: "privacy.nameless",
  parse(text: string): string | undefined {
    const line = text.split(LINE_BREAK).find(saysSomething);
    return line && [...line.trim()].slice(0, LONGEST_LINE).join("").trimEnd();
  },
} as const satisfies Input<string>;

export const showTitle = action({
  name: "privacy show",
  help: "show songs with this title again; takes back what privacy hide did",
  who: "self",
  inputs: { title: hiddenTitle },
  async run(call, { title }) {
    const { hiddenTitles } = call.accounts.privacy.of(call.user.id);
    const kept = hiddenTitles.filter((hidden) => hidden !== title);
    return { title, rules: await change(call, { hiddenTitles: kept }) };
  },
  documents: ({ rules }) => [rules],
  notice: ({ dashboard: { privacy } }, { title }) => good(fill(privacy.shownAgain, { title })),
});

export const hideTitle = action({
  name: "privacy hide",
  help: "never show songs with this title",
  who: "self",
  inputs: { title: hiddenTitle },
  command: { examples: ["marquee privacy hide ada 'Paper Lanterns'"] },
  async run(call, { title }) {
    const { hiddenTitles } = call.accounts.privacy.of(call.user.id);
    const isNew = !hiddenTitles.includes(title);
    if (isNew && hiddenTitles.length >= MOST_LINES) {
      throw new Refused("privacy.full", { most: String(MOST_LINES) });
    }
    const hidden = isNew ? [...hiddenTitles, title] : hiddenTitles;
    return { title, isNew, rules: await change(call, { hiddenTitles: hidden }) };
  },
  documents: ({ rules }) => [rules],
  notice: ({ dashboard: { privacy, gallery } }, { title, isNew }) =>
    good(
      fill(privacy.hidden, { title }),
      // What was hidden before stays hidden.
      isNew && { undo: { action: showTitle.name, texts: { title }, label: gallery.undo } },
    ),
});

const hiddenTexts = {
  type: { kind: "lines" },
  longest: 100_000,
  placeholder: "texts",
  allowed: `up to ${MOST_LINES} lines of ${LONGEST_LINE} characters`,
  parse: readHiddenTexts,
} as const;

export const setPrivacyRules = action({
  name: "privacy rules",
  help: "never show songs whose names contain a text; what is not named stays",
  who: "self",
  inputs: {
    titles: orKept({ ...hiddenTexts, help: "texts in titles, one per line" }),
    artists: orKept({ ...hiddenTexts, help: "texts in the names of artists, one per line" }),
  },
  command: { examples: ["marquee privacy rules ada --artists 'Juniper Vale'"] },
  run(call, texts) {
    const { hiddenTitles, hiddenArtists } = call.accounts.privacy.of(call.user.id);
    const { titles = hiddenTitles, artists = hiddenArtists } = givenIn(texts);
    return change(call, { hiddenTitles: titles, hiddenArtists: artists });
  },
  documents: (rules) => [rules],
  notice: ({ dashboard }) => good(dashboard.privacy.saved),
});
