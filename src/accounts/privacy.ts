import { eq } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import type { Playback } from "../playback.ts";
import type { AccountsContext } from "./context.ts";
import type { User } from "./users.ts";

/** What a user hides from everybody, everywhere. */
export interface PrivacyRules {
  /** Nothing is shown until then (Unix ms); {@link UNTIL_RESUMED} until the user resumes. */
  readonly pausedUntil: number | null;
  /** A title that contains one of these is not shown; case and accents are ignored. */
  readonly hiddenTitles: readonly string[];
  /** The same for any of the artists. */
  readonly hiddenArtists: readonly string[];
}

/** The latest time that a `Date` can hold. */
export const UNTIL_RESUMED = 8_640_000_000_000_000;

export const NOTHING_HIDDEN: PrivacyRules = {
  pausedUntil: null,
  hiddenTitles: [],
  hiddenArtists: [],
};

export interface Privacy {
  /** Synchronous, from memory: every answer needs it. */
  of(userId: number): PrivacyRules;
  change(user: Pick<User, "id">, rules: PrivacyRules): Promise<void>;
  /** Reloads the rules of a user, or of all, after the database changed. */
  reload(userId: number | undefined): Promise<void>;
}

export async function createPrivacy({ store }: AccountsContext): Promise<Privacy> {
  const { privacy } = store.tables;
  const known = new Map<number, PrivacyRules>();

  const reload: Privacy["reload"] = async (userId) => {
    const rows = await store.queries
      .select()
      .from(privacy)
      .where(userId === undefined ? undefined : eq(privacy.userId, userId));
    if (userId === undefined) known.clear();
    else known.delete(userId);
    for (const row of rows) known.set(row.userId, toRules(row));
  };
  await reload(undefined);

  return {
    of: (userId) => known.get(userId) ?? NOTHING_HIDDEN,
    async change({ id: userId }, rules) {
      const row = {
        userId,
        pausedUntil: rules.pausedUntil,
        hiddenTitles: JSON.stringify(rules.hiddenTitles),
        hiddenArtists: JSON.stringify(rules.hiddenArtists),
      };
      await store.atomically((writer) => [
        writer.insert(privacy).values(row).onConflictDoUpdate({ target: privacy.userId, set: row }),
      ]);
    },
    reload,
  };
}

function toRules(row: Schema["privacy"]["$inferSelect"]): PrivacyRules {
  return {
    pausedUntil: row.pausedUntil,
    hiddenTitles: parseTexts(row.hiddenTitles),
    hiddenArtists: parseTexts(row.hiddenArtists),
  };
}

function parseTexts(json: string): string[] {
  const texts: unknown = JSON.parse(json);
  return Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
}

/** Whether nothing is shown at a Unix time in milliseconds. */
export const isSharingPaused = ({ pausedUntil }: PrivacyRules, wallMs: number): boolean =>
  pausedUntil !== null && wallMs < pausedUntil;

/** The names of a playback that rules are compared with. */
interface Names extends Pick<Playback, "artists"> {
  readonly track: Pick<Playback["track"], "title">;
}

/** Whether rules hide a playback with these names; ignores pauses. */
export function hidesTrack(rules: PrivacyRules, names: Names): boolean {
  const hidden = comparableRules(rules);
  // Most users hide nothing: their names need no conversion.
  if (hidden.titles.length === 0 && hidden.artists.length === 0) return false;
  const { title, artists } = comparableNames(names);
  return (
    hidden.titles.some((part) => title.includes(part)) ||
    hidden.artists.some((part) => artists.some((artist) => artist.includes(part)))
  );
}

const comparableRules = oncePerObject(({ hiddenTitles, hiddenArtists }: PrivacyRules) => ({
  titles: hiddenTitles.map(toComparable).filter((text) => text !== ""),
  artists: hiddenArtists.map(toComparable).filter((text) => text !== ""),
}));

const comparableNames = oncePerObject(({ track, artists }: Names) => ({
  title: toComparable(track.title),
  artists: artists.map(toComparable),
}));

/** Caches the result for an object while the object lives: the same ones are compared often. */
function oncePerObject<From extends object, Made>(make: (from: From) => Made) {
  const made = new WeakMap<From, Made>();
  return (from: From): Made => {
    const known = made.get(from);
    if (known !== undefined) return known;
    const fresh = make(from);
    made.set(from, fresh);
    return fresh;
  };
}

/** Without case and accents. Upper case first turns ß into SS; ς becomes σ. */
function toComparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .trim();
}
