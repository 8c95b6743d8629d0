/**
 * Signs programs for macOS ad hoc, as `codesign --sign -` does, and checks such signatures.
 *
 * Bun writes into its own signed program and leaves the signature as it was (x64), or signs it anew
 * under the name `a.out` (arm64). Every program that it makes has Bun's UUID, by which macOS tells
 * programs apart. A page whose hash is wrong ends a program where its signature asks for the hardened
 * runtime, as Bun's does. Ours does not ask for it, and so needs no entitlements for a JIT.
 *
 * The format: https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
 * Everything in a signature is big-endian, everything else in the file little-endian.
 */
import { CODE_SIGNATURE, MachoError, readProgram, viewOf } from "./program.ts";

const PAGE_BYTES = 4_096;
const HASH_BYTES = 32;
const SIGNATURE_ALIGNMENT = 16;

/** An ad hoc signature has three parts: a code directory, no requirements, and no certificate. */
const SIGNATURE_MAGIC = 0xfade0cc0;
const PARTS = [0, 2, 0x10000] as const;
const PARTS_AT = 12 + 8 * PARTS.length;
const REQUIREMENTS = Uint8Array.fromHex("fade0c010000000c00000000");
const CERTIFICATE = Uint8Array.fromHex("fade0b0100000008");

const DIRECTORY_MAGIC = 0xfade0c02;
/** The first version that says where the main program's code is. */
const DIRECTORY_VERSION = 0x20400;
const AD_HOC = 0x2;
/** Hashes of 32 bytes by SHA-256, for no platform, of pages of 2¹² bytes. */
const HASHES = 0x20_02_00_0c;
const MAIN_PROGRAM = 1;
/** The name by which macOS knows the program, whatever its file is called. */
const IDENTIFIER = new TextEncoder().encode("marquee\0");
const IDENTIFIER_AT = 88;
/** Of the requirements, and of Info.plist, which a program without a folder does not have. */
const SPECIAL_HASHES = [sha256(REQUIREMENTS), new Uint8Array(HASH_BYTES)];
const HASHES_AT = IDENTIFIER_AT + IDENTIFIER.length + SPECIAL_HASHES.length * HASH_BYTES;

/**
 * The program with a UUID of its own and an ad hoc signature. The same program always becomes the
 * same bytes, and a program that this has signed stays as it is.
 * @throws {MachoError}
 */
export function signMacho(program: Uint8Array): Uint8Array<ArrayBuffer> {
  const { isArm64, text, last, uuidAt, commandsEnd, sectionsAt, signature } = readProgram(program);
  const codeBytes = signature?.at ?? alignUp(program.length, SIGNATURE_ALIGNMENT);
  const directoryBytes = HASHES_AT + pagesOf(codeBytes) * HASH_BYTES;
  const requirementsAt = PARTS_AT + directoryBytes;
  const certificateAt = requirementsAt + REQUIREMENTS.length;
  const usedBytes = certificateAt + CERTIFICATE.length;
  const signatureBytes = alignUp(usedBytes, SIGNATURE_ALIGNMENT);

  const signed = new Uint8Array(codeBytes + signatureBytes);
  signed.set(program.subarray(0, codeBytes));
  const view = viewOf(signed);
  const command = signature?.command ?? commandsEnd;
  if (!signature) {
    if (commandsEnd + CODE_SIGNATURE.bytes > sectionsAt) {
      throw new MachoError("there is no room for a signature's load command");
    }
    view.setUint32(16, view.getUint32(16, true) + 1, true);
    view.setUint32(20, view.getUint32(20, true) + CODE_SIGNATURE.bytes, true);
    view.setUint32(command, CODE_SIGNATURE.id, true);
    view.setUint32(command + 4, CODE_SIGNATURE.bytes, true);
  }
  view.setUint32(command + 8, codeBytes, true);
  view.setUint32(command + 12, signatureBytes, true);
  const lastBytes = signed.length - last.at;
  const memoryBytes = alignUp(lastBytes, isArm64 ? 16_384 : 4_096);
  view.setBigUint64(last.command + 32, BigInt(memoryBytes), true);
  view.setBigUint64(last.command + 48, BigInt(lastBytes), true);

  const code = signed.subarray(0, codeBytes);
  code.fill(0, uuidAt, uuidAt + 16);
  code.set(uuidFrom(sha256(code)), uuidAt);

  let at = codeBytes;
  const write = (...values: readonly (number | Uint8Array)[]) => {
    for (const value of values) {
      if (typeof value === "number") view.setUint32(at, value);
      else signed.set(value, at);
      at += typeof value === "number" ? 4 : value.length;
    }
  };
  write(SIGNATURE_MAGIC, usedBytes, PARTS.length);
  write(PARTS[0], PARTS_AT, PARTS[1], requirementsAt, PARTS[2], certificateAt);
  write(DIRECTORY_MAGIC, directoryBytes, DIRECTORY_VERSION, AD_HOC, HASHES_AT, IDENTIFIER_AT);
  write(SPECIAL_HASHES.length, pagesOf(codeBytes), codeBytes, HASHES, 0, 0, 0, 0, 0, 0);
  write(0, text.at, 0, text.bytes, 0, MAIN_PROGRAM, IDENTIFIER, ...SPECIAL_HASHES);
  for (let page = 0; page < pagesOf(codeBytes); page++) write(pageHash(code, page));
  write(REQUIREMENTS, CERTIFICATE);
  return signed;
}

