import { UnreadableAnswer } from "../../../upstream/json.ts";

/** One answer of MPD: its fields in order (names may repeat), and its binary part, if any. */
export interface MpdResponse {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly binary: Uint8Array | null;
}

/** MPD refused a command: `ACK [code@index] {command} message`. */
export class MpdRefusal extends Error {
  override readonly name = "MpdRefusal";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Error codes of https://github.com/MusicPlayerDaemon/MPD/blob/master/src/protocol/Ack.hxx */
export const ACK_PASSWORD = 3;
export const ACK_PERMISSION = 4;

/** Real tags are far smaller than this; a peer that exceeds it is not trusted. */
const LONGEST_LINE_BYTES = 64 * 1024;
const LONGEST_ANSWER_BYTES = 1024 * 1024;

/**
 * Reads MPD's answers from bytes as they arrive, in pieces of any size.
 * Works on bytes, not text, because `binary: N` is followed by N raw bytes.
 */
export class MpdResponseReader {
  #pending: Uint8Array = new Uint8Array();
  #fields: (readonly [string, string])[] = [];
  #binary: Uint8Array | null = null;
  #awaitedBinaryBytes: number | null = null;
  #answerBytes = 0;
  readonly #decoder = new TextDecoder();

  /**
   * Takes the next bytes and returns the answers they complete.
   * @throws {UnreadableAnswer} when they are not a valid MPD answer
   */
  push(bytes: Uint8Array): (MpdResponse | MpdRefusal)[] {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    const answers: (MpdResponse | MpdRefusal)[] = [];
    while (this.#takeBinary() || this.#takeLine(answers)) {
      // Each iteration has consumed some bytes.
    }
    return answers;
  }

  #takeBinary(): boolean {
    const size = this.#awaitedBinaryBytes;
    // A newline follows the bytes.
    if (size === null || this.#pending.length < size + 1) return false;
    this.#binary = Uint8Array.from(this.#pending.subarray(0, size));
    this.#pending = this.#pending.subarray(size + 1);
    this.#awaitedBinaryBytes = null;
    return true;
  }

  #takeLine(answers: (MpdResponse | MpdRefusal)[]): boolean {
    if (this.#awaitedBinaryBytes !== null) return false;
    const end = this.#pending.indexOf(0x0a);
    if (end === -1) {
      if (this.#pending.length > LONGEST_LINE_BYTES)
        throw new UnreadableAnswer("a line is too long");
      return false;
    }
    const line = this.#decoder.decode(this.#pending.subarray(0, end));
    this.#pending = this.#pending.subarray(end + 1);
    this.#answerBytes += end + 1;
    if (this.#answerBytes > LONGEST_ANSWER_BYTES)
      throw new UnreadableAnswer("an answer is too long");

    if (line === "OK" || line.startsWith("OK MPD ")) {
      answers.push({ fields: this.#fields, binary: this.#binary });
      this.#startAnswer();
    } else if (line.startsWith("ACK ")) {
      answers.push(parseRefusal(line));
      this.#startAnswer();
    } else {
      this.#takeField(line);
    }
    return true;
  }

  #takeField(line: string): void {
    const colon = line.indexOf(": ");
    if (colon < 1) throw new UnreadableAnswer("a line is neither a field nor OK nor ACK");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (name !== "binary") {
      this.#fields.push([name, value]);
      return;
    }
    if (this.#binary) throw new UnreadableAnswer("an answer has two binary parts");
    const size = Number(value);
    if (!Number.isInteger(size) || size < 0 || size > LONGEST_ANSWER_BYTES) {
      throw new UnreadableAnswer("a binary answer has no sensible size");
    }
    this.#awaitedBinaryBytes = size;
  }

  #startAnswer(): void {
    this.#fields = [];
    this.#binary = null;
    this.#answerBytes = 0;
  }
}

/** The value of the first field of this name. */
export function fieldOf(response: MpdResponse, name: string): string | undefined {
  return response.fields.find(([field]) => field === name)?.[1];
}

/** The values of all fields of this name, in order. */
export function fieldsOf(response: MpdResponse, name: string): string[] {
  return response.fields.filter(([field]) => field === name).map(([, value]) => value);
}

/** Quotes an argument for MPD. Line breaks are removed, since an argument cannot contain them. */
export function quote(argument: string): string {
  return `"${argument.replaceAll(/[\r\n]/g, "").replaceAll(/[\\"]/g, "\\$&")}"`;
}

function parseRefusal(line: string): MpdRefusal {
  const match = /^ACK \[(\d+)@\d+\] \{[^}]*\} (.*)$/.exec(line);
  return new MpdRefusal(Number(match?.[1] ?? 0), match?.[2] ?? "unknown");
}
