import type { ServerWebSocket } from "bun";
import {
  BEAT_MS,
  CLOSED_RESTARTING,
  CLOSED_TOKEN_REPLACED,
  type WidgetMessage,
} from "../../widget/state.ts";
import { parseWidgetToken, type WidgetToken } from "../accounts/credential.ts";
import type { Widget, Widgets } from "../looks/widgets.ts";
import { createAudience, type Room } from "../channels/audience.ts";
import type { Clock } from "../clock.ts";
import type { Relay } from "../cluster/cluster.ts";
import type { Reading } from "../channels/reading.ts";
import type { Hub } from "../channels/hub.ts";
import { DEMO_LISTENER } from "../channels/connection-finder.ts";
import { VERSION } from "../version.ts";
import type { Playback } from "../playback.ts";
import type { User } from "../accounts/users.ts";
import type { Covers } from "./covers.ts";
import type { Streams } from "./streams.ts";
import { languageOf } from "../html/page.ts";
import { isDraft, lookMessage, overlayLook } from "./look.ts";
import type { Upgrader } from "../http/upgrader.ts";
import type { LiveTicket } from "./ticket.ts";
import { plainText } from "../http/plain-text.ts";
import { toWidgetState } from "./widget-state.ts";

type LiveSocket = ServerWebSocket<LiveTicket>;

/** The overlays that are connected now. */
export interface Live {
  /** Upgrades a request to a socket and returns `undefined`, or returns an error response. */
  upgrade(
    request: Request,
    tokenText: string,
    server: Upgrader | undefined,
  ): Promise<Response | undefined>;
  /** The same for the public demo. */
  upgradeDemo(request: Request, server: Upgrader | undefined): Response | undefined;
  opened(socket: LiveSocket): void;
  received(socket: LiveSocket, message: string | Uint8Array): void;
  closed(socket: LiveSocket): void;
  /**
   * Brings the overlays, of one user or of all, up to date with their widgets: those whose token
   * no longer works are closed, and the others get a changed look.
   */
  followWidgets(userId?: number): Promise<void>;
  /** Closes every overlay with a code that makes it reconnect later. */
  stop(): void;
  connected(): number;
  /** The number of browser sources that show a user's overlay. */
  onStream(userId: number): number;
  /** The number of browser sources that show the widget of a token. */
  onStreamWith(token: WidgetToken): number;
  /** Calls `listener` with a user's ID when their number of overlays on stream changes. */
  onStreamChange(listener: (userId: number) => void): void;
  /** Shows a track on a user's overlays for `ms` milliseconds, instead of the real playback. */
  showFor(userId: number, playback: Playback, ms: number): void;
}

export interface LiveDeps {
  readonly widgets: Pick<Widgets, "find">;
  /** The CSS that makes a user's fonts known. */
  fontFacesOf(userId: number): Promise<string>;
  readonly hub: Pick<Hub, "subscribe" | "peek" | "rawPlayback">;
  readonly clock: Clock;
  readonly covers: Covers;
  /** What overlays tell of streams. */
  readonly streams: Streams;
  /** Whether a page from this origin may connect. */
  isOwnOrigin(origin: string, host: string | null): boolean;
  /** Called with the time from an observation to its delivery to the overlays. */
  onDelivered(latencyMs: number): void;
  /** The response to a token that opens no overlay. */
  notFound(path: string): Promise<Response>;
  /** Brings overlays on all nodes together. */
  readonly relay: OverlayRelay;
}

/** What a token opens. */
interface Opened {
  readonly token: WidgetToken;
  readonly user: User;
  readonly widget: Widget;
  readonly fontFaces: string;
}

export type OverlayRelay = Pick<
  Relay,
  "setOnStream" | "onStream" | "onStreamChange" | "show" | "onShow"
>;

type RoomName = Pick<LiveTicket, "token" | "listenerId">;

/** The overlays of one token that follow the same channel, and their subscription to it. */
interface OverlayRoom extends RoomName, Room<LiveSocket> {
  readonly userId: number;
  /** The last reading. */
  latest: Reading | undefined;
  /** When the latest playback was observed (monotonic). */
  observedAtMs: number | undefined;
}

const MOST_SOCKETS_PER_TOKEN = 100;
/** The `User-Agent` names of OBS Studio and of programs built on it. */
const STREAMING_SOFTWARE = /\b(?:OBS|SLOBS|Streamlabs)\b/i;

