import type { ServerWebSocket } from "bun";
import { WEBNOWPLAYING } from "../sources/pushed.ts";
import type { PushedCovers } from "./covers.ts";
import { type Delivery, originOf } from "./delivery.ts";
import type { RouteContext } from "../http/route-context.ts";
import {
  POLICY_VIOLATION,
  SERVICE_RESTART,
  type SocketHandlers,
  type SocketServer,
  upgraderFor,
} from "../http/socket.ts";
import type { InboxOwner, Inboxes } from "../music/inboxes.ts";
import type { Guard } from "./guard.ts";
import { DISCONNECTED_MS } from "./expiry.ts";
import { failure, isPartOfPage, PART_OF_PAGE, refusalOf } from "./http.ts";
import type { Inbox } from "./inbox.ts";
import { NOTHING } from "./message.ts";
import {
  afterPicture,
  afterText,
  type Browser,
  GREETING,
  NEW_BROWSER,
  readPicture,
  shownOf,
  trackOf,
} from "./webnowplaying.ts";
import { createPictures } from "./webnowplaying-pictures.ts";
import type { Parts } from "../http/parts.ts";

/** The data of a browser's socket. */
interface PushTicket {
  readonly userId: number;
  readonly connectionId: number;
  /** Whether what opened the socket still opens this connection. */
  isValid(): boolean;
}

type PushSocket = ServerWebSocket<PushTicket>;

export interface WebNowPlayingDeps extends Pick<Parts, "clock"> {
  readonly inbox: Inbox;
  readonly covers: PushedCovers;
  readonly guard: Guard;
  readonly inboxes: Pick<Inboxes, "ownersInboxOf">;
  readonly delivery: Delivery;
}

/** Such as `chrome-extension://…` and `moz-extension://…`. */
const EXTENSION_ORIGIN = /^[a-z-]+-extension:\/\//;

/** A cover in bytes, and its player. */
export const LARGEST_FRAME_BYTES = 2 * 1024 * 1024 + 4;
/** A user's browsers and their reconnections; more are refused. */
const MOST_SOCKETS = 8;
const FLOOD = "More came at once than a browser sends.";
const NOT_UNDERSTOOD =
  "A message could not be understood. The extension has to be of version 3 or newer.";

/** The sockets of browsers with the extension WebNowPlaying. */
export function createWebNowPlaying(deps: WebNowPlayingDeps) {
  const { clock, inbox, covers, guard, delivery } = deps;
  /** By connection: what the browser of each socket has sent. */
  const connections = new Map<number, Map<PushSocket, Browser>>();
  const pictures = createPictures(covers);

  const browsersOf = (connectionId: number): Map<PushSocket, Browser> =>
    connections.get(connectionId) ?? new Map<PushSocket, Browser>();

  /** The player whose music is shown. Of all pictures, only its own is kept. */
  const choosePlayer = (connectionId: number) => {
    const player = shownOf(browsersOf(connectionId).values());
    pictures.show(connectionId, player?.picture);
    return player;
  };

  const show = (connectionId: number) => {
    const to = { connectionId, source: WEBNOWPLAYING };
    const player = choosePlayer(connectionId);
    if (!player) return delivery.take(to, NOTHING);
    const track = trackOf(player, clock.monotonicMs());
    const picture = pictures.shownOf(connectionId, originOf(to));
    delivery.take(to, { kind: "track", track: { ...track, picture } });
  };

  const later = createLater(clock, show);

  /** The state of a browser after a frame; `undefined` when the frame is not understood. */
  const after = (browser: Browser, frame: string | Uint8Array, connectionId: number) => {
    if (typeof frame === "string") return afterText(browser, frame, clock.monotonicMs());
    const sent = readPicture(frame);
    return sent && afterPicture(browser, sent.playerId, pictures.receive(connectionId, sent.png));
  };

  const handlers: SocketHandlers<PushTicket> = {
    opened(socket) {
      const { connectionId } = socket.data;
      const browsers = browsersOf(connectionId);
      if (browsers.size >= MOST_SOCKETS) {
        return socket.close(POLICY_VIOLATION, "Too many connections with this secret");
      }
      connections.set(connectionId, browsers.set(socket, NEW_BROWSER));
      socket.sendText(GREETING);
    },

    /**
     * Takes a frame. What is not understood is ignored. Frames count like pushes. Browsers send only what has
     * changed, and never again, so frames past the limit are not dropped: they are read, and shown together
     * when the next second begins. Many more close the socket: then the browser comes back and sends everything.
     */
    received(socket, frame) {
      const { connectionId } = socket.data;
      const browsers = connections.get(connectionId);
      const browser = browsers?.get(socket);
      if (!browsers || !browser) return;
      const turn = guard.countFrame(socket.data, frame);
      if (turn.kind === "flood") {
        inbox.noteRefused(connectionId, FLOOD);
        return socket.close(POLICY_VIOLATION, FLOOD);
      }
      guard.charge(socket.data);
      const next = after(browser, frame, connectionId);
      if (!next || next === browser) {
        if (turn.kind === "later") return;
        if (next) inbox.noteReceived(connectionId);
        else inbox.noteRefused(connectionId, NOT_UNDERSTOOD);
        return;
      }
      browsers.set(socket, next);
      // A picture is shown with its track, which follows.
      if (typeof frame !== "string") return;
      choosePlayer(connectionId);
      if (turn.kind === "later") later.show(connectionId, turn.waitMs);
      else show(connectionId);
    },

    closed(socket) {
      const { connectionId } = socket.data;
      const browsers = connections.get(connectionId);
      if (!browsers?.delete(socket)) return;
      if (browsers.size > 0) {
        // The one that has left may come back, unless another one plays.
        const plays = shownOf(browsers.values())?.state === "playing";
        return plays ? show(connectionId) : later.show(connectionId, DISCONNECTED_MS);
      }
      connections.delete(connectionId);
      later.cancel(connectionId);
      pictures.forget(connectionId);
      inbox.shorten(connectionId, DISCONNECTED_MS);
    },
  };

  return {
    ...createUpgrades(deps, handlers),

    /** Closes the sockets, of one user or all, whose secret opens nothing any more. */
    followChanges(userId?: number) {
      const sockets = [...connections.values()].flatMap((browsers) => [...browsers.keys()]);
      for (const socket of sockets) {
        if (userId !== undefined && socket.data.userId !== userId) continue;
        if (!socket.data.isValid()) socket.close(POLICY_VIOLATION, "The secret has ended");
      }
    },

    /** Closes every socket with a code that makes the browser come back later. */
    stop() {
      for (const browsers of connections.values()) {
        for (const socket of browsers.keys()) socket.close(SERVICE_RESTART, "restarting");
      }
    },
  };
}

