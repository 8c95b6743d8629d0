import { errorCode } from "../error-code.ts";
import { plainText } from "../http/plain-text.ts";
import {
  CONTROL_PATH,
  type ControlLine,
  type ControlRequest,
  LONGEST_REQUEST,
  PROTOCOL,
  readRequest,
} from "./protocol.ts";

/** Where a command writes its lines. */
export interface Lines {
  out(line: string): void;
  error(line: string): void;
}

export interface ControlDeps {
  /**
   * Carries a command out, and resolves with its exit code. Never rejects.
   * @param signal aborts when nobody waits for the answer any more
   */
  carryOut(request: ControlRequest, lines: Lines, signal: AbortSignal): Promise<number>;
  readonly version: string;
}

/** Takes commands from programs of this machine that know the token. */
export interface Control {
  readonly port: number;
  /** 256 random bits in hexadecimal digits. */
  readonly token: string;
  /** Takes no more commands; those that run are cut off. */
  stop(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const TOKEN_BYTES = 32;
/** Commands at once: one that waits for a person, such as `chat link`, takes a place for long. */
const MOST_COMMANDS = 20;
const IDLE_SECONDS = 10;

/** Listens on any free port of this machine. @throws when there is none */
export function listenForCommands({ carryOut, version }: ControlDeps): Control {
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
      if (request.method !== "POST" || !request.url.endsWith(CONTROL_PATH)) {
        return plainText(404, "Not found");
      }
      const asked = readRequest(await request.text());
      if (!asked) return plainText(400, "This is no command");
      if (asked.protocol !== PROTOCOL) {
        return plainText(
          409,
          `The running server is Marquee ${version} and does not understand this program. Use the same version for both, or stop the server first.`,
        );
      }
      if (running >= MOST_COMMANDS) {
        return plainText(503, "The server is busy with other commands. Try again in a moment.");
      }
      running += 1;
      // A command may wait for a person.
      server.timeout(request, 0);
      return linesOf(request, (lines) =>
        carryOut(asked, lines, request.signal).finally(() => {
          running -= 1;
        }),
      );
    },
  });
  return { port: listener.port ?? 0, token, stop: () => listener.stop(true) };
}

/** An answer that sends each line when it is written. */
function linesOf(request: Request, run: (lines: Lines) => Promise<number>): Response {
  const body = new ReadableStream<string>({
    async start(controller) {
      const send = (line: ControlLine) => {
        if (request.signal.aborted) return;
        try {
          controller.enqueue(`${JSON.stringify(line)}\n`);
        } catch (error) {
          // Nobody reads any more.
          if (errorCode(error) !== "ERR_INVALID_STATE") throw error;
        }
      };
      send({ exit: await run({ out: (out) => send({ out }), error: (error) => send({ error }) }) });
      if (!request.signal.aborted) controller.close();
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" },
  });
}
