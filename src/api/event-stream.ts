/** A client that lets so much wait has stopped reading. */
const MOST_WAITING_BYTES = 256 * 1024;

/**
 * Opens a stream that does not read from its client, for its server-sent events:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @param gone aborted when the client has gone
 * @param onEnd called once when the stream has ended, for whatever reason
 */
export function openEventStream(gone: AbortSignal, onEnd: () => void) {
  const ended = Promise.withResolvers<void>();
  /** What was written before Bun asked for it. */
  const early: Uint8Array[] = [];
  let sink: ReadableStreamDirectController | undefined;
  /** What waits for the client; `undefined` while it takes everything at once. */
  let waitingBytes: number | undefined;
  let hasEnded = false;

  const finish = () => {
    if (hasEnded) return;
    hasEnded = true;
    gone.removeEventListener("abort", finish);
    ended.resolve();
    onEnd();
  };
  const drained = () => {
    waitingBytes = undefined;
  };

  const send = (to: ReadableStreamDirectController, bytes: Uint8Array) => {
    const written = to.write(bytes);
    if (written === 0) return finish();
    if (written instanceof Promise && waitingBytes === undefined) {
      waitingBytes = 0;
      written.then(drained, finish);
    }
    if (waitingBytes === undefined) return;
    waitingBytes += bytes.length;
    if (waitingBytes <= MOST_WAITING_BYTES) return;
    // Without an error the connection would stay open until the client has read all of it.
    to.close(new Error("the client does not read"));
    finish();
  };

  if (gone.aborted) queueMicrotask(finish);
  else gone.addEventListener("abort", finish);
  // The queue of a usual stream takes a promise for each write, and could not drop a slow client.
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    pull(controller) {
      sink = controller;
      for (const bytes of early.splice(0)) send(controller, bytes);
      if (hasEnded) controller.close();
      return ended.promise;
    },
    cancel: finish,
  };
  return {
    // @ts-expect-error The browser's types, which we also use, do not know Bun's direct streams.
    body: new ReadableStream<Uint8Array>(source),
    write(bytes: Uint8Array) {
      if (hasEnded) return;
      if (sink) send(sink, bytes);
      else early.push(bytes);
    },
    /** Ends the stream after what was written. */
    end() {
      if (hasEnded) return;
      finish();
      sink?.close();
    },
  };
}
