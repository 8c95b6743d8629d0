import { and, desc, eq, inArray } from "drizzle-orm";
import { widgetRevisions, widgets } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import type { Language } from "../languages.ts";
import { type Look, type LookColumns, toColumns, toLook } from "./look.ts";

/** A look that a widget has or had. */
export interface WidgetRevision extends Look {
  readonly revision: number;
  /** Unix time in milliseconds. */
  readonly savedAt: number;
}

export interface SaveOptions {
  /** The revision that was edited: another one meanwhile refuses the save. */
  readonly basedOn: number;
  /** Whether the user goes on editing: of such looks only one a minute stays in the history. */
  readonly isPassing?: boolean;
  /** What the widget is called from then on. */
  readonly name?: string;
  /** The language of its words from then on. */
  readonly language?: Language | null;
}

const MOST_REVISIONS = 50;
/** Of looks that were saved while editing, one in this time stays in the history. */
const PASSING_MS = 60_000;

/**
 * Saves a look as the next revision, unless it is the one that the widget has.
 * `undefined` when the widget has another revision than `basedOn`.
 */
export function saveRevision(
  tx: Queries,
  widgetId: number,
  look: Look,
  { basedOn, isPassing = false, name, language }: SaveOptions,
  savedAt: number,
): typeof widgets.$inferSelect | undefined {
  const columns = toColumns(look);
  const isEdited = and(eq(widgets.id, widgetId), eq(widgets.revision, basedOn));
  const edited = tx.select().from(widgets).where(isEdited).get();
  if (!edited) return undefined;
  const isSame = Bun.deepEquals(toLook(edited), toLook(columns));
  const revision = isSame ? basedOn : basedOn + 1;
  const changed = tx
    .update(widgets)
    .set({ ...columns, name, language, revision, updatedAt: savedAt })
    .where(isEdited)
    .returning()
    .get();
  if (isSame) return changed;
  const [last, before] = rowsOf(tx, widgetId);
  // Of looks that were saved while editing, one a minute stays.
  const isReplaced =
    isPassing && last?.isPassing && before && last.savedAt - before.savedAt < PASSING_MS;
  if (isReplaced) tx.delete(widgetRevisions).where(eq(widgetRevisions.id, last.id)).run();
  tx.insert(widgetRevisions)
    .values({ ...columns, widgetId, revision, savedAt, isPassing })
    .run();
  const old = rowsOf(tx, widgetId).slice(MOST_REVISIONS);
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) tx.delete(widgetRevisions).where(inArray(widgetRevisions.id, ids)).run();
  return changed;
}

/** The last looks of a widget, the newest first. */
export const readRevisions = (queries: Queries, widgetId: number): readonly WidgetRevision[] =>
  queries
    .select()
    .from(widgetRevisions)
    .where(eq(widgetRevisions.widgetId, widgetId))
    .orderBy(desc(widgetRevisions.revision))
    .all()
    .map((row) => ({ ...toLook(row), revision: row.revision, savedAt: row.savedAt }));

/** The first look of a widget. */
export function insertFirstRevision(
  tx: Queries,
  widgetId: number,
  { options, css, width, height, createdAt: savedAt }: LookColumns & { readonly createdAt: number },
): void {
  const columns = { options, css, width, height };
  tx.insert(widgetRevisions)
    .values({ ...columns, widgetId, revision: 1, savedAt })
    .run();
}

/** What a save has to know of the looks of a widget, the newest first. */
const rowsOf = (tx: Queries, widgetId: number) =>
  tx
    .select({
      id: widgetRevisions.id,
      savedAt: widgetRevisions.savedAt,
      isPassing: widgetRevisions.isPassing,
    })
    .from(widgetRevisions)
    .where(eq(widgetRevisions.widgetId, widgetId))
    .orderBy(desc(widgetRevisions.revision))
    .all();
