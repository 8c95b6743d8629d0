import type { ServerWebSocket } from "bun";
import type { WidgetMessage, WidgetState } from "../../widget/state.ts";
import type { Room } from "../channels/audience.ts";
import type { Reading } from "../channels/reading.ts";
import type { SendTo } from "../channels/slices.ts";
import { isSameSong } from "../playback.ts";
import { VERSION } from "../version.ts";
import type { Covers } from "./covers.ts";
import type { LiveTicket } from "./ticket.ts";
import { type StateParts, toWidgetState } from "./widget-state.ts";
import type { Parts } from "../http/parts.ts";

export type LiveSocket = ServerWebSocket<LiveTicket>;

export type RoomName = Pick<LiveTicket, "token" | "listenerId">;

/** The overlays of one token that follow the same channel, and their subscription to it. */
export interface OverlayRoom extends RoomName, Room<LiveSocket> {
  readonly userId: number;
  /** The last reading. */
  latest: Reading | undefined;
  /** When the latest playback was observed (monotonic). */
  observedAtMs: number | undefined;
}

export interface OverlayRoomsDeps
  extends Pick<Parts, "hub" | "clock" | "sources" | "onDelivered">, Pick<StateParts, "standInOf"> {
  readonly covers: Covers;
  readonly sendTo: SendTo<LiveSocket>;
}

/** Opens rooms, and sends them readings with their covers. */
export type OverlayRooms = ReturnType<typeof createOverlayRooms>;

export function createOverlayRooms(deps: OverlayRoomsDeps) {
  const { hub, clock, covers } = deps;

  const send = (sockets: Iterable<LiveSocket>, message: string) =>
    deps.sendTo(sockets, (socket) => void socket.send(message));

  const stateOf = (reading: Reading, room: OverlayRoom, isWithdrawn: boolean): WidgetState =>
    toWidgetState(reading, room, clock.monotonicMs(), deps, isWithdrawn);

  const messageOf = (state: WidgetState): string =>
    encode({ type: "state", sentAtMs: clock.wallMs(), version: VERSION, state });

  /**
   * Whether a reading hides what pages show now, or may show: not when the next song is hidden.
   * @param before the reading that pages have got; `undefined` when that is not known
   */
  const withdraws = (reading: Reading, before: Reading | undefined, listenerId: number) => {
    if (reading.kind !== "nothing" || reading.hides === undefined) return false;
    if (reading.hides === "all" || !before) return true;
    return before.kind === "playback" && isSameSong(before.playback, hub.rawPlayback(listenerId));
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
    send(room.members, messageOf(stateOf(reading, room, isWithdrawn)));
    await late;
    if (late && room.latest === reading) {
      send(room.members, messageOf(stateOf(reading, room, false)));
    }
  };

  return {
    open({ token, listenerId, userId }: LiveTicket) {
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
    },
    announce,
    /** Sends the last reading again if something stands in for its cover: it may be something else now. */
    followStandIn(room: OverlayRoom) {
      const { latest } = room;
      if (latest && isCoverless(latest)) void announce(room, latest);
    },
    /** Sends the current reading to a socket that joins an existing room. */
    async welcome(socket: LiveSocket, room: OverlayRoom) {
      const reading = hub.peek(room.listenerId);
      if (!reading) return;
      const sendState = () => {
        if (!room.members.has(socket)) return;
        const current = hub.peek(room.listenerId) ?? reading;
        const isWithdrawn = withdraws(current, undefined, room.listenerId);
        send([socket], messageOf(stateOf(current, room, isWithdrawn)));
      };
      const { late } = await covers.prepare(reading, room.listenerId);
      sendState();
      await late;
      if (late) sendState();
    },
  };
}

const isCoverless = (reading: Reading): boolean =>
  reading.kind === "playback" && reading.playback.album.artworks.length === 0;

/** The name of a ticket's room. */
export const roomOf = ({ token, listenerId }: RoomName): string => `${listenerId} ${token}`;

export function encode(message: WidgetMessage): string {
  return JSON.stringify(message);
}
