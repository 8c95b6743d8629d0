import { readOnAir } from "../../titles/on-air.ts";
import { createCallWindow } from "../../sources/polling/call-window.ts";
import { BROADCAST } from "../../sources/pushed.ts";
import { createOggReader, type SongComments } from "../../sources/streams/ogg.ts";
import { createByteBudget } from "../../sources/streams/byte-budget.ts";
import type { Parts } from "../../http/parts.ts";
import type { InboxOwner } from "../../music/inboxes.ts";
import type { Delivery } from "../delivery.ts";
import { type Message, NOTHING } from "../message.ts";

/** What a program broadcasts. Audio is passed over: nothing of it is kept, decoded or sent on. */
export interface Broadcast {
  /** Monotonic time of its last audio, in milliseconds. */
  lastAtMs: number;
  /** Passes over audio, but for the names in it; how long to wait before there may be more. */
  take(bytes: Uint8Array): number;
  /** Takes what was said of its song. */
  show(song: SongComments): void;
  end(): void;
}

/** A program that is silent for this long may be replaced by another, or by itself from a new address. */
const REPLACED_AFTER_MS = 5_000;
/** A program that is silent for this long has gone. */
const GONE_AFTER_MS = 15_000;
/** More than any format needs. */
const KBIT_PER_SECOND = 4_000;
/** Programs send the start of a broadcast at once. */
const BURST_BYTES = 256 * 1024;

const MOST_TITLES = 60;
const MINUTE_MS = 60_000;

/** Who broadcasts now, by connection. */
export function createOnAir(clock: Parts["clock"], delivery: Delivery) {
  const all = new Map<number, Broadcast>();
  return {
    of: (connectionId: number): Broadcast | undefined => all.get(connectionId),

    /** Begins a broadcast; `undefined` while another one with the same secret goes on. */
    begin(
      { connectionId }: InboxOwner,
      station: string,
      hangUp: () => void,
    ): Broadcast | undefined {
      const nowMs = clock.monotonicMs();
      const before = all.get(connectionId);
      if (before && nowMs - before.lastAtMs < REPLACED_AFTER_MS) return undefined;
      before?.end();
      const to = { connectionId, source: BROADCAST };
      const titles = createTitleLimit(clock, (song) => delivery.take(to, messageOf(song, station)));
      // Other audio than Ogg has no names in it.
      const readNames = createOggReader();
      const spend = createByteBudget({ kbitPerSecond: KBIT_PER_SECOND, burst: BURST_BYTES }, nowMs);
      let cancelWatch = () => {};
      let isNamedByRequests = false;
      const broadcast: Broadcast = {
        lastAtMs: nowMs,
        show(song) {
          isNamedByRequests = true;
          titles.show(song);
        },
        take(bytes) {
          broadcast.lastAtMs = clock.monotonicMs();
          const song = readNames(bytes);
          // MPD sends Opus without names in it, and says them by requests.
          if (song && (song.title !== "" || !isNamedByRequests)) titles.show(song);
          return spend(bytes.length, broadcast.lastAtMs);
        },
        end() {
          if (all.get(connectionId) !== broadcast) return;
          all.delete(connectionId);
          titles.stop();
          cancelWatch();
          delivery.take(to, NOTHING);
          hangUp();
        },
      };
      const watchOver = () => {
        const leftMs = broadcast.lastAtMs + GONE_AFTER_MS - clock.monotonicMs();
        if (leftMs <= 0) broadcast.end();
        else cancelWatch = clock.after(leftMs, watchOver);
      };
      all.set(connectionId, broadcast);
      delivery.take(to, NOTHING);
      watchOver();
      return broadcast;
    },
  };
}

/** Shows the newest song, but no more songs than a minute may have: one that comes too soon waits. */
function createTitleLimit(clock: Parts["clock"], show: (song: SongComments) => void) {
  const takeTitles = createCallWindow(clock, [MOST_TITLES], MINUTE_MS);
  let waiting: SongComments | undefined;
  let cancel = () => {};
  const showWaiting = () => {
    if (!waiting) return;
    const { granted, roomInMs } = takeTitles([1]);
    cancel();
    if (granted[0] === 0) {
      cancel = clock.after(roomInMs, showWaiting);
      return;
    }
    const song = waiting;
    waiting = undefined;
    show(song);
  };
  return {
    show(song: SongComments): void {
      waiting = song;
      showWaiting();
    },
    stop: () => cancel(),
  };
}

/** Nothing for an advertisement, and where nothing is named. */
function messageOf({ title, artist, album }: SongComments, station: string): Message {
  const onAir = title === "" ? null : readOnAir({ text: title, artist, station, otherwise: "" });
  if (!onAir || onAir.title === "") return NOTHING;
  return {
    kind: "track",
    track: {
      state: "playing",
      title: onAir.title,
      artists: onAir.artists,
      album: album || onAir.station,
      device: onAir.station || undefined,
      namesFrom: onAir.namesFrom,
    },
  };
}