export function createLive(deps: LiveDeps): Live {
  const { widgets, hub, clock, covers, relay } = deps;
  const audience = createAudience<LiveSocket, OverlayRoom>(clock, {
    everyMs: BEAT_MS,
    send: (sockets) => broadcast(sockets, encode({ type: "beat", sentAtMs: clock.wallMs() })),
  });
  const { rooms } = audience;

  const noteStreamChange = ({ data: { onStream, userId } }: LiveSocket) => {
    if (onStream) relay.setOnStream(userId, onStreamHere(userId));
  };

  const onStreamHere = (userId: number): number =>
    audience.members().filter(({ data }) => data.userId === userId && data.onStream).length;

  const messageOf = (reading: Reading, { listenerId }: OverlayRoom, isWithdrawn: boolean): string =>
    encode({
      type: "state",
      sentAtMs: clock.wallMs(),
      version: VERSION,
      state: toWidgetState(reading, listenerId, clock.monotonicMs(), covers, isWithdrawn),
    });

  /**
   * Whether a reading hides what pages show now, or may show: not when the next song is hidden.
   * @param before the reading that pages have got; `undefined` when that is not known
   */
  const withdraws = (reading: Reading, before: Reading | undefined, listenerId: number) => {
    if (reading.kind !== "nothing" || reading.hides === undefined) return false;
    if (reading.hides === "all" || !before) return true;
    return (
      before.kind === "playback" &&
      before.playback.track.id === hub.rawPlayback(listenerId)?.track.id
    );
  };

  const broadcast = (sockets: Iterable<LiveSocket>, message: string) => {
    for (const socket of sockets) socket.send(message);
  };

  /** Sends a reading to a room, unless a newer one arrives before its cover is ready. */
  const announce = async (room: OverlayRoom, reading: Reading) => {
    const isWithdrawn = withdraws(reading, room.latest, room.listenerId);
    room.latest = reading;
    const observedAtMs = reading.kind === "playback" ? reading.playback.observedAtMs : undefined;
    // A playback that is only shown again, such as after a pause of sharing, was observed long ago.
    const isNews = room.members.size > 0 && observedAtMs !== room.observedAtMs;
    room.observedAtMs = observedAtMs ?? room.observedAtMs;
    const { late } = await covers.prepare(reading, room.listenerId);
    if (room.latest !== reading) return;
    if (isNews && observedAtMs !== undefined) deps.onDelivered(clock.monotonicMs() - observedAtMs);
    broadcast(room.members, messageOf(reading, room, isWithdrawn));
    await late;
    if (late && room.latest === reading) broadcast(room.members, messageOf(reading, room, false));
  };

  const openRoom = ({ token, listenerId, userId }: LiveTicket): OverlayRoom => {
    const room: OverlayRoom = {
      token,
      listenerId,
      userId,
      members: new Set(),
      latest: undefined,
      observedAtMs: undefined,
      leave: () => {},
    };
    const onReading = (reading: Reading) => void announce(room, reading);
    room.leave = hub.subscribe(listenerId, onReading, "shown later");
    return room;
  };

  /** Sends the current reading to a socket that joins an existing room. */
  const welcome = async (socket: LiveSocket, room: OverlayRoom) => {
    const reading = hub.peek(room.listenerId);
    if (!reading) return;
    const tell = () => {
      if (!room.members.has(socket)) return;
      const current = hub.peek(room.listenerId) ?? reading;
      socket.send(messageOf(current, room, withdraws(current, undefined, room.listenerId)));
    };
    const { late } = await covers.prepare(reading, room.listenerId);
    tell();
    await late;
    if (late) tell();
  };

  const socketsOf = (token: WidgetToken | null, userId: number): number =>
    [...new Set([userId, DEMO_LISTENER])].reduce(
      (sum, listenerId) => sum + (rooms.get(roomOf({ token, listenerId }))?.members.size ?? 0),
      0,
    );

  /** Sends a widget's look to the sockets whose pages look different. */
  const sendLook = (sockets: Iterable<LiveSocket>, widget: Widget, fontFaces: string) => {
    for (const socket of sockets) {
      const { language, look: shown } = socket.data;
      const query = new URLSearchParams(socket.data.query);
      // Only the editor changes what is not saved yet.
      if (isDraft(query)) continue;
      const look = overlayLook(widget, language, query, fontFaces);
      if (look.fingerprint === shown) continue;
      socket.data.look = look.fingerprint;
      socket.send(encode(lookMessage(look)));
    }
  };

  const followWidget = async ({ token, members }: OverlayRoom) => {
    if (!token) return;
    for (const socket of members) deps.streams.ask(socket);
    const found = await widgets.find(token);
    if (found) sendLook(members, found.widget, await deps.fontFacesOf(found.user.id));
    else for (const socket of [...members]) socket.close(CLOSED_TOKEN_REPLACED);
  };

  const admit = (
    request: Request,
    opened: Opened | null,
    server: Upgrader | undefined,
  ): Response | undefined => {
    const token = opened?.token ?? null;
    const userId = opened?.user.id ?? DEMO_LISTENER;
    const origin = request.headers.get("origin");
    if (origin !== null && !deps.isOwnOrigin(origin, request.headers.get("host")))
      return plainText(403, "Not from this page");
    if (socketsOf(token, userId) >= MOST_SOCKETS_PER_TOKEN) {
      return plainText(429, "Too many overlays with this address", { "Retry-After": "15" });
    }
    const { pathname, searchParams } = new URL(request.url);
    const playsDemo = searchParams.get("demo") === "1";
    const listenerId = playsDemo ? DEMO_LISTENER : userId;
    const onStream = STREAMING_SOFTWARE.test(request.headers.get("user-agent") ?? "");
    const language = languageOf(pathname);
    const shown = searchParams.get("shown");
    searchParams.delete("shown");
    const current =
      opened && overlayLook(opened.widget, language, searchParams, opened.fontFaces).fingerprint;
    const data: LiveTicket = {
      kind: "overlay",
      ...{ token, userId, listenerId, onStream, language },
      query: searchParams.toString(),
      look: shown ?? current ?? undefined,
      isAskedForStreams: false,
      isOutdated: shown !== null && shown !== current,
    };
    if (server?.upgrade(request, { data })) return undefined;
    return plainText(426, "This address speaks WebSocket", { Upgrade: "websocket" });
  };

  const showHere = (userId: number, playback: Playback, ms: number) => {
    for (const room of rooms.values()) {
      if (room.listenerId !== userId) continue;
      void announce(room, { kind: "playback", playback, connectionId: undefined });
      clock.after(ms, () => {
        const reading = hub.peek(userId);
        if (rooms.get(roomOf(room)) === room && reading) void announce(room, reading);
      });
    }
  };
  relay.onShow(showHere);

  return {
    async upgrade(request, tokenText, server) {
      const token = parseWidgetToken(tokenText);
      const found = token && (await widgets.find(token));
      if (!token || found?.widget.kind !== "overlay") {
        return deps.notFound(new URL(request.url).pathname);
      }
      const fontFaces = await deps.fontFacesOf(found.user.id);
      return admit(request, { token, ...found, fontFaces }, server);
    },
    upgradeDemo: (request, server) => admit(request, null, server),

    opened(socket) {
      const known = rooms.get(roomOf(socket.data));
      // A new room gets the current reading as soon as it subscribes.
      const room = audience.join(roomOf(socket.data), socket, () => openRoom(socket.data));
      if (known) void welcome(socket, known);
      // The widget may have changed since the page was drawn.
      if (socket.data.isOutdated) void followWidget(room);
      noteStreamChange(socket);
      deps.streams.ask(socket);
    },
    received: deps.streams.received,
    closed(socket) {
      deps.streams.closed(socket);
      audience.leave(roomOf(socket.data), socket);
      noteStreamChange(socket);
    },

    async followWidgets(userId) {
      for (const room of rooms.values()) {
        if (userId === undefined || room.userId === userId) await followWidget(room);
      }
    },
    stop() {
      for (const socket of audience.members()) socket.close(CLOSED_RESTARTING);
    },
    onStream: relay.onStream,
    onStreamWith: (token) =>
      [...rooms.values()]
        .filter((room) => room.token === token)
        .flatMap(({ members }) => [...members])
        .filter(({ data }) => data.onStream).length,
    onStreamChange: relay.onStreamChange,
    showFor: relay.show,
    connected: () => audience.members().length,
  };
}

/** The name of a ticket's room. */
const roomOf = ({ token, listenerId }: RoomName): string => `${listenerId} ${token}`;

function encode(message: WidgetMessage): string {
  return JSON.stringify(message);
}
