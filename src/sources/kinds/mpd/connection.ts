import type { Socket, SocketHandler } from "bun";
import type { Clock } from "../../../clock.ts";
import { type Network, reachableAddressesOf } from "../../../upstream/public-hosts.ts";
import { UnreadableAnswer } from "../../../upstream/json.ts";
import { beginLifetime } from "../../../upstream/lifetime.ts";
import { createMessageQueue } from "../../../upstream/message-queue.ts";
import { MpdRefusal, type MpdResponse, MpdResponseReader, quote } from "./protocol.ts";

/** Where MPD listens. */
export type MpdAddress = { hostname: string; port: number } | { unix: string };

/** One connection to MPD, with one command and its answer at a time. */
export type MpdConnection = Awaited<ReturnType<typeof connectMpd>>;

/** The way to MPD. */
export type MpdNetwork = Pick<Network, "connect" | "lookUp">;

/** Longest wait for each answer. */
const DEADLINE_MS = 5_000;

/** Connects to the first address of a host at which somebody answers. */
async function connectTo(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  socket: SocketHandler<undefined>,
  { connect, lookUp }: MpdNetwork,
  isWanted: () => boolean,
): Promise<void> {
  let failure: unknown = new Error("its name leads to no address that may be called");
  const addresses = lookUp ? await reachableAddressesOf(hostname, lookUp, "allowed") : [hostname];
  for (const address of addresses) {
    if (!isWanted()) return;
    try {
      await connect({ hostname: String(address), port, socket });
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Connects, waits for MPD's greeting and sends the password, if there is one.
 * @throws {UpstreamError} when there is no answer
 * @throws {UnreadableAnswer} when it is not MPD's protocol
 * @throws {MpdRefusal} when the password is wrong
 */
export async function connectMpd(
  address: MpdAddress,
  password: string | undefined,
  { clock, signal, network }: { clock: Clock; signal: AbortSignal; network: MpdNetwork },
) {
  const reader = new MpdResponseReader();
  const queue = createMessageQueue<MpdResponse | MpdRefusal>(clock);
  let socket: Socket | undefined;
  /** Whether an answer is due; the first one is the greeting. */
  let isAwaited = true;
  const hangUp = () => socket?.terminate();
  const lifetime = beginLifetime<void>({ place: "it", signal, clock, queue, hangUp });
  const { opening, end } = lifetime;

  const handlers: SocketHandler<undefined> = {
    open(opened) {
      socket = opened;
      if (lifetime.hasEnded()) opened.terminate();
      opening.resolve();
    },
    data(_, bytes) {
      if (lifetime.hasEnded()) return;
      try {
        for (const answer of reader.push(bytes)) {
          if (!isAwaited) throw new UnreadableAnswer("an answer came without a request");
          isAwaited = false;
          queue.push(answer);
        }
      } catch (error) {
        end(error instanceof UnreadableAnswer ? error : "could not be read", error);
      }
    },
    error: (_, error) => void end("failed", error),
    close: () => void end("closed the connection"),
  };
  const connecting =
    "unix" in address
      ? network.connect({ unix: address.unix, socket: handlers })
      : connectTo(address, handlers, network, () => !lifetime.hasEnded());
  connecting.catch((error: unknown) => end("could not be reached", error));

  const write = (lines: string) => void socket?.write(`${lines}\n`);
  /** The next answer. `undefined` if none arrives within the given time. */
  const receive = async (withinMs: number): Promise<MpdResponse | undefined> => {
    const answer = await queue.receive(withinMs);
    if (answer instanceof MpdRefusal) throw answer;
    return answer;
  };
  const receiveInTime = async (problem = "did not answer in time"): Promise<MpdResponse> => {
    const answer = await receive(DEADLINE_MS);
    if (!answer) throw end(problem);
    return answer;
  };
  /**
   * Sends a command, or several lines as one command list, and resolves with the answer.
   * @throws {MpdRefusal} when MPD answers `ACK`
   * @throws {UpstreamError} when there is no answer in time or the connection ends
   */
  const send = (lines: string) => {
    isAwaited = true;
    write(lines);
    return receiveInTime();
  };

  try {
    await opening.promise;
    await receiveInTime();
    lifetime.cancelEnd();
    if (password) await send(`password ${quote(password)}`);
  } catch (error) {
    end("was refused", error);
    throw error;
  }

  return {
    send,
    /**
     * Waits until one of the subsystems changes, but at most `atMostMs`.
     * @throws {UpstreamError} when the connection ends
     */
    async idle(subsystems: string, atMostMs: number) {
      isAwaited = true;
      write(`idle ${subsystems}`);
      if (await receive(atMostMs)) return;
      // MPD must answer this. A half-open connection is detected here.
      write("noidle");
      await receiveInTime("no longer answers");
    },
    close: () => void end("was closed by us"),
  };
}
