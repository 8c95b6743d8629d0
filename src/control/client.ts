import { atMost, type Clock, systemClock } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import {
  CONTROL_PATH,
  type ControlRequest,
  LONGEST_REQUEST,
  readLine,
  SIGN_EVERY_MS,
  writeRequest,
} from "./protocol.ts";
import type { Lines } from "./server.ts";
import { CommandError, EXIT } from "./execution.ts";
import { fetchDirectly } from "../upstream/public-hosts.ts";

/** The server that wrote where it takes commands is gone, or about to go. */
export class ServerGoneError extends CommandError {
  /** Whether it has taken the command. If not, whoever looks again may find another server, or none. */
  readonly hasTaken: boolean;

  constructor({ pid }: CommandedServer, hasTaken: boolean, cause?: unknown) {
    super(hasTaken ? GONE : notTaken(pid), { cause });
    this.hasTaken = hasTaken;
  }
}

/** Where the running server takes commands. */
export interface ControlPlace {
  readonly port: number;
  readonly token: string;
}

/** The running server, as it has written it. */
export interface CommandedServer {
  readonly pid: number;
  readonly control: ControlPlace;
}

/** A server that sends nothing for so long is stuck. It may be busy with a large database for some seconds. */
const SILENT_MS = 6 * SIGN_EVERY_MS;

const GONE =
  "The server has stopped before the command was done. Start it again, and look whether the command has taken effect.";
const notTaken = (pid: number) =>
  `The running server takes no commands. Try again; if that does not help, end its process (pid ${pid}).`;
const stuck = (pid: number) =>
  `The running server has not answered for ${SILENT_MS / 1000} seconds. End its process (pid ${pid}), start it again, and look whether the command has taken effect.`;

/**
 * Has the running server carry a command out, and writes the lines of its answer as they come.
 * Resolves with the exit code.
 * @throws {CommandError} when the server does not answer, refuses, or stops in the middle
 * @throws whatever writing a line throws
 */
export async function askServer(
  server: CommandedServer,
  request: ControlRequest,
  lines: Lines,
  clock: Clock,
): Promise<number> {
  const body = writeRequest(request);
  if (Buffer.byteLength(body) > LONGEST_REQUEST) {
    throw new CommandError(
      `The command is longer than the ${LONGEST_REQUEST / 1024} KiB that the running server takes. Give less at once.`,
    );
  }
  const ending = new AbortController();
  /** What the server sends next. */
  const next = async <Sent>(sent: Promise<Sent>): Promise<Sent> => {
    const known = await atMost(clock, SILENT_MS, sent);
    if (known === undefined) throw new CommandError(stuck(server.pid));
    return known;
  };
  try {
    const answer = await next(send(server, body, ending.signal));
    if (answer.status !== 200) throw await next(refusalOf(server, answer));
    return await exitIn(server, answer, lines, next);
  } finally {
    // Nobody waits any more.
    ending.abort();
  }
}

/**
 * The lines of the running server's answer; `undefined` when it has not done the command, and has said why.
 * @throws {CommandError} as {@link askServer}
 */
export async function answerOf(
  server: CommandedServer,
  request: ControlRequest,
  { error }: Pick<Lines, "error">,
): Promise<readonly string[] | undefined> {
  const answer: string[] = [];
  const lines = { out: (line: string) => void answer.push(line), error };
  const code = await askServer(server, request, lines, systemClock);
  return code === EXIT.done ? answer : undefined;
}

/** Whether somebody listens where the server takes commands. */
export const isListening = ({ control: { port } }: CommandedServer): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

/** Sends a command and resolves with the beginning of its answer. */
async function send(server: CommandedServer, body: string, signal: AbortSignal): Promise<Response> {
  const { port, token } = server.control;
  try {
    return await fetchDirectly(`http://127.0.0.1:${port}${CONTROL_PATH}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body,
      signal,
      redirect: "manual",
      keepalive: false,
    });
  } catch (cause) {
    throw new ServerGoneError(server, errorCode(cause) !== "ECONNREFUSED", cause);
  }
}

/** What a server says that refuses a command. */
async function refusalOf(server: CommandedServer, answer: Response): Promise<CommandError> {
  const { status } = answer;
  // Another program listens there, or a server that has just started.
  if (status === 401) return new ServerGoneError(server, false);
  if (status === 409 || status === 503) return new CommandError(await textOf(answer));
  return new CommandError(
    `The running server does not understand this program (${status}). Use the same version for both: stop it with "marquee stop", and start it again with this program.`,
  );
}

const LONGEST_REFUSAL = 1_000;

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > LONGEST_REFUSAL) break;
  }
  return text.slice(0, LONGEST_REFUSAL).trim();
}

/** @throws {CommandError} when the answer ends without an exit code */
async function exitIn(
  server: CommandedServer,
  { body }: Response,
  lines: Lines,
  next: <Sent>(sent: Promise<Sent>) => Promise<Sent>,
): Promise<number> {
  let rest = "";
  const decoder = new TextDecoder();
  const parts = (body ?? new ReadableStream<Uint8Array>())[Symbol.asyncIterator]();
  for (;;) {
    const part = parts.next().catch((cause: unknown) => {
      throw new ServerGoneError(server, true, cause);
    });
    const { done, value } = await next(part);
    if (done) throw new ServerGoneError(server, true);
    const whole = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = whole.pop() ?? "";
    for (const text of whole) {
      const line = readLine(text);
      if (line && "exit" in line) return line.exit;
      if (line && "out" in line) lines.out(line.out);
      if (line && "error" in line) lines.error(line.error);
    }
  }
}
