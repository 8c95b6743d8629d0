import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import type { Feature } from "./plugin.ts";
import { guards } from "./guards.ts";
import { plainText } from "./plain-text.ts";

export interface HealthDeps {
  readonly clock: Clock;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void;
}

/** Shortest time between two test writes, however often `/readyz` is requested. */
const PROBE_EVERY_MS = 1_000;

/** Programs that monitor the server know it by any name, or none. */
export const isHealthCheck = (path: string): boolean => /^\/(?:livez|readyz)\/?$/.test(path);

/**
 * Answers for programs that monitor the process: `/livez` says that it runs, `/readyz` that it can do
 * its work, which includes writing to the database.
 */
export function createHealthFeature({ probeWrite, clock }: HealthDeps): Feature {
  let draining = false;
  let probed: { readonly atMs: number; readonly works: boolean } | undefined;

  const probe = (): boolean => {
    try {
      probeWrite();
      return true;
    } catch {
      return false;
    }
  };
  const canWrite = (): boolean => {
    const nowMs = clock.monotonicMs();
    if (!probed || nowMs - probed.atMs >= PROBE_EVERY_MS) probed = { atMs: nowMs, works: probe() };
    return probed.works;
  };

  return {
    plugin: new Elysia({ name: "health" })
      .use(guards)
      .get("/livez", () => plainText(200, "ok"), { open: true })
      .get(
        "/readyz",
        () => {
          if (draining) return plainText(503, "stopping");
          return canWrite() ? plainText(200, "ok") : plainText(503, "the database takes no writes");
        },
        { open: true },
      ),
    stop() {
      draining = true;
    },
  };
}