/** Shows connections later; one that is to be shown already is shown then. */
function createLater(
  { after }: Pick<Parts["clock"], "after">,
  show: (connectionId: number) => void,
) {
  /** By connection: cancels it. */
  const waiting = new Map<number, () => void>();
  return {
    show(connectionId: number, inMs: number) {
      if (waiting.has(connectionId)) return;
      const cancel = after(inMs, () => {
        waiting.delete(connectionId);
        show(connectionId);
      });
      waiting.set(connectionId, cancel);
    },
    cancel(connectionId: number) {
      waiting.get(connectionId)?.();
      waiting.delete(connectionId);
    },
  };
}

/** Who may open a socket. */
function createUpgrades(
  { guard, inboxes }: WebNowPlayingDeps,
  handlers: SocketHandlers<PushTicket>,
) {
  /** @param ownerNow whose inbox the socket opens, asked again when connections change */
  const open = (
    request: Request,
    server: SocketServer | null,
    { userId, connectionId }: InboxOwner,
    ownerNow: () => InboxOwner | undefined,
  ): Response | undefined => {
    const isValid = () => ownerNow()?.connectionId === connectionId;
    const data: PushTicket = { userId, connectionId, isValid };
    if (upgraderFor(handlers, server)?.upgrade(request, { data })) return undefined;
    return failure(426, "This address is for WebSockets only", { Upgrade: "websocket" });
  };

  return {
    /** `/in/:secret/webnowplaying`: `undefined` when the request was upgraded. */
    upgrade({ request, params }: RouteContext, server: SocketServer | null) {
      if (isPartOfPage(request)) return failure(403, PART_OF_PAGE);
      const secret = params["secret"] ?? "";
      const admission = guard.admit(secret, WEBNOWPLAYING, request);
      if (admission.kind !== "admitted") return refusalOf(admission);
      const ownerNow = () => guard.ownerOf(secret, WEBNOWPLAYING);
      return open(request, server, admission.owner, ownerNow);
    },

    /**
     * The port of this machine: it opens the owner's inbox without a secret, so no page of a website
     * may use it. `undefined` when the request was upgraded.
     */
    upgradeLocally(request: Request, server: SocketServer | null) {
      if (isPartOfPage(request)) return failure(403, PART_OF_PAGE);
      const origin = request.headers.get("origin");
      if (origin !== null && !EXTENSION_ORIGIN.test(origin)) {
        return failure(403, "This port is for the browser extension WebNowPlaying only");
      }
      const ownerNow = () => inboxes.ownersInboxOf(WEBNOWPLAYING.id);
      const owner = ownerNow();
      if (!owner) return failure(404, "The owner of this server has not connected WebNowPlaying");
      const admission = guard.count(owner);
      if (admission.kind === "limited") return refusalOf(admission);
      return open(request, server, owner, ownerNow);
    },
  };
}
