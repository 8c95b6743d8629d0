/** The Windows Runtime: its texts, its classes, and operations that end later. */
import { dlopen, FFIType, type Pointer, ptr, toArrayBuffer } from "bun:ffi";
import { ComError, ComObject, hexOf, idBytes, needed, objectAt, returned } from "./com.ts";
import { INTERFACES } from "./interfaces.ts";

/** The functions of combase.dll that the reader needs. */
export interface Combase {
  RoInitialize(threads: number): number;
  WindowsCreateString(text: Pointer, length: number, place: Pointer): number;
  WindowsDeleteString(text: Pointer): number;
  WindowsGetStringRawBuffer(text: Pointer, length: Pointer): Pointer | null;
  RoGetActivationFactory(name: Pointer, id: Pointer, place: Pointer): number;
}

/** Loads combase.dll. Works on Windows only. */
export function loadCombase(): Combase {
  const { ptr: address, i32, u32 } = FFIType;
  return dlopen("combase.dll", {
    RoInitialize: { args: [i32], returns: i32 },
    WindowsCreateString: { args: [address, u32, address], returns: i32 },
    WindowsDeleteString: { args: [address], returns: i32 },
    WindowsGetStringRawBuffer: { args: [address, address], returns: address },
    RoGetActivationFactory: { args: [address, address, address], returns: i32 },
  }).symbols as unknown as Combase;
}

const SEVERAL_THREADS = 1;
/** The thread has been set up in another way, which does as well. */
const CHANGED_MODE = 0x80010106 | 0;
/** Enough for any title, and no more. */
const LONGEST_TEXT = 4_000;

const STATUS = { started: 0, completed: 1, error: 3 } as const;
const COMPLETES_WITHIN_MS = 2_000;
const ASK_AGAIN_MS = 2;
const NEVER_CAME = 0x800705b4;

export type Runtime = ReturnType<typeof createRuntime>;

export interface RuntimeDeps {
  readonly combase: Combase;
  readonly clock: { monotonicMs(): number; pause(ms: number): Promise<void> };
}

/** Sets up this thread for the Windows Runtime. @throws {ComError} */
export function createRuntime({ combase, clock }: RuntimeDeps) {
  const place = new DataView(new ArrayBuffer(8));
  const placeAddress = ptr(place);
  const check = (result: number, what: string) => {
    if (result < 0) throw new ComError(result, what);
  };
  const placed = () => Number(place.getBigUint64(0, true)) as Pointer;
  const made = combase.RoInitialize(SEVERAL_THREADS);
  if (made !== CHANGED_MODE) check(made, "RoInitialize");

  const withText = (text: string, use: (text: Pointer) => void) => {
    const units = Buffer.from(text, "utf16le");
    check(combase.WindowsCreateString(ptr(units), text.length, placeAddress), text);
    const handle = placed();
    try {
      use(handle);
    } finally {
      combase.WindowsDeleteString(handle);
    }
  };

  const decode = (text: Pointer): string => {
    const units = combase.WindowsGetStringRawBuffer(text, placeAddress);
    const length = Math.min(place.getUint32(0, true), LONGEST_TEXT);
    if (units === null || length === 0) return "";
    return new TextDecoder("utf-16le").decode(toArrayBuffer(units, 0, length * 2));
  };

  return {
    /** The factory of a class, by an interface of it. @throws {ComError} */
    factory(className: string, interfaceId: string): ComObject {
      let found: ComObject | null = null;
      withText(className, (name) => {
        place.setBigUint64(0, 0n);
        const id = ptr(idBytes(interfaceId));
        check(combase.RoGetActivationFactory(name, id, placeAddress), className);
        found = objectAt(placed() || null);
      });
      return needed(found, className);
    },
    /** The text that a method returns. @throws {ComError} */
    text(object: ComObject, slot: number, what: string): string {
      const text = object.read(slot, what, returned.address);
      // No text is an empty one.
      if (text === null) return "";
      try {
        return decode(text);
      } finally {
        combase.WindowsDeleteString(text);
      }
    },
    /**
     * The result of an operation, which is released; `null` where it has none.
     * @param getResults the method's place
     * @throws {ComError} also when it does not end within two seconds
     */
    async complete(operation: ComObject, getResults: number, what: string) {
      using running = operation;
      using info = running.as(INTERFACES.asyncInfo.id, what);
      const { status, errorCode, cancel, close } = INTERFACES.asyncInfo.slots;
      const statusNow = () => info.read(status, what, returned.i32);
      const giveUpAtMs = clock.monotonicMs() + COMPLETES_WITHIN_MS;
      let state = statusNow();
      while (state === STATUS.started) {
        if (clock.monotonicMs() >= giveUpAtMs) {
          // One that has not ended may not be closed.
          info.call(cancel, what, "none");
          throw new ComError(NEVER_CAME, what);
        }
        await clock.pause(ASK_AGAIN_MS);
        state = statusNow();
      }
      try {
        if (state === STATUS.completed) return running.get(getResults, what);
        throw new ComError(info.read(errorCode, what, returned.i32), what);
      } finally {
        info.call(close, what, "none");
      }
    },
  };
}

/** A class is missing: Windows is older than version 1809, or an edition without media. */
const CLASS_NOT_REGISTERED = 0x80040154;
const ACCESS_DENIED = 0x80070005;

/** Why the sessions cannot be read, as the end of a sentence that begins with the source's name. */
export function explain(error: unknown): string {
  if (!(error instanceof ComError)) return error instanceof Error ? error.name : "an error";
  const result = error.result >>> 0;
  if (result === CLASS_NOT_REGISTERED) {
    return `this Windows has no media sessions: it needs Windows 10, version 1809, or later (${hexOf(result)})`;
  }
  if (result === ACCESS_DENIED) {
    return `Windows refuses them: Marquee has to run as the user who is signed in, not as a service (${hexOf(result)})`;
  }
  return `Windows answered ${error.message}`;
}
