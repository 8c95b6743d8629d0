import type { Clock } from "../clock.ts";
import { createSlices, type SendTo } from "./slices.ts";

/** Members who follow the same thing, such as the overlays of a widget. */
export interface Room<Member> {
  readonly members: Set<Member>;
  /** Ends what the room follows. */
  leave(): void;
}

/** Everybody who follows something, in one room for each thing. */
export interface Audience<Member, Opened extends Room<Member>> {
  readonly rooms: ReadonlyMap<string, Opened>;
  /** All members of all rooms. */
  members(): Member[];
  /** Sends to many members without holding up requests, to each in the order of the calls. */
  readonly sendTo: SendTo<Member>;
  /** @param open makes the room of a key that nobody is in yet, and has it follow its thing */
  join(key: string, member: Member, open: () => Opened): Opened;
  /** The room ends when its last member has left. */
  leave(key: string, member: Member): void;
  /** Ends a room that nobody is in. */
  endIfEmpty(key: string): void;
}

/** A sign of life for members, while there are any. */
export interface Beat<Member> {
  readonly everyMs: number;
  send(member: Member): void;
}

/** @param keeps whether a room stays although nobody is in it */
export function createAudience<Member, Opened extends Room<Member>>(
  clock: Pick<Clock, "after">,
  beat?: Beat<Member>,
  keeps: (room: Opened) => boolean = () => false,
): Audience<Member, Opened> {
  const rooms = new Map<string, Opened>();
  const sendTo = createSlices<Member>();
  let stopBeats: (() => void) | undefined;

  const planBeat = ({ everyMs, send }: Beat<Member>): (() => void) =>
    clock.after(everyMs, () => {
      stopBeats = planBeat({ everyMs, send });
      for (const { members } of rooms.values()) sendTo(members, send);
    });

  const endIfEmpty = (key: string) => {
    const room = rooms.get(key);
    if (!room || room.members.size > 0 || keeps(room)) return;
    room.leave();
    rooms.delete(key);
    if (rooms.size > 0) return;
    stopBeats?.();
    stopBeats = undefined;
  };

  return {
    rooms,
    sendTo,
    members: () => [...rooms.values()].flatMap(({ members }) => [...members]),
    join(key, member, open) {
      const room = rooms.get(key) ?? open();
      rooms.set(key, room);
      room.members.add(member);
      if (beat) stopBeats ??= planBeat(beat);
      return room;
    },
    leave(key, member) {
      if (rooms.get(key)?.members.delete(member)) endIfEmpty(key);
    },
    endIfEmpty,
  };
}
