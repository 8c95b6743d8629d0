import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ServerWebSocket } from "bun";
import type { User } from "../../src/accounts/users.ts";
import type { Language } from "../../src/languages.ts";
import { createLog } from "../../src/log.ts";
import { createDashboardLive, type DashboardLive } from "../../src/dashboard/live.ts";
import type { DashboardState } from "../../src/dashboard/state.ts";
import type { DashboardTicket } from "../../src/dashboard/ticket.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

let clock: FakeClock;
let live: DashboardLive;
/** For whom a state was put together, such as `1 en`. */
let drawn: string[];
let listening: Set<() => void>;
let overlays: number;
/** What drawing waits for. */
let gate: PromiseWithResolvers<void>;

const stateNow = (): DashboardState => ({
  label: "Now playing",
  track: null,
  privacy: "",
  isPaused: false,
  isHidden: false,
  attention: "",
  showsOwnMusic: true,
  overlays,
  presence: "",
  connections: [],
});

beforeEach(() => {
  clock = createFakeClock();
  drawn = [];
  listening = new Set();
  overlays = 0;
  gate = Promise.withResolvers();
  gate.resolve();
  live = createDashboardLive({
    clock,
    log: createLog({ level: "error", format: "text", write: () => {}, wallMs: clock.wallMs }),
    hub: {
      readingsOf: (userId) => [{ connectionId: userId * 10, playback: null, isShown: false }],
      subscribe(_, listener) {
        const play = () => listener({ kind: "nothing" });
        listening.add(play);
        return () => void listening.delete(play);
      },
    },
    async present({ id }, language) {
      drawn.push(`${id} ${language}`);
      await gate.promise;
      return stateNow();
    },
  });
});
afterEach(() => live.stop());

const userOf = (id: number): User => ({
  id,
  name: `user-${id}`,
  role: "member",
  createdAt: 0,
  language: null,
  welcomedAt: null,
});

function open(userId: number, language: Language = "en", sessionId = `session ${userId}`) {
  const messages: string[] = [];
  const data: DashboardTicket = {
    ...{ kind: "dashboard", user: userOf(userId), sessionId, language },
    isElsewhere: false,
  };
  const socket = {
    data,
    send: (message: string) => messages.push(message),
    close: () => live.closed(seen),
  };
  const seen = socket as unknown as ServerWebSocket<DashboardTicket>;
  live.opened(seen);
  return { messages, close: () => live.closed(seen) };
}

describe("open dashboards", () => {
  test("are drawn once a user and language with each change, however many there are", async () => {
    for (let at = 0; at < 20; at++) open(1, "en", `session ${at}`);
    open(1, "de");
    open(2, "en");
    await settle();
    drawn = [];
    live.redraw(undefined);
    await settle();
    expect(drawn.toSorted()).toEqual(["1 de", "1 en", "2 en"]);
  });

  test("are drawn once for all that happens in a moment", async () => {
    open(1);
    await settle();
    drawn = [];
    live.redraw(1);
    live.redrawConnection(10);
    for (const play of listening) play();
    await settle();
    expect(drawn).toEqual(["1 en"]);
  });

  test("are drawn again only where their user's data change", async () => {
    open(1);
    open(2);
    await settle();
    drawn = [];
    live.redraw(2);
    await clock.advance(60_000);
    expect(drawn).toEqual(["2 en"]);
  });

  test("get music through one subscription a user and language", async () => {
    const sockets = [open(1)];
    await settle();
    while (sockets.length < 20) sockets.push(open(1));
    await settle();
    expect(listening.size).toBe(1);
    drawn = [];
    for (const play of listening) play();
    await settle();
    expect(drawn).toEqual(["1 en"]);
    for (const { messages } of sockets) expect(messages).toHaveLength(2);
    for (const { close } of sockets) close();
    expect(listening.size).toBe(0);
  });

  test("are drawn again where a program has pushed to one of their user's connections", async () => {
    open(1);
    open(2);
    await settle();
    drawn = [];
    live.redrawConnection(20);
    live.redrawConnection(77);
    await settle();
    expect(drawn).toEqual(["2 en"]);
  });

  test("are all told what changes, and nothing when nothing does", async () => {
    const first = open(1);
    await settle();
    const second = open(1);
    live.redraw(1);
    await settle();
    expect([first.messages.length, second.messages.length]).toEqual([1, 1]);
    overlays = 3;
    const late = open(1);
    await settle();
    expect(late.messages).toEqual([JSON.stringify(stateNow())]);
    live.redraw(1);
    await settle();
    for (const { messages } of [first, second, late]) {
      expect(messages.at(-1)).toBe(JSON.stringify(stateNow()));
    }
    const told = first.messages.length;
    live.redraw(1);
    await settle();
    expect(first.messages).toHaveLength(told);
  });

  test("are drawn one after the other, and once more for all that happened meanwhile", async () => {
    const first = open(1);
    await settle();
    drawn = [];
    gate = Promise.withResolvers();
    live.redraw(1);
    await settle();
    for (let at = 0; at < 1_000; at++) {
      live.redraw(1);
      live.redrawConnection(10);
      for (const play of listening) play();
    }
    const late = open(1);
    await settle();
    expect(drawn).toEqual(["1 en"]);
    overlays = 7;
    gate.resolve();
    await settle();
    expect(drawn).toEqual(["1 en", "1 en"]);
    for (const { messages } of [first, late]) {
      expect(messages.at(-1)).toBe(JSON.stringify(stateNow()));
    }
  });

  test("are told a new position also where the music plays on while they are drawn", async () => {
    const { messages } = open(1);
    await settle();
    messages.length = 0;
    gate = Promise.withResolvers();
    for (const play of listening) play();
    await settle();
    for (const play of listening) play();
    gate.resolve();
    await settle();
    expect(messages).toHaveLength(2);
  });

  test("are drawn one after the other, however often somebody opens and closes one", async () => {
    gate = Promise.withResolvers();
    for (let at = 0; at < 1_000; at++) open(1).close();
    await settle();
    expect(drawn).toEqual(["1 en"]);
    const last = open(1);
    gate.resolve();
    await settle();
    expect(drawn).toEqual(["1 en", "1 en"]);
    expect(last.messages).toHaveLength(1);
    last.close();
    expect(listening.size).toBe(0);
  });

  test("are drawn again after that has failed", async () => {
    const { messages } = open(1);
    await settle();
    gate = Promise.withResolvers();
    live.redraw(1);
    await settle();
    live.redraw(1);
    overlays = 5;
    gate.reject(new Error("the database is away"));
    gate = Promise.withResolvers();
    gate.resolve();
    await settle();
    expect(messages.at(-1)).toBe(JSON.stringify(stateNow()));
  });

  test("are not drawn any more once they are closed", async () => {
    const { close } = open(1);
    await settle();
    close();
    drawn = [];
    live.redraw(1);
    await settle();
    expect(drawn).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });
});
