import type { Server } from "bun";
import type { App } from "./app.ts";
import { atMost, type Clock } from "./clock.ts";
import { flagOf, variableOf } from "./config.ts";
import { LARGEST_FRAME_BYTES } from "./ingest/webnowplaying-sockets.ts";
import type { SocketTicket } from "./http/upgrader.ts";
import { errorCode } from "./error-code.ts";

/** Sockets that are idle for 30 s are pinged. A client that does not read is disconnected. */
const socketSettings = {
  idleTimeout: 30,
  // The largest message that any feature takes. The app closes sockets that send more than theirs.
  maxPayloadLength: LARGEST_FRAME_BYTES,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const satisfies Bun.WebSocketHandler<SocketTicket>;

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

export interface RunningServer<Created = unknown> {
  readonly port: number;
  readonly server: Created;
  /** Waits at most `atMostMs` for requests to finish, and asks overlays to reconnect. */
  stop(atMostMs: number): Promise<void>;
}

/** The server cannot listen on the address. The message says why and what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Seconds that a network connection may be idle, also while a request is being sent. */
const IDLE_SECONDS = 30;
/** The app refuses bodies of more than 64 KiB itself, in the form that each program understands. */
const LARGEST_BODY_BYTES = 1024 * 1024;

/** @throws {ListenError} when the port is in use or the address does not belong to this machine */
export function listen<Created extends { readonly app: App }>({
  host,
  port,
  webnowplayingPort = null,
  clock,
  createServer,
}: ListenOptions<Created>): RunningServer<Created> {
  let app: App | undefined;
  try {
    const websocket: Bun.WebSocketHandler<SocketTicket> = {
      ...socketSettings,
      open: (socket) => app?.sockets.opened(socket),
      message: (socket, message) => app?.sockets.received(socket, message),
      close: (socket) => app?.sockets.closed(socket),
    };
    const options: Bun.Serve.Options<SocketTicket> = {
      hostname: host,
      port,
      // Outside development Bun shares ports by default: a second server would start without error.
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: LARGEST_BODY_BYTES,
      // The app answers errors. Bun's development page would publish stack traces.
      development: false,
      fetch: (request) => app?.handle(request) as Response,
      websocket,
    };
    const listener = Bun.serve(options);
    const server = createServer(listener.port ?? port);
    app = server.app;
    app.attach(listener);
    let browsers: Server<SocketTicket> | undefined;
    if (webnowplayingPort !== null) {
      try {
        browsers = listenToBrowsers(websocket, webnowplayingPort, app);
      } catch (error) {
        void listener.stop(true);
        throw error;
      }
    }
    const routes = Object.entries(app.direct).map(([path, answer]) => [path, { GET: answer }]);
    listener.reload({ ...options, routes: Object.fromEntries(routes) });
    return {
      port: listener.port ?? port,
      server,
      async stop(atMostMs) {
        const stopped = stop(listener, server.app, clock, atMostMs);
        await browsers?.stop(true);
        await stopped;
      },
    };
  } catch (error) {
    throw explainListenFailure(error, host, port, "port");
  }
}

/** The extension connects without a secret, so only programs of this machine may. */
const LOOPBACK = "127.0.0.1";

function listenToBrowsers(
  websocket: Bun.WebSocketHandler<SocketTicket>,
  port: number,
  app: App,
): Server<SocketTicket> {
  try {
    return Bun.serve({
      hostname: LOOPBACK,
      port,
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: LARGEST_BODY_BYTES,
      development: false,
      websocket,
      fetch: (request, server) => app.upgradeLocally(request, server) as Promise<Response>,
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
  listener: Server<SocketTicket>,
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
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken, perhaps by another Marquee. Stop that program, or choose another port with ${flag} or ${variable}.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose another with --host or MARQUEE_HOST.`,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with ${flag} or ${variable}.`,
    EPERM: `Port ${port} may not be used by this user. Choose one above 1023 with ${flag} or ${variable}.`,
  };
  const sentence = sentences[errorCode(error) ?? ""];
  if (sentence) return new ListenError(sentence, { cause: error });
  return error instanceof Error && /listen|address|port/i.test(error.message)
    ? new ListenError(`${host}:${port} cannot be listened on: ${error.message}`, { cause: error })
    : (error as Error);
}
