/**
 * Calls of COM objects by their addresses. Every method is `HRESULT f(this, …)`, and `this` is the
 * address of the address of a table of functions.
 * https://learn.microsoft.com/en-us/windows/win32/com/com-technical-overview
 */
import { CFunction, FFIType, type Pointer, ptr, read } from "bun:ffi";
import { UNKNOWN } from "./interfaces.ts";

/** What Windows answered instead of success. */
export class ComError extends Error {
  override readonly name = "ComError";
  /** Such as 0x80070005. */
  readonly result: number;
  constructor(result: number, during: string) {
    super(`${hexOf(result)} at ${during}`);
    this.result = result;
  }
}

/** Such as `0x80070005`. */
export const hexOf = (result: number): string =>
  `0x${(result >>> 0).toString(16).padStart(8, "0").toUpperCase()}`;

/** What follows `this` in a method's arguments; `place` is where it stores what it returns. */
const SIGNATURES = {
  none: [],
  place: [FFIType.ptr],
  numberThenPlace: [FFIType.u32, FFIType.ptr],
  idThenPlace: [FFIType.ptr, FFIType.ptr],
  read: [FFIType.ptr, FFIType.u32, FFIType.u32, FFIType.ptr],
} as const;
export type Signature = keyof typeof SIGNATURES;

type Call = (...given: readonly (number | Pointer)[]) => number;

/** A method's function by its address and signature. Making one costs memory that is never freed. */
const functions = new Map<string, Call>();

function functionAt(address: Pointer, signature: Signature): Call {
  const key = `${address} ${signature}`;
  const known = functions.get(key);
  if (known) return known;
  const made = CFunction({
    ptr: address,
    args: [FFIType.ptr, ...SIGNATURES[signature]],
    returns: FFIType.i32,
  }) as unknown as Call;
  functions.set(key, made);
  return made;
}

/** How many functions have been made. */
export const functionsMade = (): number => functions.size;

/**
 * Where methods store what they return. One is enough: a call is over, and its result read, before
 * the next one. The buffer is made first: a view's own one could move.
 */
const place = new DataView(new ArrayBuffer(64));
const placeAddress = ptr(place);

/** What a method has stored: one reading after each call. */
export const returned = {
  address: (): Pointer | null => pointerOf(place.getBigUint64(0, true)),
  u32: (): number => place.getUint32(0, true),
  i32: (): number => place.getInt32(0, true),
  i64: (): bigint => place.getBigInt64(0, true),
  f64: (): number => place.getFloat64(0, true),
};

/** Addresses of programs end below 2⁴⁷, so they fit into a number. */
function pointerOf(address: bigint): Pointer | null {
  return address === 0n ? null : (Number(address) as Pointer);
}

/** An address that Windows gave, to be released once. */
export class ComObject implements Disposable {
  readonly address: Pointer;
  #isReleased = false;

  constructor(address: Pointer) {
    this.address = address;
  }

  /**
   * Calls the method at a place of the table.
   * @param given what its signature names before the place for the result
   * @throws {ComError}
   */
  call(slot: number, what: string, signature: Signature, ...given: (number | Pointer)[]): void {
    if (this.#isReleased) throw new Error(`${what} of an object that was released`);
    const table = read.ptr(this.address) as Pointer;
    const method = functionAt(read.ptr(table, slot * 8) as Pointer, signature);
    place.setBigUint64(0, 0n);
    const isWithPlace = signature !== "none";
    const result = method(this.address, ...given, ...(isWithPlace ? [placeAddress] : []));
    if (result < 0) throw new ComError(result, what);
  }

  /** The number that a method returns. @throws {ComError} */
  read<Read>(slot: number, what: string, reading: () => Read): Read {
    this.call(slot, what, "place");
    return reading();
  }

  /** The object that a method returns; `null` where it returns none. @throws {ComError} */
  get(slot: number, what: string): ComObject | null {
    return objectAt(this.read(slot, what, returned.address));
  }

  /** The same object by another of its interfaces. @throws {ComError} */
  as(id: string, what: string): ComObject {
    this.call(UNKNOWN.queryInterface, what, "idThenPlace", ptr(idBytes(id)));
    return needed(objectAt(returned.address()), what);
  }

  [Symbol.dispose](): void {
    if (this.#isReleased) return;
    const table = read.ptr(this.address) as Pointer;
    const release = functionAt(read.ptr(table, UNKNOWN.release * 8) as Pointer, "none");
    release(this.address);
    this.#isReleased = true;
  }
}

export const objectAt = (address: Pointer | null): ComObject | null =>
  address === null ? null : new ComObject(address);

const E_POINTER = 0x80004003;

/** An object that has to be there. @throws {ComError} */
export function needed(object: ComObject | null, what: string): ComObject {
  if (object === null) throw new ComError(E_POINTER, what);
  return object;
}

const ids = new Map<string, Uint8Array>();

/** The 16 bytes of an interface's id: three numbers with the low byte first, then eight bytes. */
export function idBytes(id: string): Uint8Array {
  const known = ids.get(id);
  if (known) return known;
  const [first = "", second = "", third = "", ...rest] = id.split("-");
  const view = new DataView(new ArrayBuffer(16));
  view.setUint32(0, Number.parseInt(first, 16), true);
  view.setUint16(4, Number.parseInt(second, 16), true);
  view.setUint16(6, Number.parseInt(third, 16), true);
  const bytes = new Uint8Array(view.buffer);
  bytes.set(Uint8Array.fromHex(rest.join("")), 8);
  // It stays where it is, and referenced, as long as the program runs.
  ids.set(id, bytes);
  return bytes;
}
