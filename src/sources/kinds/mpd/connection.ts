import type { Socket, SocketHandler } from "bun";
import type { Clock } from "../../../clock.ts";
import { type Network, reachableAddressesOf } from "../../../upstream/public-hosts.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import { UnreadableAnswer } from "../../../upstream/json.ts";
import { MpdRefusal, type MpdResponse, MpdResponseReader, quote } from "./protocol.ts";

/** Where MPD listens. */
export type MpdAddress = { hostname: string; port: number } | { unix: string };

/** One connection to MPD, with one command and its answer at a time. */
export type MpdConnection = Awaited<ReturnType<typeof connectMpd>>;

/** The way to MPD. */
export type MpdNetwork = Pick<Network, "connect" | "lookUp">;

/** Longest wait for the greeting and for each answer. */
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
  let waiting: PromiseWithResolvers<MpdResponse> | undefined;
  let lost: UpstreamError | UnreadableAnswer | undefined;
  let socket: Socket | undefined;

  const lose = (reason: string | UnreadableAnswer, cause?: unknown) => {
    lost ??= typeof reason === "string" ? new UpstreamError(reason, { cause }) : reason;
    signal.removeEventListener("abort", onAbort);
    waiting?.reject(lost);
    socket?.terminate();
  };
  const onAbort = () => lose("it was closed by us");
  signal.addEventListener("abort", onAbort);

  const expectAnswer = () => {
    if (lost) throw lost;
    waiting = Promise.withResolvers();
    return waiting.promise;
  };
  const takeAnswer = (answer: MpdResponse | MpdRefusal) => {
    if (!waiting) throw new UnreadableAnswer("an answer came without a request");
    if (answer instanceof MpdRefusal) waiting.reject(answer);
    else waiting.resolve(answer);
    waiting = undefined;
  };
  const withDeadline = async (answer: Promise<MpdResponse>) => {
    const cancel = clock.after(DEADLINE_MS, () =>
      lose(`no answer in ${DEADLINE_MS / 1000} seconds`),
    );
    try {
      return await answer;
    } finally {
      cancel();
    }
  };
  /**
   * Sends a command, or several lines as one command list, and resolves with the answer.
   * @throws {MpdRefusal} when MPD answers `ACK`
   * @throws {UpstreamError} when there is no answer in time or the connection ends
   */
  const send = (lines: string) => {
    const answer = expectAnswer();
    socket?.write(`${lines}\n`);
    return withDeadline(answer);
  };

  const greeting = expectAnswer();
  const handlers: SocketHandler<undefined> = {
    open(opened) {
      socket = opened;
      if (lost) opened.terminate();
    },
    data(_, bytes) {
      if (lost) return;
      try {
        for (const answer of reader.push(bytes)) takeAnswer(answer);
      } catch (error) {
        lose(error instanceof UnreadableAnswer ? error : "it could not be read", error);
      }
    },
    error: (_, error) => lose("the connection failed", error),
    close: () => lose("MPD closed the connection"),
  };
  const connecting =
    "unix" in address
      ? network.connect({ unix: address.unix, socket: handlers })
      : connectTo(address, handlers, network, () => lost === undefined);
  connecting.catch((error: unknown) => lose("nobody answers there", error));
  try {
    await withDeadline(greeting);
    if (password) await send(`password ${quote(password)}`);
  } catch (error) {
    lose("it was refused", error);
    throw error;
  }

  return {
    send,
    /**
     * Waits until one of the subsystems changes, but at most `atMostMs`.
     * @throws {UpstreamError} when the connection ends
     */
    async idle(subsystems: string, atMostMs: number) {
      const change = expectAnswer();
      socket?.write(`idle ${subsystems}\n`);
      const cancel = clock.after(atMostMs, () => socket?.write("noidle\n"));
      // After that time MPD must answer the `noidle`. A half-open connection is detected here.
      const giveUp = clock.after(atMostMs + DEADLINE_MS, () => lose("MPD no longer answers"));
      try {
        await change;
      } finally {
        cancel();
        giveUp();
      }
    },
    close: () => lose("it was closed by us"),
  };
}
