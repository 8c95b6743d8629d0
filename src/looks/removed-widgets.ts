import { and, eq, gt, lt } from "drizzle-orm";
import { writeUnique } from "../db/errors.ts";
import { widgets } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { User } from "../accounts/users.ts";
import { Refused } from "../i18n/refused.ts";

/** How long the removal of a widget can be undone, in milliseconds. */
export const UNDO_MS = 60_000;

/** @throws {Refused} when the widget's name is taken. One that is gone for good stays so. */
export async function restoreWidget(
  { write }: Store,
  user: User,
  id: number,
  nowMs: number,
): Promise<void> {
  const isWidget = and(eq(widgets.userId, user.id), eq(widgets.id, id));
  const isRestorable = and(isWidget, gt(widgets.removedAt, nowMs - UNDO_MS));
  await writeUnique(new Refused("widget.nameInUse"), () =>
    write({ userId: user.id, what: "widgets" }, (tx) =>
      tx.update(widgets).set({ removedAt: null }).where(isRestorable).run(),
    ),
  );
}

/** Deletes, of all users, what can no longer be restored. @param nowMs Unix time in ms */
export const forgetRemoved = ({ queries }: Store, nowMs: number): void =>
  queries
    .delete(widgets)
    .where(lt(widgets.removedAt, nowMs - UNDO_MS))
    .run();
