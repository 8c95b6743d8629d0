import { and, eq, isNotNull, or, sql } from "drizzle-orm";
import { connections, privacy, users } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { lazily, oncePerObject } from "../once.ts";
import { givenNames, type NamedSong } from "../playback.ts";
import { toComparable } from "../titles/comparable.ts";
import { isPhrase } from "../titles/phrases.ts";
import { AS_GIVEN, CLEANED, cleaned, type TitleRules } from "../titles/shown-names.ts";
import type { AccountsContext } from "./context.ts";
import type { User } from "./users.ts";

/** What a user hides from everybody, everywhere, and how the rest is named. */
export interface PrivacyRules {
  /** Nothing is shown until then (Unix ms); {@link UNTIL_RESUMED} until the user resumes. */
  readonly pausedUntil: number | null;
  /** A title that contains one of these is not shown; case and accents are ignored. */
  readonly hiddenTitles: readonly string[];
  /** The same for any of the artists. */
  readonly hiddenArtists: readonly string[];
  readonly titles: TitleRules;
  /** Whether covers are looked for elsewhere that the player lacks. */
  readonly searchesCovers: boolean;
  /** The connections whose own covers are replaced by those that are found. */
  readonly replacesCoversOf: ReadonlySet<number>;
}

/** The latest time that a `Date` can hold. */
export const UNTIL_RESUMED = 8_640_000_000_000_000;

export const NOTHING_HIDDEN: PrivacyRules = {
  pausedUntil: null,
  hiddenTitles: [],
  hiddenArtists: [],
  titles: AS_GIVEN,
  searchesCovers: false,
  replacesCoversOf: new Set(),
};

/** The rules of a new user. */
const AT_FIRST: PrivacyRules = { ...NOTHING_HIDDEN, titles: CLEANED };

const DAMAGED =
  'a user\'s row of the table "privacy" is damaged, so nothing is shown of the user\'s music: share it again in the dashboard, or with "marquee privacy resume", and enter again what is hidden';

export function createPrivacy({ store, log }: AccountsContext) {
  const { queries } = store;
  const known = new Map<number, PrivacyRules>();

  /** Each user's first request needs them. */
  const prepared = lazily(() => {
    const { id, userId, cleansTitles, replacesCovers } = connections;
    const ofUser = sql.placeholder("userId");
    return {
      rules: queries.select().from(privacy).where(eq(privacy.userId, ofUser)).prepare(),
      choices: queries
        .select({ id, cleansTitles, replacesCovers })
        .from(connections)
        .where(and(eq(userId, ofUser), or(isNotNull(cleansTitles), eq(replacesCovers, true))))
        .prepare(),
    };
  });

  /** What a row says. Where that cannot be read, nothing is shown: it may have been to be hidden. */
  const storedRules = (userId: number): PrivacyRules => {
    const row = prepared().rules.get({ userId });
    const rules = row ? toRules(row) : NOTHING_HIDDEN;
    if (rules) return rules;
    const user = queries.select().from(users).where(eq(users.id, userId)).get()?.name;
    log?.error(DAMAGED, { user, user_id: userId });
    return { ...NOTHING_HIDDEN, pausedUntil: UNTIL_RESUMED };
  };
  const read = (userId: number): PrivacyRules => {
    const rules = storedRules(userId);
    const chosen = prepared().choices.all({ userId });
    if (chosen.length === 0) return rules;
    const ofConnections = new Map(
      chosen.flatMap(({ id, cleansTitles: isOn }) => (isOn === null ? [] : [[id, isOn]])),
    );
    const replacing = chosen.filter((one) => one.replacesCovers);
    return {
      ...rules,
      titles: { ...rules.titles, ofConnections },
      replacesCoversOf: new Set(replacing.map(({ id }) => id)),
    };
  };

  /** Synchronous, and from memory once it was asked for: every answer needs it. */
  const of = (userId: number): PrivacyRules => {
    const before = known.get(userId);
    if (before) return before;
    const rules = read(userId);
    known.set(userId, rules);
    return rules;
  };
  return {
    of,
    /** What is not named stays; so do the choices of single connections, which are stored with them. */
    change: ({ id: userId }: Pick<User, "id">, changes: Partial<PrivacyRules>) =>
      store.write({ userId, what: "privacy" }, (tx) => {
        const set = columnsOf({ ...of(userId), ...changes });
        tx.insert(privacy)
          .values({ userId, ...set })
          .onConflictDoUpdate({ target: privacy.userId, set })
          .run();
      }),
    /** Forgets the rules of a user, or of all, because the database has changed. */
    forget(userId: number | undefined) {
      if (userId === undefined) known.clear();
      else known.delete(userId);
    },
  };
}

