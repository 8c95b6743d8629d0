import { atMost, type Clock } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import { plainText } from "../http/plain-text.ts";
import type { Io } from "./execution.ts";
import {
  CONTROL_PATH,
  type ControlLine,
  type ControlRequest,
  LONGEST_REQUEST,
  readRequest,
  SIGN_EVERY_MS,
} from "./protocol.ts";

/** Where a command writes its lines. */
export type Lines = Pick<Io, "out" | "error">;

export interface ControlDeps {
  /**
   * Carries a command out, and resolves with its exit code. Never rejects.
   * @param signal aborts when nobody waits for the answer any more
   */
  carryOut(request: ControlRequest, lines: Lines, signal: AbortSignal): Promise<number>;
  readonly version: string;
  readonly clock: Clock;
}

/** Takes commands from programs of this machine that know the token. */
export type Control = ReturnType<typeof listenForCommands>;

const LOOPBACK = "127.0.0.1";
const TOKEN_BYTES = 32;
/** Commands at once: one that waits for a person, such as `chat link`, takes a place for long. */
export const MOST_COMMANDS = 20;
/** How long a request may take to arrive. */
const IDLE_SECONDS = 10;
/** How long the reader of a long answer, such as a pager, may pause after the command is done. */
const READER_PAUSES_SECONDS = 600;

/** Listens on any free port of this machine. @throws when there is none */
export function listenForCommands({ carryOut, version, clock }: ControlDeps) {
  const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex();
  const expected = Buffer.from(`Bearer ${token}`);
  let running = 0;

  const isAllowed = (request: Request, port: number | undefined): boolean => {
    const { headers } = request;
    const sent = Buffer.from(headers.get("authorization") ?? "");
    return (
      sent.length === expected.length &&
      crypto.timingSafeEqual(sent, expected) &&
      // No page of a browser comes here, whatever name leads to this machine.
      headers.get("host") === `${LOOPBACK}:${port}` &&
      headers.get("origin") === null
    );
  };

  const listener = Bun.serve({
    hostname: LOOPBACK,
    port: 0,
    reusePort: false,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LONGEST_REQUEST,
    error: () => plainText(500, "The command could not be carried out"),
    async fetch(request, server) {
      if (!isAllowed(request, server.port)) return plainText(401, "Not allowed");
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== CONTROL_PATH) {
        return plainText(404, "Not found");
      }
      const asked = readRequest(await request.text());
      if (!asked) return plainText(400, "This is no command");
      if (asked === "other protocol") {
        return plainText(
          409,
          `The running server is Marquee ${version} and does not understand this program, which is of another version. Use the same one for both: stop the server with "marquee stop", and start it again.`,
        );
      }
      if (running >= MOST_COMMANDS) {
        return plainText(503, "The server is busy with other commands. Try again in a moment.");
      }
      running += 1;
      // A command may wait for a person.
      server.timeout(request, 0);
      return linesOf(request, clock, async (lines) => {
        try {
          return await carryOut(asked, lines, request.signal);
        } finally {
          running -= 1;
          server.timeout(request, READER_PAUSES_SECONDS);
        }
      });
    },
  });
  return {
    port: listener.port ?? 0,
    /** 256 random bits in hexadecimal digits. */
    token,
    /** Takes no more commands; those that run are cut off. */
    stop: () => listener.stop(true),
  };
}

/** An answer that sends each line when it is written, and at once and every few seconds an empty one. */
function linesOf(
  { signal }: Request,
  clock: Clock,
  run: (lines: Lines) => Promise<number>,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (text: string) => {
        if (signal.aborted) return;
        try {
          controller.enqueue(encoder.encode(`${text}\n`));
        } catch (error) {
          // Nobody reads any more.
          if (errorCode(error) !== "ERR_INVALID_STATE") throw error;
        }
      };
      const send = (line: ControlLine) => write(JSON.stringify(line));
      const running = run({ out: (out) => send({ out }), error: (error) => send({ error }) });
      let isOver = false;
      const ended = running.finally(() => (isOver = true));
      while (!isOver) {
        write("");
        await atMost(clock, SIGN_EVERY_MS, ended);
      }
      send({ exit: await running });
      if (!signal.aborted) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "application/x-ndjson",
      "Cache-Control": "no-store",
      Connection: "close",
    },
  });
}
