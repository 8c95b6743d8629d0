import type { Clock } from "../clock.ts";
import { plainText } from "./plain-text.ts";

/** Answers for programs that monitor the process. */
export interface Health {
  /** `GET /livez`: the process runs. */
  live(): Response;
  /** `GET /readyz`: the server can do its work, including database writes. */
  ready(): Response;
  /** From now on the server is not ready, because it is stopping. */
  drain(): void;
}

export interface HealthDeps {
  readonly clock: Clock;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void;
}

/** Shortest time between two test writes, however often `/readyz` is requested. */
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
