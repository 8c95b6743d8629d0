import { and, asc, eq, getTableColumns, isNull, type SQL } from "drizzle-orm";
import { writeUnique } from "../db/errors.ts";
import { users, widgets } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { isLanguage, type Language } from "../languages.ts";
import { type AccountsContext, openSealed } from "../accounts/context.ts";
import { hashCredential, type WidgetToken } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { Refused } from "../i18n/refused.ts";
import { isUsableCss, type Look, LONGEST_CSS, toLook } from "./look.ts";
import {
  addWidget,
  draftToken,
  draftWidget,
  FIRST_WIDGET,
  type NewWidget,
  type WidgetKind,
} from "./new-widget.ts";
import { forgetRemoved, restoreWidget } from "./removed-widgets.ts";
import { readRevisions, type SaveOptions, saveRevision } from "./revisions.ts";
import { createShowTokens } from "./show-tokens.ts";

/** One of a user's widgets. */
export interface Widget extends Look {
  readonly id: number;
  readonly name: string;
  readonly kind: WidgetKind;
  /** The language of its words; `null` for the one in the address. */
  readonly language: Language | null;
  /** Grows by one whenever a look is saved. */
  readonly revision: number;
  /** Unix time in milliseconds. */
  readonly updatedAt: number;
}

/** A user's widgets. All methods throw a {@link Refused} for a widget that is not the user's. */
export type Widgets = ReturnType<typeof createWidgets>;

export function createWidgets({ store, vault, wallMs }: AccountsContext) {
  const { queries } = store;

  const rowsOf = (user: User, condition?: SQL) => rowsIn(queries, user, condition);

  const firstRow = async (user: User): Promise<WidgetRow> => {
    const row = rowsOf(user).limit(1).get();
    if (row) return row;
    const first = draftWidget(vault, user.id, FIRST_WIDGET, wallMs());
    await store.write({ userId: user.id, what: "widgets" }, (tx) => addWidget(tx, user, first.row));
    return firstRow(user);
  };
  const rowOf = (user: User, id: number): WidgetRow =>
    rowsOf(user, eq(widgets.id, id)).get() ?? refuseUnknown();

  const insert = (user: User, widget: NewWidget): Promise<number> =>
    store.write({ userId: user.id, what: "widgets" }, (tx) =>
      addWidget(tx, user, draftWidget(vault, user.id, widget, wallMs()).row),
    );

  /** @throws {Refused} unless there is such a widget */
  const change = (user: User, id: number, values: Partial<WidgetRow>): Promise<void> =>
    store.write({ userId: user.id, what: "widgets" }, (tx) => {
      const changed = tx
        .update(widgets)
        .set({ ...values, updatedAt: wallMs() })
        .where(and(eq(widgets.userId, user.id), eq(widgets.id, id), isNull(widgets.removedAt)))
        .returning({ id: widgets.id })
        .get();
      if (!changed) refuseUnknown();
    });

  const openToken = ({ userId, sealedToken }: WidgetRow) =>
    vault.open("widget-token", userId, sealedToken) as WidgetToken;
  const readToken = ({ userId, sealedToken }: WidgetRow) =>
    openSealed(vault, "widget-token", userId, sealedToken) as WidgetToken | undefined;
  const byId = (user: User, id: number) => toWidget(rowOf(user, id));

  return {
    /** The widget that a token opens, and whose it is. */
    find(token: WidgetToken) {
      const found = queries
        .select({ user: getTableColumns(users), row: getTableColumns(widgets) })
        .from(widgets)
        .innerJoin(users, eq(users.id, widgets.userId))
        .where(and(eq(widgets.hash, hashCredential(token)), isNull(widgets.removedAt)))
        .get();
      return found && { user: found.user, widget: toWidget(found.row) };
    },
    /** A user's widgets, the oldest first. */
    allOf: (user: User) => rowsOf(user).all().map(toWidget),
    byId,
    /** The user's oldest widget, which is made if there is none. */
    first: async (user: User) => toWidget(await firstRow(user)),
    /** A widget's current token. @throws {SecretError} when it is damaged */
    tokenOf: (user: User, id: number) => openToken(rowOf(user, id)),
    /** As `tokenOf`; `undefined` for a damaged one, which only opens: pages at its address go on. */
    readableTokenOf: (user: User, id: number) => readToken(rowOf(user, id)),
    /** The token of the user's oldest overlay, if it can be read. A first widget is made as by `first`. */
    async overlayTokenOf(user: User) {
      await firstRow(user);
      const row = rowsOf(user, eq(widgets.kind, "overlay")).limit(1).get();
      return row && readToken(row);
    },
    /** @throws {Refused} when the name is taken, or the user has the maximum */
    async add(user: User, widget: NewWidget) {
      if (widget.look) refuseUnusableCss(widget.look);
      const id = await writeUnique(taken(widget.name), () => insert(user, widget));
      return byId(user, id);
    },
    /** @throws {Refused} when another widget has this name */
    rename: (user: User, id: number, name: string) =>
      writeUnique(taken(name), () => change(user, id, { name })),

    /** Saves a look as the next revision. @throws {Refused} when another was saved meanwhile */
    async save(user: User, id: number, look: Look, options: SaveOptions) {
      refuseUnusableCss(look);
      const { name } = rowOf(user, id);
      const row = await writeUnique(taken(options.name ?? name), () =>
        store.write({ userId: user.id, what: "widgets" }, (tx) =>
          saveRevision(tx, id, look, options, wallMs()),
        ),
      );
      if (row) return toWidget(row);
      throw new Refused("widget.changed", { name });
    },
    /** The last looks of a widget, the newest first. */
    revisionsOf(user: User, id: number) {
      rowOf(user, id);
      return readRevisions(queries, id);
    },

    /** Its address stops working at once. For a while it can be restored, unless others need its place. */
    remove: (user: User, id: number) => change(user, id, { removedAt: wallMs() }),
    /** @throws {Refused} when it is gone for good, or its name is taken */
    async restore(user: User, id: number) {
      await restoreWidget(store, user, id, wallMs());
      const row = rowsOf(user, eq(widgets.id, id)).get();
      if (!row) throw new Refused("widget.tooLate");
      return toWidget(row);
    },
    /** Deletes, of all users, what can no longer be restored. */
    forgetRemoved: () => forgetRemoved(store, wallMs()),

    /** Replaces a token: the old address stops working at once. */
    async rotate(user: User, id: number) {
      const { token, hash, sealedToken } = draftToken(vault, user.id);
      await change(user, id, { hash, sealedToken });
      return token;
    },
    ...createShowTokens({ store, vault }, rowOf, change),
  };
}

type WidgetRow = typeof widgets.$inferSelect;

/** A user's widgets that are not removed, the oldest first. */
const rowsIn = (queries: Queries, user: User, condition?: SQL) =>
  queries
    .select()
    .from(widgets)
    .where(and(eq(widgets.userId, user.id), isNull(widgets.removedAt), condition))
    .orderBy(asc(widgets.id));

const refuseUnknown = (): never => {
  throw new Refused("widget.unknown");
};

const taken = (name: string): Refused => new Refused("widget.taken", { name }, { field: "name" });

function refuseUnusableCss({ css }: Look): void {
  if (isUsableCss(css)) return;
  throw new Refused("widget.css", { most: String(LONGEST_CSS) }, { field: "css", isMisuse: true });
}

function toWidget(row: WidgetRow): Widget {
  const { id, name, kind, language, revision, updatedAt } = row;
  const known = language !== null && isLanguage(language) ? language : null;
  return { id, name, kind, language: known, revision, updatedAt, ...toLook(row) };
}
