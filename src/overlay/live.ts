import { BEAT_MS, CLOSED_RESTARTING, CLOSED_TOKEN_REPLACED } from "../../widget/state.ts";
import { createBoundedMap } from "../bounded-map.ts";
import { parseWidgetToken, type WidgetToken } from "../accounts/credential.ts";
import { type Audience, createAudience } from "../channels/audience.ts";
import { DEMO_LISTENERS } from "../channels/connection-finder.ts";
import type { Upgrader } from "../http/socket.ts";
import type { Hosts } from "../http/hosts.ts";
import { nextTurn } from "../next-turn.ts";
import { describeError, type Log } from "../log.ts";
import type { Widget, Widgets } from "../looks/widgets.ts";
import type { Playback } from "../playback.ts";
import { admit, type AdmissionDeps } from "./admission.ts";
import type { PageFonts } from "./fonts/font-faces.ts";
import { lookMessage, overlayLook } from "./look.ts";
import {
  createOverlayRooms,
  encode,
  type LiveSocket,
  type OverlayRoom,
  type OverlayRooms,
  type OverlayRoomsDeps,
  roomOf,
} from "./rooms.ts";
import type { Streams } from "./streams.ts";
import type { LiveTicket } from "./ticket.ts";

/** The overlays that are connected now. */
export type Live = ReturnType<typeof createLive>;

export interface LiveDeps
  extends Omit<OverlayRoomsDeps, "sendTo">, Pick<Hosts, "isFromOwnPage" | "openedElsewhere"> {
  readonly widgets: Pick<Widgets, "find">;
  fontsOf(userId: number): PageFonts;
  /** What overlays report of streams. */
  readonly streams: Streams;
  /** The response to a token that opens no overlay. */
  notFound(path: string): Promise<Response>;
  readonly log: Log;
}

/** Of so many widgets it is remembered that somebody asked for them. */
const MOST_DEMANDED = 5_000;
/** Of so many users it is remembered that an overlay was opened by another address. */
const MOST_ELSEWHERE = 1_000;
/** Overlays try again more often. */
const ELSEWHERE_FOR_MS = 60_000;

export function createLive(deps: LiveDeps) {
  const { widgets, clock } = deps;
  const audience = createAudience<LiveSocket, OverlayRoom>(clock, {
    everyMs: BEAT_MS,
    send: (socket) => void socket.send(encode({ type: "beat", sentAtMs: clock.wallMs() })),
  });
  const { rooms, sendTo } = audience;
  const overlayRooms = createOverlayRooms({ ...deps, sendTo });
  const { open, welcome } = overlayRooms;

  const streamListeners: ((userId: number) => void)[] = [];
  const noteStreamChange = ({ data: { onStream, userId } }: LiveSocket) => {
    if (onStream) for (const listener of streamListeners) listener(userId);
  };

  const onStream = (userId: number): number =>
    audience.members().filter(({ data }) => data.userId === userId && data.onStream).length;

  const socketsOf = (token: WidgetToken | null, userId: number): number =>
    [...new Set([userId, ...DEMO_LISTENERS])].reduce(
      (sum, listenerId) => sum + (rooms.get(roomOf({ token, listenerId }))?.members.size ?? 0),
      0,
    );
  const elsewhere = rememberElsewhere(deps);
  const admission: AdmissionDeps = { isFromOwnPage: deps.isFromOwnPage, socketsOf };

  const followWidget = ({ token, members }: OverlayRoom) => {
    if (!token) return;
    for (const socket of members) deps.streams.ask(socket);
    const found = widgets.find(token);
    if (found) sendLook(members, found.widget, deps.fontsOf(found.user.id));
    else for (const socket of [...members]) socket.close(CLOSED_TOKEN_REPLACED);
  };

  /** Nothing awaits this, so a failure is logged and must not end the server. */
  const followOutdated = async (room: OverlayRoom) => {
    // What plays comes first.
    await nextTurn();
    try {
      followWidget(room);
    } catch (error) {
      const fields = { reason: describeError(error) };
      deps.log.error("an overlay could not be brought up to date", fields);
    }
  };

  const demands = createDemands(clock, audience);

  return {
    /** Upgrades a request to a socket and returns `undefined`, or returns an error response. */
    async upgrade(request: Request, tokenText: string, server: Upgrader<LiveTicket> | undefined) {
      const token = parseWidgetToken(tokenText);
      const found = token && widgets.find(token);
      if (!token || found?.widget.kind !== "overlay") {
        return deps.notFound(new URL(request.url).pathname);
      }
      elsewhere.note(found.user.id, request);
      const fonts = deps.fontsOf(found.user.id);
      return admit(request, { token, ...found, fonts }, server, admission);
    },
    /** The same for the public demo. */
    upgradeDemo: (request: Request, server: Upgrader<LiveTicket> | undefined) =>
      admit(request, null, server, admission),

    opened(socket: LiveSocket) {
      const known = rooms.get(roomOf(socket.data));
      // A new room gets the current reading as soon as it subscribes.
      const room = audience.join(roomOf(socket.data), socket, () => open(socket.data));
      if (known) void welcome(socket, known);
      demands.welcome(socket);
      // The widget may have changed since the page was drawn.
      if (socket.data.isOutdated) void followOutdated(room);
      noteStreamChange(socket);
      deps.streams.ask(socket);
    },
    received: deps.streams.received,
    closed(socket: LiveSocket) {
      deps.streams.closed(socket);
      audience.leave(roomOf(socket.data), socket);
      noteStreamChange(socket);
    },

    /**
     * Brings the overlays, of one user or of all, up to date with their widgets: those whose token
     * no longer works are closed, and the others get a changed look.
     */
    followWidgets(userId?: number) {
      for (const room of rooms.values()) {
        if (userId === undefined || room.userId === userId) followWidget(room);
      }
    },
    /** Closes every overlay with a code that makes it reconnect later. */
    stop() {
      for (const socket of audience.members()) socket.close(CLOSED_RESTARTING);
    },
    /** The number of browser sources that show a user's overlay. */
    onStream,
    /** The number of browser sources that show the widget of a token. */
    onStreamWith: (token: WidgetToken) =>
      audience.members().filter(({ data }) => data.token === token && data.onStream).length,
    /** The other address by which a user's overlay has tried to connect just now, if one has. */
    openedElsewhere: elsewhere.of,
    /** Calls `listener` with a user's ID when their number of overlays on stream changes. */
    onStreamChange: (listener: (userId: number) => void) => void streamListeners.push(listener),
    ...createShowing(deps, rooms, overlayRooms),
    /** Shows a widget's overlays on demand for so many milliseconds; 0 hides them. */
    showOnDemand: demands.show,
    connected: () => audience.members().length,
  };
}

