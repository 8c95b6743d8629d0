import type { Socket, SocketHandler } from "bun";
import type { Clock } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import { hostOf } from "../ip-address.ts";
import type { StreamRequest } from "./call.ts";
import { createHeadReader, HeadTooLong } from "./head.ts";
import { beginLifetime } from "./lifetime.ts";
import { createMessageQueue } from "./message-queue.ts";
import { type Connect, type Destination, headersFor } from "./public-hosts.ts";

/** What has arrived, and is not read yet. */
const MOST_WAITING_BYTES = 64 * 1024;

/** An answer without an end. SHOUTcast begins it with `ICY 200 OK`, which `fetch` does not take. */
export async function openStream(
  destination: Destination,
  place: string,
  { headers, signal, silenceMs }: StreamRequest,
  { clock, connect }: { readonly clock: Pick<Clock, "after">; readonly connect: Connect },
) {
  const { url, name } = destination;
  const queue = createMessageQueue<Uint8Array>(clock, ({ length }) => length);
  const reader = createHeadReader();
  let socket: Socket | undefined;
  let hasBegun = false;
  let isComplete = false;
  const hangUp = () => socket?.terminate();
  const parts = { place, signal, clock, queue, hangUp };
  const lifetime = beginLifetime<Pick<Response, "status" | "headers">>(parts);
  const { opening, end } = lifetime;

  const keep = (bytes: Uint8Array) => {
    if (bytes.length > 0) queue.push(bytes);
    if (queue.weight > MOST_WAITING_BYTES) socket?.pause();
  };
  const begin = (bytes: Uint8Array) => {
    const found = reader.push(bytes);
    if (!found) return;
    const status = /^(?:HTTP\/1\.\d|ICY) (\d{3})\b/.exec(found.head.start)?.[1];
    if (status === undefined) return void end("does not answer as a web server does");
    lifetime.cancelEnd();
    hasBegun = true;
    opening.resolve({ status: Number(status), headers: found.head.fields });
    keep(found.rest);
  };
  const ask = (opened: Socket) => {
    const asked = headersFor(destination, headers);
    if (!asked.has("host")) asked.set("Host", url.host);
    const lines = [...asked].map(([field, value]) => `${field}: ${value}\r\n`);
    opened.write(`GET ${url.pathname}${url.search} HTTP/1.0\r\n${lines.join("")}\r\n`);
  };
  const isSecure = url.protocol === "https:";
  const handlers: SocketHandler<undefined> = {
    open(opened) {
      socket = opened;
      if (lifetime.hasEnded()) opened.terminate();
      else if (!isSecure) ask(opened);
    },
    handshake(opened, isTrusted) {
      if (isTrusted) ask(opened);
      else end("has no certificate that can be trusted");
    },
    data(_, bytes) {
      if (lifetime.hasEnded()) return;
      try {
        if (hasBegun) keep(bytes);
        else begin(bytes);
      } catch (error) {
        if (!(error instanceof HeadTooLong)) throw error;
        end("does not answer as a web server does");
      }
    },
    error: (_, error) => void end("failed", errorCode(error)),
    close() {
      isComplete = !lifetime.hasEnded();
      end("ended the stream");
    },
  };
  connect({
    hostname: hostOf(url),
    port: Number(url.port || (isSecure ? 443 : 80)),
    ...(isSecure && { tls: name?.tls ?? true }),
    socket: handlers,
  }).catch((error: unknown) => end("could not be reached", errorCode(error)));

  return {
    /** The status, and the headers: each byte of a value is a character. */
    ...(await opening.promise),
    /**
     * The next bytes; `undefined` at the end. What is not read yet waits at the server.
     * @throws {UpstreamError} when the connection has failed, or was silent for too long
     */
    async read() {
      if (queue.size === 0 && isComplete) return undefined;
      const bytes = await queue.receive(silenceMs).catch((error: unknown) => {
        if (isComplete) return undefined;
        throw error;
      });
      if (queue.size === 0 && !lifetime.hasEnded()) socket?.resume();
      if (bytes || isComplete) return bytes;
      end("fell silent");
      return queue.receive();
    },
    close: () => void end("was closed by us"),
  };
}

export type UpstreamStream = Awaited<ReturnType<typeof openStream>>;
