import type { Clock } from "../clock.ts";
import { plainText } from "./plain-text.ts";

/** Answers for programs that monitor the process. */
export interface Health {
  /** `GET /livez`: the process runs. */
  live(): Response;
  /** `GET /readyz`: the server can do its work, including database writes. */
  ready(): Promise<Response>;
  /** From now on the server is not ready, because it is stopping. */
  drain(): void;
}

export interface HealthDeps {
  readonly clock: Clock;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void | Promise<void>;
}

/** Shortest time between two test writes, however often `/readyz` is requested. */
const PROBE_EVERY_MS = 1_000;

export function createHealth({ probeWrite, clock }: HealthDeps): Health {
  let draining = false;
  let probed: { readonly atMs: number; readonly works: Promise<boolean> } | undefined;

  const probe = async (): Promise<boolean> => {
    try {
      await probeWrite();
      return true;
    } catch {
      return false;
    }
  };
  const canWrite = (): Promise<boolean> => {
    const nowMs = clock.monotonicMs();
    if (!probed || nowMs - probed.atMs >= PROBE_EVERY_MS) probed = { atMs: nowMs, works: probe() };
    return probed.works;
  };

  return {
    live: () => plainText(200, "ok"),
    async ready() {
      if (draining) return plainText(503, "stopping");
      return (await canWrite())
        ? plainText(200, "ok")
        : plainText(503, "the database takes no writes");
    },
    drain() {
      draining = true;
    },
  };
}
