import {
  type Answer,
  type Fields,
  identifyMessage,
  ObsError,
  readMessage,
  requestMessage,
  failureOf,
  failureOfClosing,
} from "./protocol.ts";

/** An OBS on this computer that has let this page in. */
export interface Obs {
  /** @throws ObsError when OBS refuses, does not answer or is gone */
  ask(request: string, data?: Fields): Promise<Fields>;
  /** Like `ask`, but answers OBS's refusal instead of throwing it. */
  attempt(request: string, data?: Fields): Promise<Answer>;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ObsAccess {
  readonly port: number;
  readonly password: string;
  /** How long OBS may take to let this page in. */
  readonly patienceMs: number;
}

const ANSWER_MS = 5_000;

/** @throws ObsError that says why OBS did not let this page in; `off` if nothing answered */
export function connectToObs({ port, password, patienceMs }: ObsAccess): Promise<Obs> {
  return new Promise((resolve, reject) => {
    const waiting = new Map<string, (answer: Answer | ObsError) => void>();
    const ended = Promise.withResolvers<void>();
    let hasAnswered = false;
    let asked = 0;

    const socket = open(port);
    const end = (error: ObsError) => {
      clearTimeout(timer);
      reject(error);
      for (const settle of waiting.values()) settle(error);
      waiting.clear();
      ended.resolve();
      socket.close();
    };
    const timer = setTimeout(() => end(new ObsError("timeout")), patienceMs);

    const attempt = async (request: string, data: Fields = {}): Promise<Answer> => {
      const id = String(++asked);
      const settled = new Promise<Answer | ObsError>((settle) => waiting.set(id, settle));
      const late = setTimeout(() => waiting.get(id)?.(new ObsError("timeout")), ANSWER_MS);
      if (socket.readyState === WebSocket.OPEN) socket.send(requestMessage(id, request, data));
      else waiting.get(id)?.(new ObsError("closed"));
      const answer = await settled;
      clearTimeout(late);
      waiting.delete(id);
      if (answer instanceof ObsError) throw answer;
      return answer;
    };
    const obs: Obs = {
      attempt,
      async ask(request, data) {
        const answer = await attempt(request, data);
        if ("data" in answer) return answer.data;
        throw new ObsError(failureOf(answer.code), answer.detail);
      },
      ended: ended.promise,
      close: () => end(new ObsError("closed")),
    };

    const receive = (text: unknown) => {
      const message = readMessage(text);
      switch (message.kind) {
        case "hello":
          hasAnswered = true;
          return socket.send(identifyMessage(password, message.authentication));
        case "identified":
          clearTimeout(timer);
          return resolve(obs);
        case "answer":
          return waiting.get(message.id)?.(message.answer);
        case "other":
          return undefined;
      }
    };
    socket.addEventListener("message", ({ data }) => {
      try {
        receive(data);
      } catch (error) {
        end(error instanceof ObsError ? error : new ObsError("notObs"));
      }
    });
    socket.addEventListener("close", ({ code }) => {
      end(new ObsError(failureOfClosing(code, hasAnswered)));
    });
  });
}

/** Safari throws at once where others only close. */
function open(port: number): WebSocket {
  try {
    return new WebSocket(`ws://127.0.0.1:${port}`);
  } catch {
    throw new ObsError("off");
  }
}