/** Sends a widget's look to the sockets whose pages look different. */
function sendLook(sockets: Iterable<LiveSocket>, widget: Widget, fonts: PageFonts): void {
  for (const socket of sockets) {
    const { language, look: shown } = socket.data;
    const query = new URLSearchParams(socket.data.query);
    const look = overlayLook(widget, language, query, fonts);
    if (look.fingerprint === shown) continue;
    socket.data.look = look.fingerprint;
    socket.send(encode(lookMessage(look)));
  }
}

/** Shows a user's open overlays something else: for a while, or in the place of a missing cover. */
function createShowing(
  { hub, clock }: Pick<LiveDeps, "hub" | "clock">,
  rooms: ReadonlyMap<string, OverlayRoom>,
  { announce, followStandIn }: Pick<OverlayRooms, "announce" | "followStandIn">,
) {
  return {
    /** Shows a user's overlays this playback for a while, then what plays. */
    showFor(userId: number, playback: Playback, ms: number) {
      for (const room of rooms.values()) {
        if (room.listenerId !== userId) continue;
        void announce(room, { kind: "playback", playback, connectionId: undefined });
        clock.after(ms, () => {
          const reading = hub.peek(userId);
          if (rooms.get(roomOf(room)) === room && reading) void announce(room, reading);
        });
      }
    },
    /** Brings the overlays, of one user or of all, up to date with what stands in for missing covers. */
    followStandIns(userId: number | undefined) {
      for (const room of rooms.values()) {
        if (userId === undefined || room.userId === userId) followStandIn(room);
      }
    },
  };
}

/** Remembers which users' overlays may not connect, because of the address they were opened by. */
function rememberElsewhere({
  clock,
  isFromOwnPage,
  openedElsewhere,
}: Pick<LiveDeps, "clock" | "isFromOwnPage" | "openedElsewhere">) {
  const noted = createBoundedMap<number, { readonly origin: string; readonly atMs: number }>(
    MOST_ELSEWHERE,
  );
  return {
    note(userId: number, request: Request): void {
      const origin = isFromOwnPage(request) ? undefined : openedElsewhere(request);
      if (origin !== undefined) noted.set(userId, { origin, atMs: clock.monotonicMs() });
    },
    of(userId: number): string | undefined {
      const found = noted.get(userId);
      const isRecent = found && clock.monotonicMs() - found.atMs < ELSEWHERE_FOR_MS;
      return isRecent ? found.origin : undefined;
    },
  };
}

/** Has overlays shown when somebody asks for them. One that joins later gets the rest of the time. */
function createDemands(
  clock: LiveDeps["clock"],
  { members, sendTo }: Pick<Audience<LiveSocket, OverlayRoom>, "members" | "sendTo">,
) {
  /** Until when widgets are shown, by their ids; monotonic milliseconds. */
  const demanded = createBoundedMap<number, number>(MOST_DEMANDED);
  return {
    show(widgetId: number, forMs: number) {
      demanded.set(widgetId, clock.monotonicMs() + forMs);
      const message = encode({ type: "demand", forMs });
      const asked = members().filter(({ data }) => data.widgetId === widgetId);
      sendTo(asked, (socket) => void socket.send(message));
    },
    welcome(socket: LiveSocket) {
      const untilMs = demanded.get(socket.data.widgetId ?? -1) ?? -Infinity;
      const forMs = Math.round(untilMs - clock.monotonicMs());
      if (forMs > 0) socket.send(encode({ type: "demand", forMs }));
    },
  };
}