/** Gives a new user the rules to begin with. */
export const insertRules = (tx: Queries, userId: number): void =>
  tx
    .insert(privacy)
    .values({ userId, ...columnsOf(AT_FIRST) })
    .run();

const columnsOf = (rules: PrivacyRules) => ({
  pausedUntil: rules.pausedUntil,
  hiddenTitles: rules.hiddenTitles,
  hiddenArtists: rules.hiddenArtists,
  cleansTitles: rules.titles.isOn,
  phrases: rules.titles.phrases,
  searchesCovers: rules.searchesCovers,
});

/** Most users share one of two objects. `undefined` for lists that only somebody else can have stored. */
function toRules(row: typeof privacy.$inferSelect): PrivacyRules | undefined {
  const { hiddenTitles, hiddenArtists, phrases } = row;
  if (!areTexts(hiddenTitles) || !areTexts(hiddenArtists) || !Array.isArray(phrases)) {
    return undefined;
  }
  const rules: PrivacyRules = {
    pausedUntil: row.pausedUntil,
    hiddenTitles,
    hiddenArtists,
    titles: { ...AS_GIVEN, isOn: row.cleansTitles, phrases: phrases.filter(isPhrase) },
    searchesCovers: row.searchesCovers,
    replacesCoversOf: NOTHING_HIDDEN.replacesCoversOf,
  };
  return [AT_FIRST, NOTHING_HIDDEN].find((usual) => Bun.deepEquals(usual, rules)) ?? rules;
}

const areTexts = (list: unknown): list is readonly string[] =>
  Array.isArray(list) && list.every((text) => typeof text === "string");

/** Whether nothing is shown at a Unix time in milliseconds. */
export const isSharingPaused = ({ pausedUntil }: PrivacyRules, wallMs: number): boolean =>
  pausedUntil !== null && wallMs < pausedUntil;

/** Whether rules hide a playback with these names; ignores pauses. */
export function hidesTrack(rules: PrivacyRules, names: NamedSong): boolean {
  const hidden = comparableRules(rules);
  // Most users hide nothing: their names need no conversion.
  if (hidden.titles.length === 0 && hidden.artists.length === 0) return false;
  const { titles, artists } = comparableNames(names);
  return (
    hidden.titles.some((part) => titles.includes(part)) ||
    hidden.artists.some((part) => artists.includes(part))
  );
}

const comparableRules = oncePerObject(({ hiddenTitles, hiddenArtists }: PrivacyRules) => ({
  titles: hiddenTitles.map(toComparable).filter((text) => text !== ""),
  artists: hiddenArtists.map(toComparable).filter((text) => text !== ""),
}));

/** Stands between names that are compared together. A rule is one line, so none matches across two names. */
const BETWEEN_NAMES = "\n";

/** What is hidden stays hidden whether titles are cleaned or not. */
const comparableNames = oncePerObject((song: NamedSong) => {
  const given = givenNames(song);
  const shown = { title: song.track.title, artists: song.artists };
  const names = [shown, given, cleaned(given, song.namesFrom, [])];
  const titles = new Set(names.map(({ title }) => title));
  const artists = new Set(names.flatMap((one) => one.artists));
  // One conversion of all names costs far less than one for each.
  const together = (all: Set<string>) => toComparable([...all].join(BETWEEN_NAMES));
  return { titles: together(titles), artists: together(artists) };
});
