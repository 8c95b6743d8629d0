/** Reads a 64-bit program for macOS as far as its signature depends on it. */

/** A file is no program that can be signed, or its signature is wrong; the message says why. */
export class MachoError extends Error {
  override readonly name = "MachoError";
}

const MAGIC_64 = 0xfeedfacf;
const ARM64 = 0x0100000c;
const HEADER_BYTES = 32;
const SECTION_BYTES = 80;
/** The load commands that are read here, with their length, a segment's without its sections. */
const SEGMENT = { id: 0x19, bytes: 72 };
const UUID = { id: 0x1b, bytes: 24 };
export const CODE_SIGNATURE = { id: 0x1d, bytes: 16 };

/** What a signature depends on. */
export interface Program {
  readonly isArm64: boolean;
  readonly text: Segment;
  /** The last segment, which holds the signature. */
  readonly last: Segment;
  readonly uuidAt: number;
  readonly commandsEnd: number;
  /** Where the first section's bytes begin: load commands have room up to there. */
  readonly sectionsAt: number;
  /** Its load command, and where it begins: everything before that is signed. */
  readonly signature: { readonly command: number; readonly at: number } | undefined;
}

interface Segment {
  /** Its load command. */
  readonly command: number;
  readonly at: number;
  readonly bytes: number;
}

/** @throws {MachoError} when the file is no whole 64-bit program that ends with its last segment */
export function readProgram(program: Uint8Array): Program {
  const view = viewOf(program);
  if (program.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC_64) {
    throw new MachoError("it is no 64-bit program for macOS");
  }
  const commandsEnd = HEADER_BYTES + view.getUint32(20, true);
  const commands = commandsIn(view, commandsEnd);
  const all = ({ id, bytes }: typeof UUID): number[] => {
    const found = commands.filter((command) => command.id === id);
    if (found.some((command) => command.bytes < bytes)) {
      throw new MachoError("a load command is too short");
    }
    return found.map(({ at }) => at);
  };
  const segments = all(SEGMENT);
  const segmentNamed = (name: string): Segment => {
    const named = segments.filter((at) => textAt(program, at + 8) === name);
    const [command] = named;
    if (command === undefined || named.length > 1) {
      throw new MachoError(`it has ${named.length} segments ${name}`);
    }
    const [at, bytes] = [40, 48].map((offset) => Number(view.getBigUint64(command + offset, true)));
    return { command, at: at ?? 0, bytes: bytes ?? 0 };
  };
  const text = segmentNamed("__TEXT");
  const last = segmentNamed("__LINKEDIT");
  if (last.at + last.bytes !== program.length) {
    throw new MachoError(
      `its last segment ends at byte ${last.at + last.bytes} of ${program.length}`,
    );
  }
  if (text.at + text.bytes > last.at) throw new MachoError("its segments overlap");
  const [uuid, ...otherUuids] = all(UUID);
  if (uuid === undefined || otherUuids.length > 0) throw new MachoError("it has not one UUID");
  const [command, ...others] = all(CODE_SIGNATURE);
  if (others.length > 0) throw new MachoError("it has several signatures");
  const signature =
    command === undefined ? undefined : { command, at: view.getUint32(command + 8, true) };
  if (signature) {
    const end = signature.at + view.getUint32(signature.command + 12, true);
    if (end !== program.length || signature.at < Math.max(commandsEnd, last.at)) {
      throw new MachoError("its signature is not at its end");
    }
  }
  return {
    isArm64: view.getUint32(4, true) === ARM64,
    text,
    last,
    uuidAt: uuid + 8,
    commandsEnd,
    sectionsAt: Math.min(program.length, ...segments.flatMap((at) => sectionsOf(view, at))),
    signature,
  };
}

/** The load commands. @throws {MachoError} when they are cut off */
function commandsIn(view: DataView, end: number) {
  const commands: { id: number; at: number; bytes: number }[] = [];
  let at = HEADER_BYTES;
  while (at + 8 <= Math.min(end, view.byteLength)) {
    const bytes = view.getUint32(at + 4, true);
    if (bytes < 8) break;
    commands.push({ id: view.getUint32(at, true), at, bytes });
    at += bytes;
  }
  if (at === end && end <= view.byteLength && commands.length === view.getUint32(16, true)) {
    return commands;
  }
  throw new MachoError("its load commands are cut off");
}

/** Where the sections of a segment begin in the file; those that are empty there begin nowhere. */
function sectionsOf(view: DataView, segment: number): number[] {
  const count = view.getUint32(segment + 64, true);
  if (SEGMENT.bytes + count * SECTION_BYTES > view.getUint32(segment + 4, true)) {
    throw new MachoError("a load command is too short");
  }
  return Array.from({ length: count }, (_, index) =>
    view.getUint32(segment + SEGMENT.bytes + index * SECTION_BYTES + 48, true),
  ).filter((at) => at > 0);
}

/** A name of up to 16 bytes. */
const textAt = (bytes: Uint8Array, at: number): string =>
  Buffer.from(bytes.subarray(at, at + 16))
    .toString("latin1")
    .replace(/\0+$/, "");

/** The bytes as numbers. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
