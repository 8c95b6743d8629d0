import { and, eq, gt, lt } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import type { User } from "../accounts/users.ts";
import { naming } from "./widget-error.ts";

/** How long the removal of a widget can be undone, in milliseconds. */
export const UNDO_MS = 60_000;

/** @throws {WidgetError} when the widget's name is taken. One that is gone for good stays so. */
export async function restoreWidget(
  { queries, atomically, tables: { widgets } }: Store,
  user: User,
  id: number,
  nowMs: number,
): Promise<void> {
  const isWidget = and(eq(widgets.userId, user.id), eq(widgets.id, id));
  const [row] = await queries.select({ name: widgets.name }).from(widgets).where(isWidget);
  const isRestorable = and(isWidget, gt(widgets.removedAt, nowMs - UNDO_MS));
  await naming(user, row?.name ?? "", () =>
    atomically((writer) => [writer.update(widgets).set({ removedAt: null }).where(isRestorable)]),
  );
}

/** Deletes, of all users, what can no longer be restored. @param nowMs Unix time in ms */
export async function forgetRemoved(store: Store, nowMs: number): Promise<void> {
  const { queries, atomically } = store;
  const { widgets } = store.tables;
  const over = lt(widgets.removedAt, nowMs - UNDO_MS);
  const [found] = await queries.select({ id: widgets.id }).from(widgets).where(over).limit(1);
  // A write would wait for other writers, even if it changes nothing.
  if (found) await atomically((writer) => [writer.delete(widgets).where(over)]);
}
