import { systemClock } from "../clock.ts";
import { describeError } from "../log.ts";
import type { FailureReason } from "../music/connection-status.ts";
import { type Demand, type OpenSource, type Source, SourceFailure, UNSTORED } from "./source.ts";

const TRY_OUT_MS = 3_000;
/** No demand: the first reading is enough. */
const BRIEF: Demand = { watched: false, nextChange: () => new Promise(() => {}) };

/** What came of a try. The reason is English, for a terminal. */
export type Tried =
  | { readonly kind: "answered" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string; readonly failure: FailureReason };

/** Tries a connection briefly, to find a mistyped address or password at once. */
export async function tryOut(
  { name }: Pick<Source, "name">,
  open: OpenSource,
  ending: AbortSignal,
): Promise<Tried> {
  const signal = AbortSignal.any([ending, AbortSignal.timeout(TRY_OUT_MS)]);
  const quiet = () => {};
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet, enabled: () => false };
  try {
    const context = { signal, clock: systemClock, log, demand: BRIEF, connection: UNSTORED };
    for await (const _ of open.watch(context)) return { kind: "answered" };
    return {
      kind: "failed",
      failure: "unreachable",
      reason: `${name} has not answered within ${TRY_OUT_MS / 1000} seconds`,
    };
  } catch (error) {
    if (!(error instanceof SourceFailure)) {
      return { kind: "failed", failure: "unreachable", reason: describeError(error) };
    }
    const { meaning, message: reason } = error;
    if (meaning.kind === "unauthorized") return { kind: "refused", reason };
    const failure = meaning.reason ?? "unreachable";
    return { kind: "failed", failure, reason };
  }
}
