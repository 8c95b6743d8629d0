import type { Demand } from "../sources/source.ts";

type DemandEvent = "asked" | "changed";

/** A demand that its maker changes. */
export interface ChangingDemand extends Demand {
  change(event: DemandEvent): void;
}

/** Shows a source whether there are subscribers, and when a request wants the current state. */
export function createDemand(watched: () => boolean): ChangingDemand {
  const waiting = new Set<(event: DemandEvent) => void>();
  return {
    get watched() {
      return watched();
    },
    nextChange: (signal) =>
      new Promise((resolve) => {
        const finish = (event: DemandEvent) => {
          waiting.delete(finish);
          signal.removeEventListener("abort", end);
          resolve(event);
        };
        const end = () => finish("changed");
        if (signal.aborted) return end();
        waiting.add(finish);
        signal.addEventListener("abort", end);
      }),
    change(event) {
      for (const finish of [...waiting]) finish(event);
    },
  };
}
