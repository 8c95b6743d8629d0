/** Calls of Windows for its desktop and its console. This file is loaded there only. */
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

const READ_AND_WRITE = 0xc000_0000;
const SHARED = 0x3;
const OPEN_EXISTING = 3;
const INVALID_HANDLE = -1n;
/** A click begins a selection; Windows changes this only together with the other flag. */
const QUICK_EDIT = 0x40;
const EXTENDED_FLAGS = 0x80;

/**
 * Keeps a click into the console's window from beginning a selection: until it ends, Windows' own
 * console lets nobody print, and a server that logs a line would stand still. Text can still be
 * marked by the window's menu. Returns what undoes this; does nothing where there is no console.
 * https://learn.microsoft.com/en-us/windows/console/setconsolemode
 */
export function forbidQuickEdit(): () => void {
  const { symbols, close } = dlopen("kernel32.dll", {
    CreateFileW: {
      args: [
        FFIType.ptr,
        FFIType.u32,
        FFIType.u32,
        FFIType.ptr,
        FFIType.u32,
        FFIType.u32,
        FFIType.ptr,
      ],
      returns: FFIType.i64,
    },
    GetConsoleMode: { args: [FFIType.i64, FFIType.ptr], returns: FFIType.i32 },
    SetConsoleMode: { args: [FFIType.i64, FFIType.u32], returns: FFIType.i32 },
    CloseHandle: { args: [FFIType.i64], returns: FFIType.i32 },
  });
  // The console of this program, whatever its standard input is.
  const name = wide("CONIN$");
  const input = symbols.CreateFileW(name, READ_AND_WRITE, SHARED, null, OPEN_EXISTING, 0, null);
  const mode = new Uint32Array(1);
  const modeNow = () => (symbols.GetConsoleMode(input, mode) === 0 ? undefined : mode[0]);
  const end = () => {
    if (input !== INVALID_HANDLE) symbols.CloseHandle(input);
    close();
  };
  const before = modeNow() ?? 0;
  if ((before & QUICK_EDIT) === 0) {
    end();
    return () => {};
  }
  symbols.SetConsoleMode(input, (before & ~QUICK_EDIT) | EXTENDED_FLAGS);
  return () => {
    // Another program of this console may have changed other flags meanwhile.
    symbols.SetConsoleMode(input, (modeNow() ?? before) | QUICK_EDIT | EXTENDED_FLAGS);
    end();
  };
}