/**
 * Checks that a program is signed as {@link signMacho} signs it. Every byte of the file counts.
 * @throws {MachoError} naming the first thing that is wrong
 */
export function verifyMacho(program: Uint8Array): void {
  const { signature, text } = readProgram(program);
  if (!signature) throw new MachoError("it is not signed");
  const code = program.subarray(0, signature.at);
  const { directory, requirements, certificate } = readParts(program.subarray(signature.at));
  if (!isEqual(requirements, REQUIREMENTS) || !isEqual(certificate, CERTIFICATE)) {
    throw new MachoError("its signature has requirements or a certificate");
  }
  const pages = pagesOf(code.length);
  if (directory.length !== HASHES_AT + pages * HASH_BYTES) {
    throw new MachoError(`its signature has not the length for ${pages} pages`);
  }
  const view = viewOf(directory);
  const head: readonly number[] = [
    ...[DIRECTORY_MAGIC, directory.length, DIRECTORY_VERSION, AD_HOC, HASHES_AT, IDENTIFIER_AT],
    ...[SPECIAL_HASHES.length, pages, code.length, HASHES, 0, 0, 0, 0, 0, 0],
    ...[0, text.at, 0, text.bytes, 0, MAIN_PROGRAM],
  ];
  const wrong = head.findIndex((value, index) => view.getUint32(4 * index) !== value);
  if (wrong >= 0) throw new MachoError(`its code directory is wrong at byte ${4 * wrong}`);
  const named = Buffer.concat([IDENTIFIER, ...SPECIAL_HASHES]);
  if (!isEqual(directory.subarray(IDENTIFIER_AT, HASHES_AT), named)) {
    throw new MachoError("its signature has another name, or is for other requirements");
  }
  let wrongPages = 0;
  for (let page = 0; page < pages; page++) {
    const at = HASHES_AT + page * HASH_BYTES;
    if (!isEqual(directory.subarray(at, at + HASH_BYTES), pageHash(code, page))) wrongPages += 1;
  }
  if (wrongPages > 0) {
    throw new MachoError(`the hashes of ${wrongPages} of its ${pages} pages are wrong`);
  }
}

/** The parts of a signature, which lie one after the other. @throws {MachoError} */
function readParts(signature: Uint8Array) {
  const view = viewOf(signature);
  const word = (index: number) => (index * 4 < signature.length ? view.getUint32(index * 4) : 0);
  const usedBytes = word(1);
  const [directoryAt, requirementsAt, certificateAt] = [word(4), word(6), word(8)];
  const padding = signature.subarray(usedBytes);
  const isAdHoc =
    word(0) === SIGNATURE_MAGIC &&
    word(2) === PARTS.length &&
    PARTS.every((part, index) => word(3 + 2 * index) === part) &&
    directoryAt === PARTS_AT &&
    directoryAt <= requirementsAt &&
    requirementsAt <= certificateAt &&
    certificateAt <= usedBytes &&
    alignUp(usedBytes, SIGNATURE_ALIGNMENT) === signature.length &&
    padding.every((byte) => byte === 0);
  if (!isAdHoc) throw new MachoError("its signature is not an ad hoc one");
  return {
    directory: signature.subarray(directoryAt, requirementsAt),
    requirements: signature.subarray(requirementsAt, certificateAt),
    certificate: signature.subarray(certificateAt, usedBytes),
  };
}

/** The hash of a page; the last page is hashed as far as it goes. */
const pageHash = (code: Uint8Array, page: number): Uint8Array =>
  sha256(code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES));

const pagesOf = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES);

/** A UUID of version 8, which is for what others define, from a hash. */
function uuidFrom(hash: Uint8Array): Uint8Array {
  const uuid = hash.slice(0, 16);
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return uuid;
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(bytes).digest();
}

const alignUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
