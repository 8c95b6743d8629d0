import type { Clock } from "../clock.ts";

/**
 * What has arrived and is not yet read, in its order.
 * For one reader: `receive` must not be called again before it has resolved.
 * @param weigh how much a message counts towards `weight`; by default nothing
 */
export function createMessageQueue<Message>(
  clock: Pick<Clock, "after">,
  weigh: (message: Message) => number = () => 0,
) {
  const waiting: Message[] = [];
  let weight = 0;
  let ended: { readonly error: unknown } | undefined;
  let wake = () => {};

  return {
    get size() {
      return waiting.length;
    },
    /** What the messages weigh together. */
    get weight() {
      return weight;
    },
    push(message: Message) {
      waiting.push(message);
      weight += weigh(message);
      wake();
    },
    /** Makes `receive` throw once everything that has arrived is read. Only the first error counts. */
    end(error: unknown) {
      ended ??= { error };
      wake();
    },
    /**
     * The next message. `undefined` if none arrives within the given time, in milliseconds; without
     * a time it waits for ever.
     * @throws what `end` was called with
     */
    async receive(withinMs?: number) {
      if (waiting.length === 0 && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const cancel = withinMs === undefined ? undefined : clock.after(withinMs, resolve);
        await promise;
        cancel?.();
      }
      const message = waiting.shift();
      if (message === undefined) {
        if (ended) throw ended.error;
        return undefined;
      }
      weight -= weigh(message);
      return message;
    },
  };
}

/** A queue whose messages only wake the reader, so that a second one need not wait. */
export function createWaking(clock: Pick<Clock, "after">) {
  const calls = createMessageQueue<true>(clock);
  const wake = () => {
    if (calls.size === 0) calls.push(true);
  };
  return { wake, woken: calls.receive, fail: calls.end };
}
