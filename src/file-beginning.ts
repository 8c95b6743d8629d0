import { closeSync, openSync, readSync } from "node:fs";

/** The first bytes of a file, which may be endless; `undefined` when it cannot be read. */
export function fileBeginning(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = new Uint8Array(most);
      let length = 0;
      for (;;) {
        const read = readSync(file, bytes, length, most - length, null);
        length += read;
        if (read === 0 || length === most) return bytes.subarray(0, length);
      }
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
