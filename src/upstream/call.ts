/** What every call to an upstream has in common. */

/** Like `fetch`. */
export type Fetch = (url: string, init: UpstreamInit) => Promise<Response>;

interface UpstreamInit extends BunFetchRequestInit {
  /** Bytes are counted as they come. Bun's types do not know this option of its `fetch`. */
  readonly decompress?: false;
}

export type UpstreamHeaders = ConstructorParameters<typeof Headers>[0];

/** What opens an answer without an end. */
export interface StreamRequest {
  readonly headers?: UpstreamHeaders;
  /** Closes the stream. */
  readonly signal: AbortSignal;
  /** A server that sends nothing for this long is gone, in milliseconds. */
  readonly silenceMs: number;
}

/** For a whole call with its body: without it, a half-open connection would never end. */
export const UPSTREAM_DEADLINE_MS = 5_000;
export const LARGEST_ANSWER_BYTES = 1024 * 1024;

/** Whether an answer's body is compressed, which nobody asked for. */
export function isEncoded({ headers, body }: Response): boolean {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return body !== null && encoding !== "" && encoding !== "identity";
}

/** An upstream gave no usable answer. The message names the address without its query. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
}

/** An upstream has closed a WebSocket. */
export class SocketClosed extends UpstreamError {
  /** The close frame's code; 1006 where there was no such frame. */
  readonly code: number;
  constructor(place: string, code: number) {
    super(`${place} closed the connection (code ${code})`);
    this.code = code;
  }
}

/** A limit of whole megabytes, in words. */
export function sizeText(bytes: number): string {
  return bytes === 1024 * 1024 ? "a megabyte" : `${bytes / (1024 * 1024)} megabytes`;
}
