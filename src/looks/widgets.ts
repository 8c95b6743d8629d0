import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  isNull,
  lt,
  notInArray,
  type SQL,
  sql,
} from "drizzle-orm";
import { isNotUnique } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import { type Statement, step, type Writer } from "../db/store.ts";
import { isLanguage, type Language } from "../languages.ts";
import { AccountError, type AccountsContext, storeSealed } from "../accounts/context.ts";
import { createWidgetToken, hashCredential, type WidgetToken } from "../accounts/credential.ts";
import type { Vault } from "../vault/secrets.ts";
import type { User } from "../accounts/users.ts";

export const WIDGET_KINDS = ["overlay", "text", "card"] as const;
export type WidgetKind = (typeof WIDGET_KINDS)[number];

/** How a widget looks, as it is saved. */
export interface Look {
  /** Names and texts of options, as in an address: only those that differ from the defaults. */
  readonly options: Readonly<Record<string, string>>;
  readonly css: string;
  /** Size of the browser source in pixels; `null` for what fits the options. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

export const PLAIN_LOOK: Look = { options: {}, css: "", size: null };

/** One of a user's widgets. */
export interface Widget extends Look {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly kind: WidgetKind;
  /** The language of its words; `null` for the one in the address. */
  readonly language: Language | null;
  /** Grows by one whenever a look is saved. */
  readonly revision: number;
  /** Unix time in milliseconds. */
  readonly updatedAt: number;
}

/** A look that a widget has or had. */
export interface WidgetRevision extends Look {
  readonly revision: number;
  /** Unix time in milliseconds. */
  readonly savedAt: number;
}

export interface NewWidget {
  readonly name: string;
  readonly kind: WidgetKind;
  readonly language?: Language | null;
  readonly look?: Look;
}

export interface SaveOptions {
  /** The revision that was edited: another one meanwhile refuses the save. */
  readonly basedOn: number;
  /** Whether the user goes on editing: of such looks only one a minute stays in the history. */
  readonly isPassing?: boolean;
}

/** The maximum of widgets per user, with those that can be restored: each may hold a megabyte. */
export const MOST_WIDGETS = 20;
/** In bytes of UTF-8. */
export const LONGEST_CSS = 20 * 1024;
/** How long the removal of a widget can be undone, in milliseconds. */
export const UNDO_MS = 60_000;
const MOST_REVISIONS = 50;
/** Of looks that were saved while editing, one in this time stays in the history. */
const PASSING_MS = 60_000;
/** The widget that every user begins with. */
export const FIRST_WIDGET_NAME = "Main";

/** A widget cannot be changed that way; the message says why. */
export class WidgetError extends AccountError {
  readonly reason: "unknown" | "name taken" | "too many" | "changed meanwhile" | "css too long";
  constructor(reason: WidgetError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A user's widgets. All methods throw a {@link WidgetError} for a widget that is not the user's. */
export interface Widgets {
  /** The widget that a token opens, and whose it is. */
  find(token: WidgetToken): Promise<{ readonly user: User; readonly widget: Widget } | undefined>;
  /** A user's widgets, the oldest first. */
  allOf(user: User): Promise<readonly Widget[]>;
  byId(user: User, id: number): Promise<Widget>;
  /** The user's oldest widget, which is made if there is none. */
  first(user: User): Promise<Widget>;
  /** A widget's current token. @param id without it, the first widget's */
  tokenOf(user: User, id?: number): Promise<WidgetToken>;
  /** @throws {WidgetError} when the name is taken, or the user has the maximum, removed ones included */
  add(user: User, widget: NewWidget): Promise<Widget>;
  /** @throws {WidgetError} when another widget has this name */
  rename(user: User, id: number, name: string): Promise<void>;
  setLanguage(user: User, id: number, language: Language | null): Promise<void>;
  /** Saves a look as the next revision. @throws {WidgetError} when another was saved meanwhile */
  save(user: User, id: number, look: Look, options: SaveOptions): Promise<Widget>;
  /** The last looks of a widget, the newest first. */
  revisionsOf(user: User, id: number): Promise<readonly WidgetRevision[]>;
  /** Its address stops working at once. For {@link UNDO_MS} it can be restored, and keeps its place. */
  remove(user: User, id: number): Promise<void>;
  /** @throws {WidgetError} when it is gone for good, or its name is taken */
  restore(user: User, id: number): Promise<Widget>;
  /** Deletes, of all users, what can no longer be restored. */
  forgetRemoved(): Promise<void>;
  /** Replaces a token: the old address stops working at once. @param id as for `tokenOf` */
  rotate(user: User, id?: number): Promise<WidgetToken>;
  /** @throws {SecretError} when the user's tokens were sealed under another key */
  proveKey(user: User): Promise<void>;
}

export function createWidgets({ store, vault, wallMs }: AccountsContext): Widgets {
  const { queries, atomically, exclusively, tables } = store;
  const { users, widgetRevisions, widgets } = tables;

  const rowsOf = (user: User, condition?: SQL) =>
    queries
      .select()
      .from(widgets)
      .where(and(eq(widgets.userId, user.id), isNull(widgets.removedAt), condition))
      .orderBy(asc(widgets.id));

  const firstRow = async (user: User): Promise<WidgetRow> => {
    const [row] = await rowsOf(user).limit(1);
    if (row) return row;
    try {
      await insert(user, { name: FIRST_WIDGET_NAME, kind: "overlay" });
    } catch (error) {
      // Another request has made it at this moment.
      if (!isNotUnique(error)) throw error;
    }
    return firstRow(user);
  };
  const rowOf = async (user: User, id: number | undefined): Promise<WidgetRow> => {
    if (id === undefined) return firstRow(user);
    const [row] = await rowsOf(user, eq(widgets.id, id));
    return row ?? refuseId(user, id);
  };

  const refuseId = (user: User, id: number): never => {
    throw new WidgetError(
      "unknown",
      `${user.name} has no widget ${id}. "marquee widget list ${user.name}" shows them.`,
    );
  };
  const refuseMore = (user: User): never => {
    throw new WidgetError(
      "too many",
      `${user.name} has ${MOST_WIDGETS} widgets, which is the most there may be. Remove one, "marquee widget remove ${user.name} ID", and try again a minute later: until then it keeps its place.`,
    );
  };
  /** Two widgets of a user may not have the same name. */
  const naming = async <Result>(user: User, name: string, write: () => Promise<Result>) => {
    try {
      return await write();
    } catch (error) {
      if (!isNotUnique(error)) throw error;
      throw new WidgetError("name taken", `${user.name} has a widget named "${name}" already.`);
    }
  };
  const refuseLongCss = ({ css }: Look) => {
    if (Buffer.byteLength(css) <= LONGEST_CSS) return;
    throw new WidgetError("css too long", `The CSS must be at most ${LONGEST_CSS} bytes.`);
  };

  /** Which widgets can no longer be restored. */
  const isOver = () => lt(widgets.removedAt, wallMs() - UNDO_MS);

  const insert = (user: User, widget: NewWidget): Promise<number> =>
    storeSealed(vault, async () => {
      const { row } = await draftWidget(vault, user.id, widget, wallMs());
      return exclusively(function* (writer) {
        const ofUser = eq(widgets.userId, user.id);
        yield* step(writer.delete(widgets).where(and(ofUser, isOver())));
        const [{ many } = { many: 0 }] = yield* step(
          writer.select({ many: count() }).from(widgets).where(ofUser),
        );
        if (many >= MOST_WIDGETS) refuseMore(user);
        const added = yield* step(writer.insert(widgets).values(row).returning({ id: widgets.id }));
        yield* step(insertFirstRevision(tables, writer, row));
        return added[0]?.id ?? 0;
      });
    });

  /** Changes a widget that is there, and says whether it was. */
  const change = async (user: User, id: number, values: Partial<WidgetRow>) => {
    const [changed] = await atomically((writer) => [
      writer
        .update(widgets)
        .set({ ...values, updatedAt: wallMs() })
        .where(and(eq(widgets.userId, user.id), eq(widgets.id, id), isNull(widgets.removedAt)))
        .returning({ id: widgets.id }),
    ]);
    if (changed.length === 0) refuseId(user, id);
  };

  const byId = async (user: User, id: number) => toWidget(await rowOf(user, id));

  return {
    async find(token) {
      const [found] = await queries
        .select({ user: getTableColumns(users), row: getTableColumns(widgets) })
        .from(widgets)
        .innerJoin(users, eq(users.id, widgets.userId))
        .where(and(eq(widgets.hash, hashCredential(token)), isNull(widgets.removedAt)));
      return found && { user: found.user, widget: toWidget(found.row) };
    },
    allOf: async (user) => (await rowsOf(user)).map(toWidget),
    byId,
    first: async (user) => toWidget(await firstRow(user)),
    async tokenOf(user, id) {
      const { sealedToken } = await rowOf(user, id);
      return (await vault.open("widget-token", user.id, sealedToken)) as WidgetToken;
    },
    async add(user, widget) {
      if (widget.look) refuseLongCss(widget.look);
      const id = await naming(user, widget.name, () => insert(user, widget));
      return byId(user, id);
    },
    rename: (user, id, name) => naming(user, name, () => change(user, id, { name })),
    setLanguage: (user, id, language) => change(user, id, { language }),

    async save(user, id, look, { basedOn, isPassing = false }) {
      refuseLongCss(look);
      await rowOf(user, id);
      const savedAt = wallMs();
      const columns = toColumns(look);
      const revision = basedOn + 1;
      const ofWidget = eq(widgetRevisions.widgetId, id);
      const row = await exclusively(function* (writer) {
        const [changed] = yield* step(
          writer
            .update(widgets)
            .set({ ...columns, revision, updatedAt: savedAt })
            .where(and(eq(widgets.id, id), eq(widgets.revision, basedOn)))
            .returning(),
        );
        if (!changed) return undefined;
        if (isPassing) yield* step(dropPassing(tables, writer, id, basedOn));
        yield* step(
          writer
            .insert(widgetRevisions)
            .values({ ...columns, widgetId: id, revision, savedAt, isPassing }),
        );
        const newest = writer
          .select({ id: widgetRevisions.id })
          .from(widgetRevisions)
          .where(ofWidget)
          .orderBy(desc(widgetRevisions.revision))
          .limit(MOST_REVISIONS);
        yield* step(
          writer
            .delete(widgetRevisions)
            .where(and(ofWidget, notInArray(widgetRevisions.id, newest))),
        );
        return changed;
      });
      if (row) return toWidget(row);
      throw new WidgetError(
        "changed meanwhile",
        `The widget ${id} was changed meanwhile. Look at it again before saving.`,
      );
    },
    async revisionsOf(user, id) {
      await rowOf(user, id);
      const rows = await queries
        .select()
        .from(widgetRevisions)
        .where(eq(widgetRevisions.widgetId, id))
        .orderBy(desc(widgetRevisions.revision));
      return rows.map((row) => ({
        ...toLook(row),
        revision: row.revision,
        savedAt: row.savedAt,
      }));
    },

    remove: (user, id) => change(user, id, { removedAt: wallMs() }),
    async restore(user, id) {
      const [row] = await queries
        .select({ name: widgets.name })
        .from(widgets)
        .where(and(eq(widgets.userId, user.id), eq(widgets.id, id)));
      const isRestorable = and(
        eq(widgets.userId, user.id),
        eq(widgets.id, id),
        sql`${widgets.removedAt} > ${wallMs() - UNDO_MS}`,
      );
      await naming(user, row?.name ?? "", () =>
        atomically((writer) => [
          writer.update(widgets).set({ removedAt: null }).where(isRestorable),
        ]),
      );
      return byId(user, id);
    },
    async forgetRemoved() {
      const [over] = await queries
        .select({ id: widgets.id })
        .from(widgets)
        .where(isOver())
        .limit(1);
      // A write would wait for other writers, even if it changes nothing.
      if (over) await atomically((writer) => [writer.delete(widgets).where(isOver())]);
    },

    async rotate(user, id) {
      const row = await rowOf(user, id);
      return storeSealed(vault, async () => {
        const { token, hash, sealedToken } = await draftToken(vault, user.id);
        await change(user, row.id, { hash, sealedToken });
        return token;
      });
    },
    async proveKey(user) {
      for (const { sealedToken } of await rowsOf(user)) await vault.recognize(sealedToken);
    },
  };
}

type WidgetRow = Schema["widgets"]["$inferSelect"];

function toWidget(row: WidgetRow): Widget {
  const { id, userId, name, kind, language, revision, updatedAt } = row;
  const known = language !== null && isLanguage(language) ? language : null;
  return { id, userId, name, kind, language: known, revision, updatedAt, ...toLook(row) };
}

type LookColumns = Pick<WidgetRow, "options" | "css" | "width" | "height">;

const toColumns = ({ options, css, size }: Look): LookColumns => ({
  options: JSON.stringify(options),
  css,
  width: size?.width ?? null,
  height: size?.height ?? null,
});

const toLook = ({ options, css, width, height }: LookColumns): Look => ({
  options: JSON.parse(options) as Record<string, string>,
  css,
  size: width === null || height === null ? null : { width, height },
});

async function draftToken(vault: Vault, userId: number) {
  const token = createWidgetToken();
  const sealedToken = await vault.seal("widget-token", userId, token);
  return { token, hash: hashCredential(token), sealedToken };
}

/** A widget with a new token, and the row that stores it. */
export async function draftWidget(
  vault: Vault,
  userId: number,
  { name, kind, language = null, look = PLAIN_LOOK }: NewWidget,
  createdAt: number,
) {
  const { token, hash, sealedToken } = await draftToken(vault, userId);
  const row = {
    ...toColumns(look),
    ...{ userId, name, kind, language, hash, sealedToken, createdAt, updatedAt: createdAt },
  };
  return { token, row };
}

/** A user's first widget, and the row that stores it. */
export const draftFirstWidget = (vault: Vault, userId: number, createdAt: number) =>
  draftWidget(vault, userId, { name: FIRST_WIDGET_NAME, kind: "overlay" }, createdAt);

type NewWidgetRow = Awaited<ReturnType<typeof draftWidget>>["row"];

/** Stores a drafted widget. */
export const insertWidget = (
  tables: Schema,
  writer: Writer,
  row: NewWidgetRow,
): readonly Statement[] => [
  writer.insert(tables.widgets).values(row),
  insertFirstRevision(tables, writer, row),
];

/** The first look of a widget that is stored by the statement before. */
function insertFirstRevision(
  { widgets, widgetRevisions }: Schema,
  writer: Writer,
  { hash, options, css, width, height, createdAt }: NewWidgetRow,
): Statement {
  const widgetId = sql<number>`(SELECT id FROM ${widgets} WHERE hash = ${hash})`;
  return writer
    .insert(widgetRevisions)
    .values({ widgetId, revision: 1, options, css, width, height, savedAt: createdAt });
}

/** Deletes a look that was saved while editing, if the one before it is younger than a minute. */
function dropPassing(
  { widgetRevisions }: Schema,
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
