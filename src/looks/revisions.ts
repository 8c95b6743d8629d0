import { and, desc, eq, notInArray, sql } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import { type Statement, step, type Store, type Writer } from "../db/store.ts";
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
}

const MOST_REVISIONS = 50;
/** Of looks that were saved while editing, one in this time stays in the history. */
const PASSING_MS = 60_000;

/** Saves a look as the next revision; `undefined` when the widget has another than `basedOn`. */
export function* saveRevision(
  { widgets, widgetRevisions }: Schema,
  writer: Writer,
  widgetId: number,
  look: Look,
  { basedOn, isPassing = false }: SaveOptions,
  savedAt: number,
) {
  const columns = toColumns(look);
  const revision = basedOn + 1;
  const [changed] = yield* step(
    writer
      .update(widgets)
      .set({ ...columns, revision, updatedAt: savedAt })
      .where(and(eq(widgets.id, widgetId), eq(widgets.revision, basedOn)))
      .returning(),
  );
  if (!changed) return undefined;
  if (isPassing) yield* step(dropPassing(widgetRevisions, writer, widgetId, basedOn));
  yield* step(
    writer.insert(widgetRevisions).values({ ...columns, widgetId, revision, savedAt, isPassing }),
  );
  const ofWidget = eq(widgetRevisions.widgetId, widgetId);
  const newest = writer
    .select({ id: widgetRevisions.id })
    .from(widgetRevisions)
    .where(ofWidget)
    .orderBy(desc(widgetRevisions.revision))
    .limit(MOST_REVISIONS);
  yield* step(
    writer.delete(widgetRevisions).where(and(ofWidget, notInArray(widgetRevisions.id, newest))),
  );
  return changed;
}

/** The last looks of a widget, the newest first. */
export async function readRevisions(
  { queries, tables: { widgetRevisions } }: Pick<Store, "queries" | "tables">,
  widgetId: number,
): Promise<readonly WidgetRevision[]> {
  const rows = await queries
    .select()
    .from(widgetRevisions)
    .where(eq(widgetRevisions.widgetId, widgetId))
    .orderBy(desc(widgetRevisions.revision));
  return rows.map((row) => ({ ...toLook(row), revision: row.revision, savedAt: row.savedAt }));
}

/** The first look of a widget that is stored by the statement before. */
export function insertFirstRevision(
  { widgets, widgetRevisions }: Schema,
  writer: Writer,
  {
    hash,
    options,
    css,
    width,
    height,
    createdAt,
  }: LookColumns & Pick<Schema["widgets"]["$inferSelect"], "hash" | "createdAt">,
): Statement {
  const widgetId = sql<number>`(SELECT id FROM ${widgets} WHERE hash = ${hash})`;
  return writer
    .insert(widgetRevisions)
    .values({ widgetId, revision: 1, options, css, width, height, savedAt: createdAt });
}

/** Deletes a look that was saved while editing, if the one before it is younger than a minute. */
function dropPassing(
  widgetRevisions: Schema["widgetRevisions"],
  writer: Writer,
  widgetId: number,
  revision: number,
): Statement {
  const before = sql`(SELECT max(earlier.saved_at) FROM ${widgetRevisions} AS earlier
    WHERE earlier.widget_id = ${widgetId} AND earlier.revision < ${revision})`;
  return writer
    .delete(widgetRevisions)
    .where(
      and(
        eq(widgetRevisions.widgetId, widgetId),
        eq(widgetRevisions.revision, revision),
        eq(widgetRevisions.isPassing, true),
        sql`${widgetRevisions.savedAt} - ${before} < ${PASSING_MS}`,
      ),
    );
}
