import type { Hub } from "./hub.ts";
import type { Reading } from "./reading.ts";

/** Longest wait for the first reading of a source that was not watched before. */
export const FIRST_WORD_MS = 4_000;

/**
 * Calls back with each reading of a user's music until the result is called. The first call comes
 * within four seconds: until the source has answered, its music is unavailable.
 */
export function follow(
  hub: Pick<Hub, "read" | "subscribe">,
  userId: number,
  tell: (reading: Reading) => void,
): () => void {
  let hasBegun = false;
  let hasEnded = false;
  const leave = hub.subscribe(userId, (reading) => {
    hasBegun = true;
    tell(reading);
  });
  if (!hasBegun) {
    void hub.read(userId, FIRST_WORD_MS).then((reading) => {
      if (!hasBegun && !hasEnded) tell(reading);
    });
  }
  return () => {
    hasEnded = true;
    leave();
  };
}
