import { connect } from "../../widget/live.ts";
import type { WidgetState } from "../../widget/state.ts";

/** A change of a user's music, and when each of the user's overlays has shown it or a newer one. */
export interface Change {
  readonly user: number;
  /** Grows with every change of the run: the titles end in it. */
  readonly number: number;
  readonly atMs: number;
  readonly seenAtMs: number[];
}

/** An overlay without a page around it: it connects with the widget's own script. */
export interface Screen {
  readonly user: number;
  state: WidgetState | undefined;
  /** The newest change that it has shown. */
  number: number;
  /** When it began to connect, each time. */
  readonly connectingAtMs: number[];
}

export interface Screens {
  readonly all: readonly Screen[];
  /** Waits for a change on all overlays of its user. */
  expect(change: Change): void;
  /** Which overlays have shown something old after something newer, one sentence each. */
  readonly olderAfterNewer: readonly string[];
  /** Which overlays have shown that nothing plays, although something always does. */
  readonly silences: readonly string[];
}

export const SCREENS_EACH = 3;

export const titleOf = (number: number) => `Song #${number}`;
const numberIn = (title: string) => Number(/#(\d+)$/.exec(title)?.[1] ?? 0);

/**
 * @param addresses of the users' sockets, in the order of the users
 * @param saidOf what the nodes said last of a user
 */
export function openScreens(
  addresses: readonly string[],
  saidOf: (user: number) => string,
): Screens {
  const pending = new Map<number, Change[]>();
  const olderAfterNewer: string[] = [];
  const silences: string[] = [];

  const show = (screen: Screen, state: WidgetState) => {
    screen.state = state;
    if (!("track" in state)) {
      const atMs = Math.round(performance.now());
      if (screen.number > 0) {
        const said = saidOf(screen.user);
        silences.push(`user ${screen.user}: ${state.kind} at ${atMs} ms, after ${said}`);
      }
      return;
    }
    const number = numberIn(state.track.title);
    if (number < screen.number) {
      olderAfterNewer.push(`user ${screen.user}: ${number} after ${screen.number}`);
    }
    if (number <= screen.number) return;
    const nowMs = performance.now();
    const changes = pending.get(screen.user) ?? [];
    for (const change of changes) {
      if (change.number > screen.number && change.number <= number) change.seenAtMs.push(nowMs);
    }
    pending.set(
      screen.user,
      changes.filter(({ seenAtMs }) => seenAtMs.length < SCREENS_EACH),
    );
    screen.number = number;
  };

  const open = (user: number, address: string): Screen => {
    const screen: Screen = { user, state: undefined, number: 0, connectingAtMs: [] };
    const askForAddress = () => {
      screen.connectingAtMs.push(performance.now());
      return address;
    };
    connect(askForAddress, {
      onState: (state) => show(screen, state),
      onLook() {},
      onStreamingWanted() {},
      onDemand() {},
      onTokenReplaced() {},
      onLost() {},
    });
    return screen;
  };

  return {
    all: addresses.flatMap((address, user) =>
      Array.from({ length: SCREENS_EACH }, () => open(user, address)),
    ),
    olderAfterNewer,
    silences,
    expect(change) {
      pending.set(change.user, [...(pending.get(change.user) ?? []), change]);
    },
  };
}
