import { systemClock } from "../clock.ts";
import { describeError } from "../log.ts";
import { type Demand, type OpenSource, type Source, SourceFailure, UNSTORED } from "./source.ts";

const TRY_OUT_MS = 3_000;
/** No demand: the first reading is enough. */
const BRIEF: Demand = { watched: false, nextChange: () => new Promise(() => {}) };

export type Tried =
  { readonly kind: "answered" } | { readonly kind: "refused" | "failed"; readonly reason: string };

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
      reason: `${name} has not answered within ${TRY_OUT_MS / 1000} seconds`,
    };
  } catch (error) {
    if (!(error instanceof SourceFailure)) return { kind: "failed", reason: describeError(error) };
    const kind = error.meaning.kind === "unauthorized" ? "refused" : "failed";
    return { kind, reason: error.message };
  }
}
