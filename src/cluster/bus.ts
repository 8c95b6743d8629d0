import type { Message, Node } from "./message.ts";

/** Carries messages to all nodes, the sender too, in one order for all. */
export interface Bus {
  /** The name of this node. */
  readonly node: Node;
  /** Tells all nodes. While the bus is down, the message is lost: `onUp` says when to repeat. */
  tell(message: Message): void;
  hear(listener: (message: Message, from: Node) => void): void;
  /** Calls back after each time that messages may have been missed or lost. */
  onUp(listener: () => void): void;
  /** Calls back when the connection is lost, or nothing was heard on it for seconds. */
  onDown(listener: () => void): void;
  /** Whether this node has heard itself within the last second. */
  readonly up: boolean;
  /** From telling to hearing the last pulse, in milliseconds; `undefined` before the first one. */
  readonly delayMs: number | undefined;
  /** Tells what is left and stops. */
  close(): Promise<void>;
}
