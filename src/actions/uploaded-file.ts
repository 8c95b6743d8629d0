import { fileBeginning } from "../file-beginning.ts";
import { Refused } from "../i18n/refused.ts";
import type { Input, Texts } from "./action.ts";

export interface UploadedFile {
  readonly help: string;
  readonly allowed: string;
  /** In bytes; a file of one byte more is passed on, and told apart by the action. */
  readonly largest: number;
  /** The room of what is said of a file that is not taken. */
  readonly refusals: "font" | "cover";
}

/** The input for a file that a form uploads and a command names, and how a command reads it. */
export function uploadedFile({ help, allowed, largest, refusals }: UploadedFile) {
  const unreadable = () =>
    new Refused(`${refusals}.unreadable`, {}, { field: "file", isMisuse: true });
  return {
    input: {
      help,
      allowed,
      isFile: true,
      // Base64 makes four characters of three bytes.
      longest: 4 * Math.ceil((largest + 1) / 3),
      refusal: `${refusals}.tooLarge`,
      parse(text: string): Uint8Array<ArrayBuffer> {
        const bytes = bytesIn(text);
        if (!bytes) throw unreadable();
        return bytes;
      },
    } as const satisfies Input<Uint8Array>,
    readHere({ file, ...texts }: Texts): Texts {
      const bytes = fileBeginning(String(file), largest + 1);
      if (!bytes) throw unreadable();
      return { ...texts, file: bytes.toBase64() };
    },
  };
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
