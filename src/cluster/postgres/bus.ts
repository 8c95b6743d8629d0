import { atMost, type Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Listener, ListenerOptions } from "../../db/postgres/listener.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import type { Bus } from "../bus.ts";
import type { Message, Node } from "../message.ts";
import type { MessageSeal } from "../message-seal.ts";
import { createPayloads } from "../payloads.ts";
import { CHANNEL, createOutgoing } from "./outgoing.ts";

const PULSE_EVERY_MS = 300;
const DOWN_AFTER_MS = 1_000;
/**
 * Then the connection is taken for dead, even if it still looks open. Sooner, a node that only lacks
 * time would make all others repeat themselves, who would lack it too.
 */
const RECONNECT_MS = 3_000;
/** A stopping server waits so long until what it sent is stored. */
const LAST_MESSAGES_MS = 1_000;
/**
 * How often a pulse has to come back before a new connection counts as up. By then this node and the
 * others have greeted each other, so that they believe what it sends.
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
  let isUp = false;
  let rounds = 0;
  let isClosed = false;
  let returnedAtMs = -Infinity;
  let connectedAtMs = clock.monotonicMs();
  let delayMs: number | undefined;
  let cancelPulse = () => {};

  const comeUp = () => {
    isUp = true;
    outgoing.noteRepeated();
    for (const listener of upListeners) listener();
  };

  const outgoing = createOutgoing({ clock, log, pool, pack: (texts) => payloads.pack(texts) });
  const send = (message: Message) => {
    if (!isClosed) outgoing.send(message);
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
    if (isUp && !outgoing.isLost) return;
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
      await atMost(clock, LAST_MESSAGES_MS, outgoing.flush());
      isClosed = true;
      await listener.stop();
    },
  };
}
