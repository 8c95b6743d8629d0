import { BEAT_MS, CLOSED_TOKEN_REPLACED, type WidgetMessage } from "./state.ts";

export interface LiveHandlers {
  onMessage(message: WidgetMessage): void;
  /** The connection has been lost for a while. */
  onLost(): void;
  /** The page's address will never work again. */
  onTokenReplaced(): void;
}

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The card stays visible this long without a connection. */
const LOST_AFTER_MS = 10_000;
/** Two beats missed: the connection is dead, even if it was not closed. */
const SILENCE_MS = BEAT_MS * 2.5;

/**
 * Receives the server's messages, and reconnects until the token is replaced.
 * @param address is asked for at each connection
 */
export function connect(address: () => string, handlers: LiveHandlers) {
  let socket: WebSocket | undefined;
  let failures = 0;
  let lastMessageAtMs = Date.now();
  let lostTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;

  const open = () => {
    clearTimeout(retryTimer);
    const opened = new WebSocket(address());
    socket = opened;
    // A browser alone waits for minutes for a line that does not open.
    awaitMessage();
    opened.onmessage = ({ data }) => {
      noteLife();
      handlers.onMessage(JSON.parse(String(data)) as WidgetMessage);
    };
    opened.onclose = ({ code }) => {
      if (socket === opened) closed(code);
    };
  };

  const noteLife = () => {
    failures = 0;
    lastMessageAtMs = Date.now();
    clearTimeout(lostTimer);
    lostTimer = undefined;
    awaitMessage();
  };

  const awaitMessage = () => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(drop, SILENCE_MS);
  };

  const closed = (code: number) => {
    socket = undefined;
    clearTimeout(silenceTimer);
    if (code === CLOSED_TOKEN_REPLACED) {
      clearTimeout(lostTimer);
      handlers.onTokenReplaced();
      return;
    }
    lostTimer ??= setTimeout(handlers.onLost, LOST_AFTER_MS);
    const ceiling = Math.min(SHORTEST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
    failures += 1;
    // Random waits, so that not all overlays reconnect to a restarted server at once.
    retryTimer = setTimeout(open, SHORTEST_WAIT_MS + Math.random() * (ceiling - SHORTEST_WAIT_MS));
  };

  const drop = () => {
    const dropped = socket;
    socket = undefined;
    dropped?.close();
    closed(0);
  };

  const reconnect = () => {
    const left = socket;
    open();
    left?.close();
  };

  open();
  return {
    /** Sends a message if the page is connected. */
    say(message: string) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
    },
    /** Connects anew, to get the state again. */
    reconnect,
    /** Checks whether the connection still works, for example after the computer slept. */
    check() {
      if (socket?.readyState === WebSocket.OPEN && Date.now() - lastMessageAtMs > SILENCE_MS)
        drop();
    },
  };
}
