import { listeningAddressOf } from "../addresses.ts";
import type { Config } from "../config.ts";
import { CommandError } from "../control/execution.ts";
import { errorCode } from "../error-code.ts";
import { fetchDirectly } from "../upstream/public-hosts.ts";

const ANSWER_WITHIN_MS = 3_000;
/** A person waits for the second start of a server that runs. */
const SECOND_START_WAITS_MS = 1_000;

/**
 * `marquee healthcheck`: asks the server on this machine whether it runs. For containers that have
 * no other program to ask with.
 * @throws {CommandError} when the server does not confirm it within three seconds
 */
export async function checkHealth({ host, port }: Pick<Config, "host" | "port">): Promise<void> {
  const address = listeningAddressOf({ host }, port);
  const { status } = await ask(address, ANSWER_WITHIN_MS).catch((cause: unknown) => {
    const reason = errorCode(cause) ?? "it took too long";
    throw new CommandError(`No answer from ${address}: ${reason}.`, { cause });
  });
  if (status !== 200) throw new CommandError(`${address} answers ${status}.`);
}

/** @param address host and port, such as `127.0.0.1:4747`; an IPv6 host in brackets */
export const answersAt = (address: string): Promise<boolean> =>
  ask(address, SECOND_START_WAITS_MS).then(
    () => true,
    () => false,
  );

const ask = (address: string, withinMs: number): Promise<Response> =>
  fetchDirectly(`http://${address}/livez`, {
    signal: AbortSignal.timeout(withinMs),
    redirect: "manual",
    keepalive: false,
  });
