import { and, eq, isNotNull, or } from "drizzle-orm";
import { connections, privacy } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { oncePerObject } from "../once.ts";
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

export function createPrivacy({ store }: AccountsContext) {
  const known = new Map<number, PrivacyRules>();

  /** Reloads the rules of a user, or of all, after the database changed. */
  const reload = (userId: number | undefined) => {
    const rows = store.queries
      .select()
      .from(privacy)
      .where(userId === undefined ? undefined : eq(privacy.userId, userId))
      .all();
    const choices = store.queries
      .select({
        id: connections.id,
        userId: connections.userId,
        cleansTitles: connections.cleansTitles,
        replacesCovers: connections.replacesCovers,
      })
      .from(connections)
      .where(
        and(
          or(isNotNull(connections.cleansTitles), eq(connections.replacesCovers, true)),
          userId === undefined ? undefined : eq(connections.userId, userId),
        ),
      )
      .all();
    if (userId === undefined) known.clear();
    else known.delete(userId);
    for (const row of rows) known.set(row.userId, toRules(row));
    for (const [id, chosen] of Map.groupBy(choices, (choice) => choice.userId)) {
      const rules = known.get(id) ?? NOTHING_HIDDEN;
      const ofConnections = new Map(
        chosen.flatMap(({ id: of, cleansTitles: isOn }) => (isOn === null ? [] : [[of, isOn]])),
      );
      const replacesCoversOf = new Set(
        chosen.filter((one) => one.replacesCovers).map((one) => one.id),
      );
      known.set(id, { ...rules, titles: { ...rules.titles, ofConnections }, replacesCoversOf });
    }
  };
  reload(undefined);

  /** Synchronous, from memory: every answer needs it. */
  const of = (userId: number): PrivacyRules => known.get(userId) ?? NOTHING_HIDDEN;
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
    reload,
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

/** Most users share one of two objects. */
function toRules(row: typeof privacy.$inferSelect): PrivacyRules {
  const rules: PrivacyRules = {
    pausedUntil: row.pausedUntil,
    hiddenTitles: row.hiddenTitles,
    hiddenArtists: row.hiddenArtists,
    titles: { ...AS_GIVEN, isOn: row.cleansTitles, phrases: row.phrases.filter(isPhrase) },
    searchesCovers: row.searchesCovers,
    replacesCoversOf: NOTHING_HIDDEN.replacesCoversOf,
  };
  return [AT_FIRST, NOTHING_HIDDEN].find((usual) => Bun.deepEquals(usual, rules)) ?? rules;
}

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
