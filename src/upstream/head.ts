/** The beginning of an HTTP message, for protocols that Bun's server and `fetch` do not take for HTTP. */

export interface Head {
  /** The first line, in which each byte is a character. */
  readonly start: string;
  readonly fields: Headers;
}

export interface HeadReader {
  /**
   * The head, once it is complete with these bytes, and what follows it.
   * @throws {HeadTooLong}
   */
  push(bytes: Uint8Array): { readonly head: Head; readonly rest: Uint8Array } | undefined;
}

export class HeadTooLong extends Error {
  override readonly name = "HeadTooLong";
}

export const LARGEST_HEAD_BYTES = 8 * 1024;
const END = /\r?\n\r?\n/;

export function createHeadReader(): HeadReader {
  let received = Buffer.alloc(0);
  return {
    push(bytes) {
      received = Buffer.concat([received, bytes]);
      const text = received.toString("latin1", 0, LARGEST_HEAD_BYTES);
      const end = END.exec(text);
      if (end) return { head: headIn(text.slice(0, end.index)), rest: restOf(received, end) };
      if (received.length >= LARGEST_HEAD_BYTES) throw new HeadTooLong();
      return undefined;
    },
  };
}

const restOf = (bytes: Uint8Array, { index, 0: end }: RegExpExecArray): Uint8Array =>
  bytes.subarray(index + end.length);

function headIn(text: string): Head {
  const [start = "", ...lines] = text.split(/\r?\n/);
  const fields = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    try {
      if (colon > 0) fields.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch {
      // What cannot be a field says nothing.
    }
  }
  return { start, fields };
}
