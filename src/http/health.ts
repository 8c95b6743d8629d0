import type { Clock } from "../clock.ts";
import { plainText } from "./plain-text.ts";

/** Answers for whoever watches over the process. */
export interface Health {
  /** `GET /livez`: the process runs. */
  live(): Response;
  /** `GET /readyz`: it can do its work, writes included. */
  ready(): Response;
  /** From now on it is not ready, because it stops. */
  drain(): void;
}

export interface HealthDeps {
  readonly clock: Clock;
  /** Writes to the database, without waiting. @throws when it takes no writes just now */
  probeWrite(): void;
}

/** The database is not written to more often than this, however often anybody asks. */
const PROBE_EVERY_MS = 1_000;

export function createHealth({ probeWrite, clock }: HealthDeps): Health {
  let draining = false;
  let probed: { atMs: number; works: boolean } | undefined;

  const canWrite = (): boolean => {
    const nowMs = clock.monotonicMs();
    if (probed && nowMs - probed.atMs < PROBE_EVERY_MS) return probed.works;
    try {
      probeWrite();
      probed = { atMs: nowMs, works: true };
    } catch {
      probed = { atMs: nowMs, works: false };
    }
    return probed.works;
  };

  return {
    live: () => plainText(200, "ok"),
    ready() {
      if (draining) return plainText(503, "stopping");
      return canWrite() ? plainText(200, "ok") : plainText(503, "the database takes no writes");
    },
    drain() {
      draining = true;
    },
  };
}
