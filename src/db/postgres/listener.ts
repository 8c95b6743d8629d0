import type { SQL } from "bun";
import { connectTo, disconnect, inTime } from "./pool.ts";

/** Receives what is sent on channels of a PostgreSQL server, over a connection of its own. */
export interface Listener {
  /** Whether it receives, as far as is known: a network that swallows packets says nothing. */
  readonly isUp: boolean;
  /** Begins to listen, and to connect again whenever the connection ends. */
  start(): void;
  /** Connects anew, because something did not arrive. */
  reconnect(): void;
  stop(): Promise<void>;
}

export interface ListenerOptions {
  readonly url: string;
  /** What is called with each text sent on a channel. */
  readonly channels: Readonly<Record<string, (text: string) => void>>;
  /** Called when it receives again, or for the first time: before that, something may be missed. */
  onUp(): void;
  onDown(): void;
}

/** Bun would wait up to 32 seconds. */
const RECONNECT_AFTER_MS = 500;
const LISTEN_WITHIN_MS = 5_000;

export function createListener({ url, channels, onUp, onDown }: ListenerOptions): Listener {
  let client: SQL | undefined;
  let isUp = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const listen = async () => {
    const mine = connectTo(url, { onClose: () => lose(mine) });
    client = mine;
    try {
      for (const [channel, receive] of Object.entries(channels)) {
        const listening = mine.listen(channel, (text) => {
          if (client === mine) receive(text);
        });
        await inTime(listening, LISTEN_WITHIN_MS);
      }
    } catch {
      lose(mine);
      return;
    }
    if (client !== mine) return;
    isUp = true;
    onUp();
  };

  const lose = (lost: SQL) => {
    if (client !== lost) return;
    client = undefined;
    void disconnect(lost);
    timer = setTimeout(listen, RECONNECT_AFTER_MS);
    if (!isUp) return;
    isUp = false;
    onDown();
  };

  return {
    get isUp() {
      return isUp;
    },
    start: () => void listen(),
    reconnect() {
      if (client) lose(client);
    },
    async stop() {
      clearTimeout(timer);
      const last = client;
      client = undefined;
      isUp = false;
      if (last) await disconnect(last);
    },
  };
}
