import {
  ANSWER,
  failureOf,
  failureOfClosing,
  type Fields,
  fieldsIn,
  HELLO,
  IDENTIFIED,
  identifyMessage,
  numberIn,
  ObsError,
  readMessage,
  requestMessage,
  textIn,
} from "./protocol.ts";

/** An OBS on this computer that has let this page in. */
export interface Obs {
  /** @throws ObsError when OBS refuses, does not answer or is gone */
  ask(request: string, data?: Fields): Promise<Fields>;
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
    const waiting = new Map<string, PromiseWithResolvers<Fields>>();
    const ended = Promise.withResolvers<void>();
    let hasAnswered = false;
    let asked = 0;

    const socket = open(port);
    const end = (error: ObsError) => {
      clearTimeout(timer);
      reject(error);
      for (const answer of waiting.values()) answer.reject(error);
      ended.resolve();
      socket.close();
    };
    const timer = setTimeout(() => end(new ObsError("timeout")), patienceMs);

    const ask = async (request: string, data: Fields = {}): Promise<Fields> => {
      if (socket.readyState !== WebSocket.OPEN) throw new ObsError("closed");
      const id = String(++asked);
      const answer = Promise.withResolvers<Fields>();
      waiting.set(id, answer);
      const late = setTimeout(() => answer.reject(new ObsError("timeout")), ANSWER_MS);
      socket.send(requestMessage(id, request, data));
      return answer.promise.finally(() => {
        clearTimeout(late);
        waiting.delete(id);
      });
    };

    const settle = (data: Fields) => {
      const answer = waiting.get(textIn(data, "requestId"));
      const status = fieldsIn(data, "requestStatus");
      if (status["result"] === true) return answer?.resolve(fieldsIn(data, "responseData"));
      const code = numberIn(status, "code");
      answer?.reject(new ObsError(failureOf(code), textIn(status, "comment"), code));
    };

    const receive = (text: unknown) => {
      const { op, data } = readMessage(text);
      if (op === HELLO) {
        hasAnswered = true;
        socket.send(identifyMessage(password, data));
      } else if (op === IDENTIFIED) {
        clearTimeout(timer);
        resolve({ ask, ended: ended.promise, close: () => end(new ObsError("closed")) });
      } else if (op === ANSWER) settle(data);
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
