import type { Demand } from "../sources/source.ts";

type DemandEvent = "asked" | "changed";

/**
 * Shows sources whether there are subscribers, and when a request wants the current state. A class,
 * because each user's channel has one.
 */
export class ChangingDemand implements Demand {
  private readonly waiting = new Set<(event: DemandEvent) => void>();
  private readonly subscribers: { readonly size: number };

  constructor(subscribers: { readonly size: number }) {
    this.subscribers = subscribers;
  }

  get watched(): boolean {
    return this.subscribers.size > 0;
  }

  nextChange(signal: AbortSignal): Promise<DemandEvent> {
    return new Promise((resolve) => {
      const finish = (event: DemandEvent) => {
        this.waiting.delete(finish);
        signal.removeEventListener("abort", end);
        resolve(event);
      };
      const end = () => finish("changed");
      if (signal.aborted) return end();
      this.waiting.add(finish);
      signal.addEventListener("abort", end);
    });
  }

  change(event: DemandEvent): void {
    for (const finish of [...this.waiting]) finish(event);
  }
}
