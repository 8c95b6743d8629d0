import { LONGEST_LINE_BYTES } from "./reader-lines.ts";

/** A line is longer than any that the reader writes. */
class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const NEWLINE = 10;

/** The lines of a stream, as they are complete. @throws {LineTooLong} */
export async function* linesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      const part = end === -1 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > LONGEST_LINE_BYTES) throw new LineTooLong("a line has no end");
      parts.push(part);
      if (end === -1) break;
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
  }
}
