import { describeError, type Log } from "../log.ts";
import type { Reading } from "./reading.ts";

export type Subscriber = (reading: Reading) => void;

/**
 * Which changes a subscriber gets: of what others are shown, the same for who shows it later and has
 * to know when the user hides it, or of all that sources report.
 */
export type Scope = "shown" | "shown later" | "all";

interface Known {
  readonly scope: Scope;
  /** The last delivered reading as text: the same reading is not delivered twice. */
  delivered: string | undefined;
}

interface Texts {
  /** Everything that a scope sees of a reading, as text to compare. */
  textOf(reading: Reading, scope: Scope): string;
}

/** Who gets a channel's readings. A class, because each user's channel has one. */
export class Subscribers {
  private readonly all = new Map<Subscriber, Known>();
  private readonly log: Log;
  private readonly texts: Texts;

  constructor(log: Log, texts: Texts) {
    this.log = log;
    this.texts = texts;
  }

  get size(): number {
    return this.all.size;
  }

  /** @param reading what it gets by another way now, and need not get again */
  add(subscriber: Subscriber, scope: Scope, reading: Reading | undefined): void {
    this.all.set(subscriber, { scope, delivered: reading && this.texts.textOf(reading, scope) });
  }

  /** Returns whether it was a subscriber. */
  remove(subscriber: Subscriber): boolean {
    return this.all.delete(subscriber);
  }

  /** Calls back those for whom the reading is another than the last. */
  deliver(reading: Reading): void {
    const texts: Partial<Record<Scope, string>> = {};
    for (const [subscriber, known] of this.all) {
      const text = (texts[known.scope] ??= this.texts.textOf(reading, known.scope));
      if (text === known.delivered) continue;
      known.delivered = text;
      try {
        subscriber(reading);
      } catch (error) {
        // The other subscribers still get it, and the sources are still watched.
        this.log.error("a reading could not be delivered", { reason: describeError(error) });
      }
    }
  }

  /** The next reading is delivered to all, even if it is the last again. */
  forgetDelivered(): void {
    for (const known of this.all.values()) known.delivered = undefined;
  }
}
