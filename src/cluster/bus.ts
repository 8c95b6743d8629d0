import type { Message, Node } from "./message.ts";

/** Carries messages to all nodes, the sender too, in one order for all. */
export interface Bus {
  /** The name of this node. */
  readonly node: Node;
  /** Sends to all nodes. While the bus is down, the message is lost: after `onUp` it is repeated. */
  send(message: Message): void;
  onMessage(listener: (message: Message, from: Node) => void): void;
  /** Calls back after each time that messages may have been missed or lost. */
  onUp(listener: () => void): void;
  /** Calls back when the connection is lost, or nothing was received on it for seconds. */
  onDown(listener: () => void): void;
  /** Whether this node has received its own messages within the last second. */
  readonly up: boolean;
  /** From sending to receiving the last pulse, in milliseconds; `undefined` before the first one. */
  readonly delayMs: number | undefined;
  /** Sends what is left and stops. */
  close(): Promise<void>;
}
