import type { WatchedTable } from "./watched-tables.ts";

/** That data have changed, whichever process wrote them. */
export interface Change {
  /** Whose data; `undefined` when it concerns all users. */
  readonly userId: number | undefined;
  /** Whether rows of one of these tables may have changed. */
  concerns(...tables: readonly WatchedTable[]): boolean;
}

/** @param tables `undefined` where they are not known */
export const changeOf = (
  userId: number | undefined,
  tables: ReadonlySet<string> | undefined,
): Change => ({
  userId,
  concerns: (...named) => tables === undefined || named.some((name) => tables.has(name)),
});

export type ChangeListener = (change: Change) => void | Promise<void>;
