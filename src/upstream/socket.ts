import type { Clock } from "../clock.ts";
import { beginLifetime } from "./lifetime.ts";
import { createMessageQueue } from "./message-queue.ts";
import { LARGEST_ANSWER_BYTES, sizeText, SocketClosed, type StreamRequest } from "./call.ts";
import { type Destination, headersFor } from "./public-hosts.ts";
import { errorCode } from "../error-code.ts";

export interface SocketRequest extends Omit<StreamRequest, "silenceMs"> {
  /** The largest message in bytes; by default a megabyte. */
  readonly largestBytes?: number;
  /** Sends no pings, which some servers do not accept: who reads notices then when it is silent. */
  readonly withoutPings?: true;
}

/** A ping is sent this often. A server that answers neither it nor anything else is gone. */
export const PING_MS = 15_000;
/** A server that sends faster than it is read has to wait, or its largest message is waiting. */
const MOST_WAITING = 64;

/** The same class with Bun's own types, which the types of browsers hide. */
const BunWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => Bun.WebSocket;

/** An open WebSocket to an upstream. Binary messages are ignored. */
export async function openSocket(
  destination: Destination,
  place: string,
  { headers, signal, largestBytes = LARGEST_ANSWER_BYTES, withoutPings }: SocketRequest,
  clock: Pick<Clock, "after">,
) {
  signal.throwIfAborted();
  const { url, name } = destination;
  const address = new URL(url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  // Without compression, a small message cannot become a large one.
  const socket = new BunWebSocket(address.href, {
    headers: headersFor(destination, headers),
    ...(name && { tls: name.tls }),
    perMessageDeflate: false,
  });
  const queue = createMessageQueue<string>(clock, ({ length }) => length);
  let isAlive = true;
  let cancelPing = () => {};
  const hangUp = () => {
    cancelPing();
    socket.terminate();
  };
  const lifetime = beginLifetime<void>({ place, signal, clock, queue, hangUp });
  const { opening, end } = lifetime;

  const watchOver = () => {
    cancelPing = clock.after(PING_MS, () => {
      if (!isAlive) return void end("fell silent");
      isAlive = false;
      socket.ping();
      watchOver();
    });
  };
  const noteLife = () => {
    isAlive = true;
  };

  socket.addEventListener("open", () => opening.resolve());
  socket.addEventListener("ping", noteLife);
  socket.addEventListener("pong", noteLife);
  socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
    noteLife();
    if (lifetime.hasEnded() || typeof data !== "string") return;
    if (Buffer.byteLength(data) > largestBytes) {
      return void end(`sent a message of more than ${sizeText(largestBytes)}`);
    }
    queue.push(data);
    if (queue.size >= MOST_WAITING || queue.weight >= largestBytes) socket.pause();
  });
  // The error of the WebSocket contains the whole address with its query, so it is left out.
  socket.addEventListener("error", ({ error }) =>
    end("takes no WebSocket or could not be reached", errorCode(error)),
  );
  socket.addEventListener("close", ({ code }) => end(new SocketClosed(place, code)));

  await opening.promise;
  lifetime.cancelEnd();
  if (!withoutPings) watchOver();
  return {
    /** It has switched protocols. */
    status: 101,
    send: (text: string) => void socket.send(text),
    /**
     * The next text. `undefined` if none arrives within the given time, in milliseconds.
     * @throws {UpstreamError} when the connection has ended; {@link SocketClosed} with the code that
     * the server has closed it with
     */
    async receive(withinMs?: number) {
      const text = await queue.receive(withinMs);
      if (socket.isPaused && queue.size === 0) socket.resume();
      return text;
    },
    close: () => void end("was closed by us"),
  };
}

export type UpstreamSocket = Awaited<ReturnType<typeof openSocket>>;
