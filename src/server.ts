import type { Server } from "bun";
import { type App, SOCKETS } from "./app.ts";
import { atMost, type Clock } from "./clock.ts";
import { flagOf, variableOf } from "./config.ts";
import { errorCode } from "./error-code.ts";
import type { SocketData } from "./http/socket.ts";

export interface ListenOptions<Created> {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** Where the browser extension WebNowPlaying is listened to; by default nowhere. */
  readonly webnowplayingPort?: number | null;
  readonly clock: Clock;
  /** Builds the server once its port is known. */
  createServer(port: number): Created;
}

export type RunningServer = ReturnType<typeof listen>;

/** The server cannot listen on the address. The message says why and what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Seconds that a network connection may be idle, and a request may take to arrive: more than proxies keep
 * one for the next request, which is two minutes in Caddy. Otherwise we would sometimes close one just
 * when a request is on its way, and a proxy answers 502 to that, as it must not send a POST twice.
 */
const IDLE_SECONDS = 130;
/** The app refuses bodies of more than 64 KiB itself, in the form that each program understands. */
const LARGEST_BODY_BYTES = 1024 * 1024;

const LISTENING = {
  // Outside development Bun shares ports by default: a second server would start without error.
  reusePort: false,
  idleTimeout: IDLE_SECONDS,
  maxRequestBodySize: LARGEST_BODY_BYTES,
  // The app answers errors. Bun's development page would publish stack traces.
  development: false,
} as const;

/** @throws {ListenError} when the port is in use or the address does not belong to this machine */
export function listen<Created extends { readonly app: App }>({
  host,
  port,
  webnowplayingPort = null,
  clock,
  createServer,
}: ListenOptions<Created>) {
  try {
    const ownPort = port === 0 ? freePort(host) : port;
    const server = createServer(ownPort);
    const { app } = server;
    app.elysia.listen({
      ...LISTENING,
      hostname: host,
      port: ownPort,
      error: app.lastAnswer,
      // Elysia's own would let Bun print errors, past the log and what is removed from it.
      websocket: { ...SOCKETS, ...app.sockets },
    });
    const listener = app.elysia.server;
    if (!listener) throw new Error("Elysia does not listen.");
    app.attach(listener);
    let browsers: Server<SocketData> | undefined;
    if (webnowplayingPort !== null) {
      try {
        browsers = listenToBrowsers(webnowplayingPort, app);
      } catch (error) {
        void listener.stop(true);
        throw error;
      }
    }
    return {
      port: ownPort,
      server,
      /** Waits at most so long for requests to finish, and asks overlays to reconnect. */
      async stop(atMostMs: number) {
        const stopped = stop(listener, app, clock, atMostMs);
        await browsers?.stop(true);
        await stopped;
      },
    };
  } catch (error) {
    throw explainListenFailure(error, host, port, "port");
  }
}

/** A port that nobody listens on, as the server has to know its own before it is made. */
function freePort(hostname: string): number {
  const probe = Bun.serve({ hostname, port: 0, reusePort: false, fetch: () => new Response() });
  // It is unknown once the probe has stopped.
  const { port = 0 } = probe;
  void probe.stop(true);
  return port;
}

/** The extension connects without a secret, so only programs of this machine may. */
const LOOPBACK = "127.0.0.1";

function listenToBrowsers(port: number, app: App): Server<SocketData> {
  try {
    return Bun.serve<SocketData>({
      ...LISTENING,
      hostname: LOOPBACK,
      port,
      error: app.lastAnswer,
      websocket: { ...SOCKETS, ...app.sockets },
      fetch: (request, server) => app.upgradeLocally(request, server),
    });
  } catch (error) {
    throw explainListenFailure(error, LOOPBACK, port, "webnowplayingPort");
  }
}

/**
 * Waits for requests in progress, not for open network connections: `server.stop()` alone never
 * ends while a stream is open.
 */
async function stop(
  listener: Pick<Server<unknown>, "stop">,
  app: App,
  clock: Clock,
  atMostMs: number,
): Promise<void> {
  const stopped = app.stop();
  const finished = listener.stop();
  try {
    await atMost(clock, atMostMs, Promise.all([finished, stopped]));
  } finally {
    await listener.stop(true);
  }
}

function explainListenFailure(
  error: unknown,
  host: string,
  port: number,
  setting: "port" | "webnowplayingPort",
): Error {
  if (error instanceof ListenError) return error;
  const [flag, variable] = [flagOf(setting), variableOf(setting)];
  const notHere = `${host} is not an address of this machine. Choose another with --host or MARQUEE_HOST.`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken, perhaps by another Marquee. Stop that program, or choose another port with ${flag} or ${variable}.`,
    EADDRNOTAVAIL: notHere,
    // A name that nobody knows: Bun reports the last error of its search.
    ENOENT: notHere,
    EINVAL: notHere,
    // What cannot be a name is not looked for.
    ENOTFOUND: notHere,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with ${flag} or ${variable}.`,
    EPERM: `Port ${port} may not be used by this user. Choose one above 1023 with ${flag} or ${variable}.`,
  };
  const sentence = sentences[errorCode(error) ?? ""];
  if (sentence) return new ListenError(sentence, { cause: error });
  return error instanceof Error && /listen|address|port/i.test(error.message)
    ? new ListenError(`${host}:${port} cannot be listened on: ${error.message}`, { cause: error })
    : (error as Error);
}
