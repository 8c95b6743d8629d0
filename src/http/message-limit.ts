import type { ServerWebSocket } from "bun";
import type { Clock } from "../clock.ts";

/** What overlays, dashboards and API clients may send; only two words of overlays are read. */
const LARGEST_BYTES = 1024;
/** Our pages send a message now and then. */
const MOST_A_SECOND = 20;
/** https://www.iana.org/assignments/websocket */
const POLICY_VIOLATION = 1008;
const MESSAGE_TOO_BIG = 1009;

interface Second {
  readonly startedAtMs: number;
  messages: number;
}

/** Lets a socket's message pass, or closes the socket that sends too large or too many of them. */
export function createMessageLimit({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  const seconds = new WeakMap<object, Second>();

  const isFlood = (socket: object): boolean => {
    const nowMs = monotonicMs();
    let second = seconds.get(socket);
    if (!second || nowMs - second.startedAtMs >= 1_000) {
      second = { startedAtMs: nowMs, messages: 0 };
      seconds.set(socket, second);
    }
    second.messages += 1;
    return second.messages > MOST_A_SECOND;
  };

  return (
    socket: Pick<ServerWebSocket<unknown>, "close">,
    message: string | Uint8Array,
  ): boolean => {
    if (message.length > LARGEST_BYTES) socket.close(MESSAGE_TOO_BIG);
    else if (isFlood(socket)) socket.close(POLICY_VIOLATION, "Too many messages");
    else return true;
    return false;
  };
}
