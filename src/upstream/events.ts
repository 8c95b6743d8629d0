import type { Clock } from "../clock.ts";
import { beginLifetime } from "./lifetime.ts";
import { createMessageQueue } from "./message-queue.ts";
import {
  type AbortableFetch,
  isEncoded,
  LARGEST_ANSWER_BYTES,
  sizeText,
  type StreamRequest,
  UpstreamError,
} from "./call.ts";

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface ServerSentEvent {
  /** `message` if the server does not name it. */
  readonly type: string;
  readonly data: string;
}

/** A server that sends more before it is read is broken: events, and their texts in all. */
const MOST_WAITING = 1_000;
const LONGEST_WAITING = 4 * LARGEST_ANSWER_BYTES;
/** What a line takes besides its text, so that empty lines count too. */
const LINE_OVERHEAD = 1;
const NEWLINE = 0x0a;

export async function openEvents(
  url: URL,
  place: string,
  { headers, signal, silenceMs }: StreamRequest,
  { clock, call }: { readonly clock: Pick<Clock, "after">; readonly call: AbortableFetch },
) {
  const queue = createMessageQueue<ServerSentEvent>(
    clock,
    ({ type, data }) => type.length + data.length,
  );
  const ending = new AbortController();
  const hangUp = () => ending.abort();
  const lifetime = beginLifetime<Response>({ place, signal, clock, queue, hangUp });
  const { opening, end } = lifetime;

  const asked = new Headers(headers);
  asked.set("Accept", "text/event-stream");
  // The error of `fetch` may contain the whole URL with its query, so it is left out.
  call(url.href, { headers: asked, redirect: "manual", signal: ending.signal }).then(
    opening.resolve,
    (error: unknown) => end(error instanceof UpstreamError ? error : "could not be reached"),
  );
  const response = await opening.promise;
  const { status, body } = response;
  const type = response.headers.get("content-type") ?? "";
  if (status !== 200 || !body || !type.startsWith("text/event-stream") || isEncoded(response)) {
    throw end(`answered ${status} and no stream of events`);
  }

  const read = async () => {
    const parser = createEventParser();
    const reader = body.getReader();
    for (;;) {
      lifetime.endIn(silenceMs, "fell silent");
      const { done, value } = await reader.read();
      if (lifetime.hasEnded()) return;
      if (done) return void end("ended the stream");
      for (const event of parser.push(value)) {
        queue.push(event);
        if (queue.size > MOST_WAITING || queue.weight > LONGEST_WAITING) {
          return void end("sent more events than can be read");
        }
      }
      if (parser.unfinished > LARGEST_ANSWER_BYTES) {
        return void end(`sent an event of more than ${sizeText(LARGEST_ANSWER_BYTES)}`);
      }
    }
  };
  read().catch(() => end("could not be reached"));
  return {
    /**
     * The next event. `undefined` if none arrives within the given time, in milliseconds.
     * @throws {UpstreamError} when the stream has ended
     */
    receive: queue.receive,
    close: () => void end("was closed by us"),
  };
}

export type UpstreamEvents = Awaited<ReturnType<typeof openEvents>>;

/** Cuts bytes that arrive in pieces of any size into events. */
function createEventParser() {
  const decoder = new TextDecoder();
  const unfinishedLine = new Bun.ArrayBufferSink();
  unfinishedLine.start({ stream: true, asUint8Array: true });
  let unfinishedLineBytes = 0;
  let type = "";
  let lines: string[] = [];
  let linesLength = 0;

  const addToLine = (bytes: Uint8Array) => {
    unfinishedLine.write(bytes);
    unfinishedLineBytes += bytes.length;
  };
  const takeLine = (): string => {
    unfinishedLineBytes = 0;
    const bytes = unfinishedLine.flush();
    // Decoded alone, a line does not keep all the bytes in memory with which it arrived.
    return typeof bytes === "number" ? "" : decoder.decode(bytes).replace(/\r$/, "");
  };
  const takeEvent = (): ServerSentEvent | undefined => {
    const event = { type: type || "message", data: lines.join("\n") };
    const isEmpty = lines.length === 0;
    type = "";
    lines = [];
    linesLength = 0;
    return isEmpty ? undefined : event;
  };
  const readField = (line: string) => {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") type = value;
    if (field !== "data") return;
    lines.push(value);
    linesLength += value.length + LINE_OVERHEAD;
  };

  return {
    /** The length of an event that is not complete. */
    get unfinished() {
      return linesLength + unfinishedLineBytes;
    },
    /** Each event that is complete with these bytes. */
    *push(bytes: Uint8Array): Generator<ServerSentEvent, void> {
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        addToLine(bytes.subarray(from, end));
        from = end + 1;
        const line = takeLine();
        const event = line === "" ? takeEvent() : undefined;
        if (event) yield event;
        if (line !== "") readField(line);
      }
      addToLine(bytes.subarray(from));
    },
  };
}
