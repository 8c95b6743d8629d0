import { PROGRAM_WAITS_MS } from "./first-answer.ts";
import type { Hub } from "./hub.ts";
import type { Reading } from "./reading.ts";

/**
 * Calls back with each reading of a user's music until the result is called. The first call comes
 * within four seconds: until the source has answered, its music is unavailable.
 */
export function follow(
  hub: Pick<Hub, "read" | "subscribe">,
  userId: number,
  deliver: (reading: Reading) => void,
): () => void {
  let hasBegun = false;
  let hasEnded = false;
  const leave = hub.subscribe(userId, (reading) => {
    hasBegun = true;
    deliver(reading);
  });
  if (!hasBegun) {
    void hub.read(userId, PROGRAM_WAITS_MS).then((reading) => {
      if (!hasBegun && !hasEnded) deliver(reading);
    });
  }
  return () => {
    hasEnded = true;
    leave();
  };
}
