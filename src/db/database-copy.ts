import { closeSync, openSync, read, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownCommand } from "../own-program.ts";
import { COPY_COMMAND } from "./copy-command.ts";
import { COPY_FILE, DATABASE_FILE, removeDatabase } from "./data-folder.ts";
import { DatabaseError } from "./errors.ts";

/**
 * Why no copy was made: another one is being made or sent, the disk has no room for it, or the client
 * that wanted it has left.
 */
export type CopyRefusal = "running" | "full" | "left";

/**
 * Makes a consistent copy of the database, which is read once, without holding up this process.
 * @throws {DatabaseError} when it cannot be copied
 */
export type TakeCopy = (signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | CopyRefusal>;

/** What stays free on the disk, in bytes. */
const ROOM_BYTES = 16 * 1024 * 1024;
const COPY_WITHIN_MS = 600_000;
const SENT_WITHIN_MS = 3_600_000;
const CHUNK_BYTES = 256 * 1024;

/**
 * Another process makes the copy: it takes seconds of processor time, which this one has for requests.
 * @param folder the data folder, where copies lie until they are sent
 * @param freeBytes how much may still be written there
 */
export function createDatabaseCopies(folder: string, freeBytes: () => number): TakeCopy {
  const path = resolve(folder, COPY_FILE);
  let isRunning = false;

  /** On Windows a file that is open stays: it is removed again when it is closed. */
  const remove = () => {
    try {
      removeDatabase(path);
    } catch {
      // The next copy removes it.
    }
  };

  const make = async (signal: AbortSignal) => {
    const child = Bun.spawn([...ownCommand(COPY_COMMAND, resolve(folder, DATABASE_FILE), path)], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      windowsHide: true,
      signal,
      timeout: COPY_WITHIN_MS,
    });
    const [code, reason] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    if (code !== 0) {
      throw new DatabaseError(`The database could not be copied to ${path}: ${reason.trim()}`);
    }
    return openSync(path, "r");
  };

  /** @returns a function that closes the file, once */
  const endOf = (file: number, signal: AbortSignal) => {
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(late);
      signal.removeEventListener("abort", end);
      closeSync(file);
      remove();
      isRunning = false;
    };
    // A client may leave before it has read anything.
    signal.addEventListener("abort", end);
    const late = setTimeout(end, SENT_WITHIN_MS);
    late.unref();
    return end;
  };

  return async (signal) => {
    if (isRunning) return "running";
    remove();
    if (freeBytes() < sizeOf(join(folder, DATABASE_FILE)) + ROOM_BYTES) return "full";
    isRunning = true;
    try {
      const file = await make(signal);
      // It is read by who has it open, and nobody else finds it, whatever happens to this process.
      remove();
      return streamOf(file, endOf(file, signal));
    } catch (error) {
      remove();
      isRunning = false;
      if (signal.aborted) return "left";
      throw error;
    }
  };
}

/** The next part of a file, in another thread; empty at its end. */
const readPart = (file: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const part = new Uint8Array(CHUNK_BYTES);
    read(file, part, 0, CHUNK_BYTES, null, (error, length) =>
      error ? reject(error) : resolve(part.subarray(0, length)),
    );
  });

/** A part of the file is read when the client has taken the one before. */
const streamOf = (file: number, end: () => void): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      try {
        const part = await readPart(file);
        if (part.length > 0) return controller.enqueue(part);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: end,
  });

/** The size of a database with its write-ahead log, in bytes. */
const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce(
    (bytes, part) => bytes + (statSync(part, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
