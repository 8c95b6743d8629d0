import { describeError, type Log } from "../log.ts";
import type { ReportedStatus } from "./connection-status.ts";
import type { Connections } from "./connections.ts";

/**
 * Stores statuses of connections, which are kept until they can be stored. A lock or a full disk
 * concerns all of them, so the log says once that they cannot, and once that they can again.
 */
export function storingStatuses(
  { storeStatus, onStatus }: Pick<Connections, "storeStatus" | "onStatus">,
  log: Log,
) {
  let unstored = 0;
  onStatus(() => {
    if (unstored > 0) log.info("connections' statuses are stored again", { waited: unstored });
    unstored = 0;
  });
  return async (connectionId: number, status: ReportedStatus): Promise<void> => {
    try {
      await storeStatus(connectionId, status);
    } catch (error) {
      unstored += 1;
      if (unstored > 1) return;
      log.error("connections' statuses cannot be stored", { reason: describeError(error) });
    }
  };
}
