/** Reads what comes from outside: the bytes of answers, pushed bodies, forms and queries, and JSON. */

/** A text that begins with one of these says itself what it is. */
const MARKS: readonly (readonly [charset: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The text of bytes: in the charset of their byte order mark, else in the one that is declared, else
 * in UTF-8, else in windows-1252, which old programs for Windows send and every byte has a sign in.
 * @param contentType the header that may declare a charset
 */
export function decodeText(bytes: Uint8Array, contentType: string | null = null): string {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  const declared = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? "")?.[1];
  for (const charset of [marked, declared, "utf-8"]) {
    const text = charset === undefined ? undefined : decodedAs(charset, bytes);
    if (text !== undefined) return text;
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** The text of an answer. */
export const textIn = async (answer: Response): Promise<string> =>
  decodeText(new Uint8Array(await answer.arrayBuffer()), answer.headers.get("content-type"));

/** The text of bytes in a charset; `undefined` where they are no text in it, or nobody knows it. */
export function decodedAs(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The fields of a form or a query. Its percent-encoded bytes are read as {@link decodeText} reads
 * them; `URLSearchParams` takes all for UTF-8.
 */
export function decodeForm(text: string, contentType: string | null = null): URLSearchParams {
  const fields = new URLSearchParams();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const [name = "", ...rest] = pair.split("=");
    fields.append(decodePart(name, contentType), decodePart(rest.join("="), contentType));
  }
  return fields;
}

function decodePart(part: string, contentType: string | null): string {
  const spaced = part.replaceAll("+", " ");
  return /%[\da-f]{2}/i.test(spaced) ? decodeText(bytesOf(spaced), contentType) : spaced;
}

/** The bytes of a text whose percent-encoded parts are bytes. */
const bytesOf = (text: string): Uint8Array =>
  Buffer.concat(
    text
      .split(/((?:%[\da-f]{2})+)/i)
      .map((part, index) =>
        index % 2 === 1 ? Buffer.from(part.replaceAll("%", ""), "hex") : Buffer.from(part),
      ),
  );

/** The JSON in a text; `undefined` when there is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
