import { describe, expect, test } from "bun:test";
import type { ConnectionState } from "../../src/channels/connection-state.ts";
import { type Message, readMessages } from "../../src/cluster/message.ts";
import { shiftConnections } from "../../src/cluster/shift.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const load = () => Promise.reject(new Error("not here"));
const artwork = { key: "cover", url: "https://covers.example/1", origin: "mpd 3", load };

/** A state with all of its times at this one. */
type StateAt = (atMs: number) => ConnectionState;
const pauseAt = (sinceMs: number) =>
  ({ song: "1", positionMs: 5, sinceMs, beginningKnown: true }) as const;
const failureAt = (atMs: number) => ({ sinceMs: atMs, nextTryMs: atMs });
const states: Readonly<Record<string, StateAt>> = {
  waiting: (atMs) => ({ kind: "waiting", sinceMs: atMs, pause: undefined }),
  "waiting after a pause": (atMs) => ({ kind: "waiting", sinceMs: atMs, pause: pauseAt(atMs) }),
  silent: () => ({ kind: "silent" }),
  unlinked: () => ({ kind: "unlinked" }),
  failing: (atMs) => ({ kind: "failing", failure: failureAt(atMs), pause: pauseAt(atMs) }),
  "nothing plays": (atMs) => ({
    kind: "reported",
    playback: null,
    reportedAtMs: atMs,
    failure: undefined,
    pause: undefined,
  }),
  "a paused track of a source that fails": (atMs) => ({
    kind: "reported",
    playback: aPlayback({
      observedAtMs: atMs,
      track: { ...aPlayback().track, url: "https://music.example/1" },
      album: { name: "Slow Weather", artworks: [artwork] },
    }),
    reportedAtMs: atMs,
    failure: failureAt(atMs),
    pause: pauseAt(atMs),
  }),
};

/** What another node, whose clock is `byMs` ahead, knows of a state that is sent to it. */
function receive(state: ConnectionState, byMs: number): ConnectionState | undefined {
  const connections = [{ connectionId: 1, delivery: "polled" as const, state }];
  const message: Message = ["report", 7, 1, { nowMs: 0, onStream: 0, connections }];
  const [received] = readMessages(JSON.stringify([message]));
  if (received?.[0] !== "report") return undefined;
  const sent = received[3].connections ?? [];
  const [shifted] = shiftConnections(sent, undefined, byMs, (named) => ({ ...named, load }));
  return shifted?.state;
}

describe("a state that another node has published", () => {
  for (const [name, at] of Object.entries(states)) {
    test(`is the same in this node's time: ${name}`, () => {
      expect(receive(at(1_000.5), 60_000)).toEqual(at(61_000.5));
    });
  }

  test("may have a time that never was", () => {
    const never: ConnectionState = { kind: "waiting", sinceMs: -Infinity, pause: undefined };
    expect(receive(never, 60_000)).toEqual(never);
  });
});
