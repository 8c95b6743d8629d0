import { createWaking } from "../../../upstream/message-queue.ts";
import type { WatchContext } from "../../source.ts";
import type { ReaderProcess, ReaderState } from "./reader-process.ts";

/** Only changes are reported. While the reader runs, what it has reported still holds. */
const REPEAT_MS = 10_000;

/** Uses the reader until the signal aborts: its state now, after each change, and again after a while. */
export async function* statesOf(
  reader: ReaderProcess,
  { clock, signal }: Pick<WatchContext, "clock" | "signal">,
): AsyncGenerator<ReaderState, void> {
  const { wake, woken } = createWaking(clock);
  const release = reader.use(wake);
  signal.addEventListener("abort", wake);
  try {
    while (!signal.aborted) {
      yield reader.state();
      await woken(REPEAT_MS);
    }
  } finally {
    signal.removeEventListener("abort", wake);
    release();
  }
}
