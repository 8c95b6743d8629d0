import type { AnyElysia } from "elysia";
import type { Change } from "../db/changes.ts";
import type { GaugeName } from "../metrics.ts";

/** A part of the server: a new one is a folder and an entry in a list. */
export interface Feature {
  /** Its routes, if it has any. */
  readonly plugin?: AnyElysia;
  /** The paths below which it limits the size of bodies itself, in the form that its clients understand. */
  readonly limitsBodies?: RegExp;
  readonly gauges?: Readonly<Partial<Record<GaugeName, () => number>>>;
  /** Begins what it does by itself, once the server listens. */
  start?(): Promise<void>;
  /** Follows a change of stored data. */
  follow?(change: Change): Promise<void> | void;
  /** Closes its sockets so that clients connect again later, and ends what it has started. */
  stop?(): Promise<void> | void;
}
