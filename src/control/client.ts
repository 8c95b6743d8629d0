import { CONTROL_PATH, type ControlRequest, PROTOCOL, readLine } from "./protocol.ts";
import type { Lines } from "./server.ts";

/** The running server could not carry a command out; the message says why and what to do. */
export class ControlError extends Error {
  override readonly name = "ControlError";
}

/** Where the running server takes commands, as it has written it. */
export interface ControlPlace {
  readonly port: number;
  readonly token: string;
}

/**
 * Has the running server carry a command out, and writes the lines of its answer as they come.
 * Resolves with the exit code.
 * @throws {ControlError} when the server does not answer, refuses, or stops in the middle
 */
export async function askServer(
  { port, token }: ControlPlace,
  request: Omit<ControlRequest, "protocol">,
  lines: Lines,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${CONTROL_PATH}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ protocol: PROTOCOL, ...request }),
    // A variable of the environment may name one.
    proxy: "",
    keepalive: false,
  }).catch((cause: unknown) => {
    throw new ControlError(
      "The running server does not answer. Try again; if that does not help, end its process.",
      { cause },
    );
  });
  if (response.status === 413) throw new ControlError("The command is longer than 64 KiB.");
  if (!response.ok || !response.body) throw new ControlError(await response.text());
  const exit = await readLines(response.body, lines).catch(() => undefined);
  if (exit !== undefined) return exit;
  throw new ControlError(
    "The server has stopped before the command was done. Start it again, and look whether the command has taken effect.",
  );
}

/** The exit code; `undefined` when the answer ends without one. */
async function readLines(
  body: ReadableStream<Uint8Array>,
  lines: Lines,
): Promise<number | undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = readLine(part);
      if (line && "exit" in line) return line.exit;
      if (line && "out" in line) lines.out(line.out);
      if (line && "error" in line) lines.error(line.error);
    }
  }
  return undefined;
}
