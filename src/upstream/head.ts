/** The beginning of an HTTP message, for protocols that Bun's server and `fetch` do not take for HTTP. */

export interface Head {
  /** The first line, in which each byte is a character. */
  readonly start: string;
  readonly fields: Headers;
}

export class HeadTooLong extends Error {
  override readonly name = "HeadTooLong";
}

export const LARGEST_HEAD_BYTES = 8 * 1024;
const END = /\r?\n\r?\n/;
const LONGEST_END = 4;

export function createHeadReader() {
  const received = Buffer.alloc(LARGEST_HEAD_BYTES);
  let filled = 0;
  return {
    /**
     * The head, once it is complete with these bytes, and what follows it.
     * @throws {HeadTooLong}
     */
    push(bytes: Uint8Array) {
      const part = bytes.subarray(0, received.length - filled);
      received.set(part, filled);
      // It may come byte by byte, and is searched only once.
      const from = Math.max(0, filled - LONGEST_END);
      filled += part.length;
      const end = END.exec(received.toString("latin1", from, filled));
      if (end) {
        const endsAt = from + end.index;
        return {
          head: headIn(received.toString("latin1", 0, endsAt)),
          rest: Buffer.concat([
            received.subarray(endsAt + end[0].length, filled),
            bytes.subarray(part.length),
          ]),
        };
      }
      if (filled === received.length) throw new HeadTooLong();
      return undefined;
    },
  };
}

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
