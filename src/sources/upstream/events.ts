import type { Clock } from "../../clock.ts";
import { createInbox } from "./inbox.ts";
import {
  type Fetch,
  LARGEST_ANSWER_BYTES,
  sizeText,
  UPSTREAM_DEADLINE_MS,
  UpstreamError,
  type UpstreamHeaders,
} from "./limits.ts";

export interface EventRequest {
  readonly headers?: UpstreamHeaders;
  /** Closes the stream. */
  readonly signal: AbortSignal;
  /** A server that sends nothing for this long is gone, in milliseconds. */
  readonly silenceMs: number;
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface ServerSentEvent {
  /** `message` if the server does not name it. */
  readonly type: string;
  readonly data: string;
}

export interface UpstreamEvents {
  /**
   * The next event. `undefined` if none arrives within the given time, in milliseconds.
   * @throws {UpstreamError} when the stream has ended
   */
  receive(withinMs?: number): Promise<ServerSentEvent | undefined>;
  close(): void;
}

/** A server that sends more before it is read is broken. */
const MOST_WAITING = 1_000;

export async function openEvents(
  url: URL,
  place: string,
  { headers, signal, silenceMs }: EventRequest,
  { clock, call }: { readonly clock: Pick<Clock, "after">; readonly call: Fetch },
): Promise<UpstreamEvents> {
  signal.throwIfAborted();
  const inbox = createInbox<ServerSentEvent>(clock);
  const ending = new AbortController();
  const opening = Promise.withResolvers<Response>();
  let cancelTimer = () => {};

  const end = (problem: string) => {
    const error = new UpstreamError(`${place} ${problem}`);
    if (ending.signal.aborted) return error;
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    opening.reject(error);
    inbox.end(error);
    ending.abort();
    return error;
  };
  const onAbort = () => void end("is no longer needed");
  const expectWithin = (ms: number, problem: string) => {
    cancelTimer();
    cancelTimer = clock.after(ms, () => end(problem));
  };

  signal.addEventListener("abort", onAbort);
  expectWithin(UPSTREAM_DEADLINE_MS, "did not answer in time");
  const asked = new Headers(headers);
  asked.set("Accept", "text/event-stream");
  // The error of `fetch` may contain the whole URL with its query, so it is left out.
  call(url.href, { headers: asked, redirect: "manual", signal: ending.signal }).then(
    opening.resolve,
    () => end("could not be reached"),
  );
  const response = await opening.promise;
  const { status, body } = response;
  const type = response.headers.get("content-type") ?? "";
  if (status !== 200 || !body || !type.startsWith("text/event-stream")) {
    throw end(`answered ${status} and no stream of events`);
  }

  const read = async () => {
    const parser = createEventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      expectWithin(silenceMs, "fell silent");
      const { done, value } = await reader.read();
      if (ending.signal.aborted) return;
      if (done) return void end("ended the stream");
      for (const event of parser.push(decoder.decode(value, { stream: true }))) inbox.push(event);
      if (parser.unfinished > LARGEST_ANSWER_BYTES) {
        end(`sent an event of more than ${sizeText(LARGEST_ANSWER_BYTES)}`);
      }
      if (inbox.size > MOST_WAITING) end("sent more events than can be read");
    }
  };
  read().catch(() => end("could not be reached"));
  return { receive: inbox.receive, close: () => void end("was closed by us") };
}

/** Cuts a text that arrives in pieces into events. */
function createEventParser() {
  let unfinishedLine = "";
  let type = "";
  let lines: string[] = [];
  return {
    /** The length of an event that is not complete. */
    get unfinished() {
      return lines.reduce((sum, line) => sum + line.length, unfinishedLine.length);
    },
    push(text: string): ServerSentEvent[] {
      const events: ServerSentEvent[] = [];
      const arrived = (unfinishedLine + text).split("\n");
      unfinishedLine = arrived.pop() ?? "";
      for (const line of arrived.map((ended) => ended.replace(/\r$/, ""))) {
        if (line === "") {
          if (lines.length > 0) events.push({ type: type || "message", data: lines.join("\n") });
          type = "";
          lines = [];
          continue;
        }
        const [, field, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
        if (field === "data") lines.push(value);
        if (field === "event") type = value;
      }
      return events;
    },
  };
}
