import type { Config } from "../config.ts";
import { CommandError } from "../control/execution.ts";

const ANSWER_WITHIN_MS = 3_000;
/** A person waits for the second start of a server that runs. */
const SECOND_START_WAITS_MS = 1_000;

/** Addresses that mean "all networks", each with the address where such a server is reached. */
const REACHED_AT: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * `marquee healthcheck`: asks the server on this machine whether it runs. For containers that have
 * no other program to ask with.
 * @throws {CommandError} when the server does not confirm it within three seconds
 */
export async function checkHealth({ host, port }: Pick<Config, "host" | "port">): Promise<void> {
  const hostname = REACHED_AT[host] ?? host;
  const answer = await statusLineOf(hostname, port).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`No answer from ${hostname} on port ${port}: ${reason}.`, {
      cause: error,
    });
  });
  if (!answer.startsWith("HTTP/1.1 200 ")) {
    throw new CommandError(`${hostname} on port ${port} answers ${JSON.stringify(answer)}.`);
  }
}

/** @param address host and port, such as `127.0.0.1:4747`; an IPv6 host in brackets */
export async function answersAt(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, "");
  const line = await statusLineOf(host, Number(port || 80), SECOND_START_WAITS_MS).catch(() => "");
  return line.startsWith("HTTP/1.1 ");
}

/**
 * The first line of the answer from `/livez`. It does not use `fetch`, which would use the proxy in
 * HTTP_PROXY, nor Node's client, which would stay in the memory of every idle server.
 */
async function statusLineOf(
  hostname: string,
  port: number,
  withinMs = ANSWER_WITHIN_MS,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error("it took too long")), withinMs);
  const name = hostname.includes(":") ? `[${hostname}]` : hostname;
  const connecting = Bun.connect({
    hostname,
    port,
    socket: {
      open: (socket) => {
        socket.write(`GET /livez HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
      },
      data: (_, bytes) => resolve(bytes.toString("latin1").split("\r\n", 1)[0] ?? ""),
      close: () => reject(new Error("it hung up")),
      error: (_, error) => reject(error),
    },
  });
  connecting.catch(reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    connecting.then((socket) => socket.terminate()).catch(() => {});
  }
}
