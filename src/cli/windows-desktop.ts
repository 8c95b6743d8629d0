/** Calls of Windows. This file is loaded there only. */
import { dlopen, FFIType, ptr } from "bun:ffi";

/**
 * How many processes share this program's console: none where it has no console, one where Windows
 * has opened one for it, and more in a terminal.
 * https://learn.microsoft.com/en-us/windows/console/getconsoleprocesslist
 */
export function consoleProcesses(): number {
  const { symbols, close } = dlopen("kernel32.dll", {
    GetConsoleProcessList: { args: [FFIType.ptr, FFIType.u32], returns: FFIType.u32 },
  });
  try {
    const ids = new Uint32Array(16);
    return symbols.GetConsoleProcessList(ptr(ids), ids.length);
  } finally {
    close();
  }
}

const ICON_ERROR = 0x10;
const IN_FRONT = 0x1_0000;

/** Shows a message in a window of its own, and returns when it is closed. */
export function showError(text: string): void {
  const { symbols, close } = dlopen("user32.dll", {
    MessageBoxW: {
      args: [FFIType.ptr, FFIType.ptr, FFIType.ptr, FFIType.u32],
      returns: FFIType.i32,
    },
  });
  try {
    symbols.MessageBoxW(null, wide(text), wide("Marquee"), ICON_ERROR | IN_FRONT);
  } finally {
    close();
  }
}

/** A text as Windows reads it: UTF-16, ended by a zero. */
const wide = (text: string): Buffer => Buffer.from(`${text}\0`, "utf16le");
