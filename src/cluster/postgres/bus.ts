import { atMost, type Clock } from "../../clock.ts";
import { describeError, type Log } from "../../log.ts";
import type { Listener, ListenerOptions } from "../../db/postgres/listener.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import type { Bus } from "../bus.ts";
import type { Message, Node } from "../message.ts";
import type { MessageSeal } from "../message-seal.ts";
import { createPayloads } from "../payloads.ts";

/** The channel of all nodes' notices. */
export const CHANNEL = "marquee";

/**
 * Transactions with notices are at least so far apart, and what comes meanwhile goes together: one
 * transaction at a time holds PostgreSQL's queue.
 */
const PACK_MS = 5;
const PULSE_EVERY_MS = 300;
const DOWN_AFTER_MS = 1_000;
/**
 * Then the connection is taken for dead, even if it still looks open. Sooner, a node that only lacks
 * time would make all others repeat themselves, who would lack it too.
 */
const RECONNECT_MS = 3_000;
/** A stopping server waits so long until what it sent is stored. */
const LAST_MESSAGES_MS = 1_000;
/** While the database takes nothing, what waits is dropped: it is repeated later. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/**
 * So often a pulse goes round before a new connection counts as up. By then other nodes have greeted
 * this one and were welcomed, so that they believe what it sends from now on.
 */
const ROUNDS_BEFORE_UP = 3;

export interface PostgresBusDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly pool: Pick<Pool, "query">;
  listen(options: Omit<ListenerOptions, "url">): Listener;
  readonly node: Node;
  readonly seal: MessageSeal;
}

export function createPostgresBus(deps: PostgresBusDeps): Bus {
  const { clock, log, pool, listen, node, seal } = deps;
  const listeners: ((message: Message, from: Node) => void)[] = [];
  const upListeners: (() => void)[] = [];
  const downListeners: (() => void)[] = [];
  /** As JSON. */
  let waiting: string[] = [];
  let waitingBytes = 0;
  let sending: Promise<void> | undefined;
  let isPlanned = false;
  let sentAtMs = -Infinity;
  /** Something that this node sent was lost: it has to be repeated. */
  let isLost = false;
  let isUp = false;
  let rounds = 0;
  let isClosed = false;
  let returnedAtMs = -Infinity;
  let connectedAtMs = clock.monotonicMs();
  let delayMs: number | undefined;
  let cancelPulse = () => {};

  const takeWaiting = (): string[] => {
    const taken = waiting;
    waiting = [];
    waitingBytes = 0;
    return taken;
  };

  const flush = async () => {
    while (waiting.length > 0) {
      const messages = takeWaiting();
      try {
        // One statement after the other keeps their order, on whichever connection they run.
        await pool.query(
          `SELECT pg_notify('${CHANNEL}', payload) FROM json_array_elements_text($1::text::json) AS payload`,
          [JSON.stringify(payloads.pack(messages))],
        );
      } catch (error) {
        if (!isLost)
          log.error("other nodes were not sent anything", { reason: describeError(error) });
        isLost = true;
        takeWaiting();
      }
    }
  };

  const plan = () => {
    if (isPlanned || sending) return;
    isPlanned = true;
    clock.after(Math.max(0, sentAtMs + PACK_MS - clock.monotonicMs()), () => {
      isPlanned = false;
      sentAtMs = clock.monotonicMs();
      sending = flush().finally(() => {
        sending = undefined;
        if (waiting.length > 0) plan();
      });
    });
  };

  const send = (message: Message) => {
    if (isClosed) return;
    const text = JSON.stringify(message);
    if (waitingBytes + text.length > MOST_WAITING_BYTES) {
      takeWaiting();
      isLost = true;
    }
    waiting.push(text);
    waitingBytes += text.length;
    plan();
  };

  const comeUp = () => {
    isUp = true;
    isLost = false;
    for (const listener of upListeners) listener();
  };

  const payloads = createPayloads({
    node,
    seal,
    monotonicMs: clock.monotonicMs,
    send,
    onMissed() {
      if (isUp) comeUp();
    },
  });

  const returned = (pulsedAtMs: number) => {
    const nowMs = clock.monotonicMs();
    returnedAtMs = nowMs;
    delayMs = nowMs - pulsedAtMs;
    if (isUp && !isLost) return;
    rounds += 1;
    if (isUp || rounds >= ROUNDS_BEFORE_UP) comeUp();
    else send(["pulse", nowMs]);
  };

  const listener = listen({
    channels: {
      [CHANNEL]: (payload) => {
        const { from, messages } = payloads.unpack(payload);
        for (const message of messages) {
          if (message[0] !== "pulse") for (const receive of listeners) receive(message, from);
          else if (from === node) returned(message[1]);
        }
      },
    },
    onUp() {
      // Whatever was sent meanwhile was missed.
      isUp = false;
      rounds = 0;
      connectedAtMs = clock.monotonicMs();
      payloads.reconnect();
      pulse();
    },
    onDown: () => goDown(),
  });

  const goDown = () => {
    if (!isUp) return;
    isUp = false;
    for (const listener of downListeners) listener();
  };

  const pulse = () => {
    cancelPulse();
    if (isClosed) return;
    const nowMs = clock.monotonicMs();
    if (nowMs - Math.max(returnedAtMs, connectedAtMs) > RECONNECT_MS) {
      connectedAtMs = nowMs;
      goDown();
      listener.reconnect();
    }
    if (listener.isUp) send(["pulse", nowMs]);
    cancelPulse = clock.after(PULSE_EVERY_MS, pulse);
  };

  listener.start();
  pulse();

  return {
    node,
    send,
    onMessage: (listener) => void listeners.push(listener),
    onUp: (listener) => void upListeners.push(listener),
    onDown: (listener) => void downListeners.push(listener),
    get up() {
      return isUp && clock.monotonicMs() - returnedAtMs <= DOWN_AFTER_MS;
    },
    get delayMs() {
      return delayMs;
    },
    async close() {
      if (isClosed) return;
      cancelPulse();
      await atMost(clock, LAST_MESSAGES_MS, sending ?? flush());
      isClosed = true;
      await listener.stop();
    },
  };
}
