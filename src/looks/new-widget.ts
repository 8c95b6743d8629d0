import { desc, eq, inArray } from "drizzle-orm";
import { widgets } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import type { Language } from "../languages.ts";
import { createWidgetToken, hashCredential } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { Refused } from "../i18n/refused.ts";
import type { Vault } from "../vault/vault.ts";
import { type Look, NEW_OVERLAY_LOOK, PLAIN_LOOK, toColumns } from "./look.ts";
import { insertFirstRevision } from "./revisions.ts";

/** The maximum of widgets per user, with those that can be restored: each may hold a megabyte. */
export const MOST_WIDGETS = 20;

export const WIDGET_KINDS = ["overlay", "text", "card"] as const;
export type WidgetKind = (typeof WIDGET_KINDS)[number];

/** The widget that every user begins with. */
export const FIRST_WIDGET_NAME = "Main";

export interface NewWidget {
  readonly name: string;
  readonly kind: WidgetKind;
  readonly language?: Language | null;
  /** By default what such a widget begins with. */
  readonly look?: Look;
}

export const FIRST_WIDGET: NewWidget = { name: FIRST_WIDGET_NAME, kind: "overlay" };

/** A new token, with what is stored of it. */
export function draftToken(vault: Vault, userId: number) {
  const token = createWidgetToken();
  const sealedToken = vault.seal("widget-token", userId, token);
  return { token, hash: hashCredential(token), sealedToken };
}

/** A widget with a new token, and the row that stores it. */
export function draftWidget(
  vault: Vault,
  userId: number,
  { name, kind, language = null, look }: NewWidget,
  createdAt: number,
) {
  const firstLook = look ?? (kind === "overlay" ? NEW_OVERLAY_LOOK : PLAIN_LOOK);
  const { token, hash, sealedToken } = draftToken(vault, userId);
  const row = {
    ...toColumns(firstLook),
    userId,
    name,
    kind,
    language,
    hash,
    sealedToken,
    createdAt,
    updatedAt: createdAt,
  };
  return { token, row };
}

/** A user's first widget, and the row that stores it. */
export const draftFirstWidget = (vault: Vault, userId: number, createdAt: number) =>
  draftWidget(vault, userId, FIRST_WIDGET, createdAt);

type NewWidgetRow = ReturnType<typeof draftWidget>["row"];

/** Stores a drafted widget with its first look, and returns its ID. */
export function insertWidget(tx: Queries, row: NewWidgetRow): number {
  const { id } = tx.insert(widgets).values(row).returning({ id: widgets.id }).get();
  insertFirstRevision(tx, id, row);
  return id;
}

/** Stores one more widget, and returns its ID. @throws {Refused} when there are too many */
export function addWidget(tx: Queries, user: User, row: NewWidgetRow): number {
  const rows = tx
    .select({ id: widgets.id, removedAt: widgets.removedAt })
    .from(widgets)
    .where(eq(widgets.userId, user.id))
    .orderBy(desc(widgets.removedAt))
    .all();
  const removed = rows.filter(({ removedAt }) => removedAt !== null);
  const present = rows.length - removed.length;
  if (present >= MOST_WIDGETS) throw new Refused("widget.tooMany", { most: String(MOST_WIDGETS) });
  // Those that can be restored take up room: the one that was removed first makes way.
  const gone = removed.slice(MOST_WIDGETS - 1 - present).map(({ id }) => id);
  if (gone.length > 0) tx.delete(widgets).where(inArray(widgets.id, gone)).run();
  return insertWidget(tx, row);
}
