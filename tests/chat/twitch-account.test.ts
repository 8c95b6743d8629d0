import { describe, expect, test } from "bun:test";
import type { ChatAccount } from "../../src/chat/store.ts";
import { GIVE_UP_MS, until } from "../fixtures/clock/waiting.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { isThorough } from "../fixtures/thorough.ts";
import type { FaultName } from "../fixtures/twitch/faults.ts";
import { createChatScene, type Scene } from "./chat-scene.ts";

/** The newest line in chat, once there are so many. */
const answer = ({ twitch }: Scene, count = 1) =>
  until(() => (twitch.sent.length >= count ? twitch.sent.at(-1) : undefined));

/** The stored account, once it is as wanted. */
const account = ({ chat, user }: Scene, isWanted: (stored: ChatAccount) => boolean) =>
  until(async () => chat.allOf(user.id).find(isWanted));

const TURNS_A_STEP = 4;

/** Advances the clock until there is a result. */
const passing = async <Result>(
  { pass }: Scene,
  stepMs: number,
  ask: () => Promise<Result | undefined> | Result | undefined,
) => {
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (let turn = 1; performance.now() < giveUpAtMs; turn++) {
    const result = await ask();
    if (result !== undefined) return result;
    // Threads that seal tokens, and sockets, take a time that this clock does not know.
    if (turn % TURNS_A_STEP === 0) await pass(stepMs);
    else await Bun.sleep(1);
  }
  throw new Error(`nothing came of it: ${ask.toString()}`);
};

const isReading = async ({ chat, user }: Scene) =>
  chat.allOf(user.id)[0]?.readingSince ?? undefined;

describe("a linked account", () => {
  test("answers a question in its chat as a reply, without sending any frame", async () => {
    await using scene = await createChatScene();
    const { twitch, reading } = scene;
    await reading();
    const id = twitch.say({ channel: "ada", from: "bob", text: "!song" });
    expect(await answer(scene)).toMatchObject({
      ...{ channel: "ada", from: "ada", text: "♪ It", replyTo: id, dropReason: null },
    });
    await account(scene, ({ answeredAt }) => answeredAt !== null);
    expect(scene.frames()).toEqual([]);
  });

  test("answers what was played before", async () => {
    await using scene = await createChatScene();
    await scene.reading();
    scene.twitch.say({ channel: "ada", text: "!lastsong" });
    expect(await answer(scene)).toMatchObject({ text: "♪ Before" });
  });

  test("answers nothing that the line takes more than five seconds for", async () => {
    await using scene = await createChatScene();
    const songLine = async () => {
      await scene.clock.advance(5_000);
      return "♪ It";
    };
    await scene.reading({ songLine });
    scene.twitch.say({ channel: "ada", text: "!song" });
    await scene.pass(100);
    expect(scene.requests("/helix/chat/messages")).toEqual([]);
  });

  test("answers repeated deliveries once, old messages never", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading();
    for (const fault of ["notification-twice", "notification-again", "notification-old"] as const) {
      twitch.faults.set(fault, "once");
      twitch.say({ channel: "ada", text: "!song", from: `viewer of ${fault}` });
      await scene.pass(31_000, 15_500);
    }
    expect(twitch.sent.length).toBe(2);
  });

  test("answers whatever becomes of this machine's wall clock", async () => {
    await using scene = await createChatScene();
    const { twitch, clock } = scene;
    let aheadMs = -3_600_000;
    await scene.reading({ clock: { ...clock, wallMs: () => clock.wallMs() + aheadMs } });
    aheadMs = 0;
    twitch.say({ channel: "ada", text: "!song" });
    expect(await answer(scene)).toMatchObject({ text: "♪ It" });
  });

  test("answers in shared chats only what was said in its own", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading();
    twitch.startSharedChat("ada", "grace");
    twitch.say({ channel: "grace", text: "!song" });
    await scene.pass(100);
    expect(twitch.sent).toEqual([]);
    twitch.say({ channel: "ada", text: "!song" });
    await answer(scene);
    await scene.pass(31_000, 15_500);
    twitch.endSharedChat("ada");
    twitch.say({ channel: "ada", text: "!song", from: "bob" });
    expect(await answer(scene, 2)).toMatchObject({ dropReason: null });
  });

  test("goes on after frames that nobody expects", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading();
    const faults: FaultName[] = [
      ...(["frame-binary", "frame-2mb", "frame-half-json", "frame-unknown-type"] as const),
    ];
    for (const fault of faults) twitch.faults.set(fault, "once");
    twitch.faults.set("event-without-message", "once");
    twitch.say({ channel: "ada", text: "!song" });
    twitch.say({ channel: "ada", text: "!song" });
    expect(await answer(scene)).toMatchObject({ text: "♪ It" });
    expect(scene.logged.filter((line) => line.includes("unknown")).length).toBe(1);
    expect(twitch.log.filter(({ kind }) => kind === "socket").length).toBe(1);
  });

  test("does not take its own lines for questions, whenever they come back", async () => {
    await using scene = await createChatScene({ "send-echo-first": "once" });
    await scene.reading({ songLine: async () => "!song" });
    scene.twitch.say({ channel: "ada", from: "ada", text: "!song" });
    await answer(scene);
    await scene.pass(60_000, 10_000);
    expect(scene.twitch.sent.length).toBe(1);
  });

  test("answers at most fifteen times in any thirty seconds, whatever is asked", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading();
    twitch.flood({ channel: "ada", text: "!song", count: isThorough ? 10_000 : 2_000 });
    await scene.pass(60_000, 2_000);
    const times = twitch.sent.map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThan(3);
    for (const atMs of times) {
      const within = times.filter((other) => other >= atMs && other < atMs + 30_000);
      expect(within.length).toBeLessThanOrEqual(15);
    }
    expect(twitch.sent.every(({ dropReason }) => dropReason?.code !== "msg_ratelimit")).toBe(true);
  });

  test("that was read before a restart and cannot be read now is not shown as read any more", async () => {
    await using scene = await createChatScene();
    const before = await scene.link();
    await scene.chat.note(before.id, { readingSince: 1 });
    scene.twitch.faults.set("subscribe-500", "always");
    scene.run(before);
    await account(scene, ({ readingSince }) => readingSince === null);
  });
});

describe("a user's options", () => {
  test("decide on words, badges and replies, and show the overlay with an answer", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    const options = { words: ["!titel"], badges: ["vip"], replies: false, shows: true };
    await scene.reading({}, "ada", options);
    twitch.say({ channel: "ada", from: "bob", text: "!titel" });
    twitch.say({ channel: "ada", from: "ada", text: "!song" });
    await scene.pass(100);
    expect(twitch.sent).toEqual([]);
    twitch.say({ channel: "ada", from: "ada", text: "!Titel" });
    expect(await answer(scene)).toMatchObject({ text: "♪ It", replyTo: null });
    expect(scene.shown).toEqual([scene.user.id]);
  });

  test("make it wait longer between two answers", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading({}, "ada", { quietS: 60 });
    twitch.say({ channel: "ada", from: "ada", text: "!song" });
    await answer(scene);
    await scene.pass(59_000, 14_750);
    twitch.say({ channel: "ada", from: "ada", text: "!song" });
    await scene.pass(1_000);
    expect(twitch.sent.length).toBe(1);
    twitch.say({ channel: "ada", from: "ada", text: "!song" });
    await answer(scene, 2);
  });
});

describe("announcements", () => {
  const plays = ({ play, clock }: Scene, title: string) => {
    const track = { id: title, title, durationMs: null, explicit: false };
    const playback = aPlayback({ track, observedAtMs: clock.monotonicMs() });
    play({ kind: "playback", connectionId: 1, playback });
  };
  const announcing = async (scene: Scene) => {
    await scene.reading({}, "ada", { announces: true });
    await scene.pass(100);
  };

  test("name new songs while the stream is live", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await announcing(scene);
    expect(scene.followers()).toBe(0);
    twitch.startStream("ada");
    await until(() => scene.followers() || undefined);
    plays(scene, "The first");
    plays(scene, "The second");
    await scene.pass(10_000);
    expect(await answer(scene)).toMatchObject({ text: "♪ It", replyTo: null });
    twitch.stopStream("ada");
    await until(() => (scene.followers() === 0 ? true : undefined));
  });

  test("begin in a stream that is live already, and follow no music where they are off", async () => {
    await using scene = await createChatScene();
    scene.twitch.startStream("ada");
    await scene.reading({}, "ada");
    await scene.pass(100);
    expect(scene.followers()).toBe(0);
    expect(scene.subscriptions()).toBe(1);
    await scene.reading({}, "ada", { announces: true });
    await until(() => (scene.followers() === 1 ? true : undefined));
  });

  test("pause while the chat is shared", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    twitch.startStream("ada");
    await announcing(scene);
    twitch.startSharedChat("ada", "grace");
    plays(scene, "The first");
    plays(scene, "The second");
    await scene.pass(10_000);
    await until(() => scene.requests("/helix/shared_chat/session").at(-1)?.atMs);
    await scene.pass(100);
    expect(twitch.sent).toEqual([]);
    twitch.endSharedChat("ada");
    plays(scene, "The third");
    await scene.pass(60_000, 15_000);
    expect(await answer(scene)).toMatchObject({ channel: "ada" });
  });
});

test("a line that has just been said is neither sent again nor an objection of Twitch's", async () => {
  await using scene = await createChatScene({ "send-duplicate": "once" });
  await scene.reading();
  scene.twitch.say({ channel: "ada", text: "!song" });
  expect(await answer(scene)).toMatchObject({ dropReason: { code: expect.any(String) } });
  await scene.pass(60_000, 15_000);
  expect(scene.requests("/helix/chat/messages").length).toBe(1);
  expect(scene.chat.allOf(scene.user.id)[0]?.refusal).toBeNull();
});

describe("a line that Twitch does not take", () => {
  const sendingWith = async (scene: Scene, fault: FaultName) => {
    await scene.reading();
    scene.twitch.faults.set(fault, "once");
    scene.twitch.say({ channel: "ada", from: "bob", text: "!song" });
  };
  const sends = (scene: Scene) => scene.requests("/helix/chat/messages").length;

  test.each([
    ["another token", "send-401", expect.any(String)],
    ["nothing that it replies to", "send-parent-gone", null],
  ] as const)("is sent once more with %s after %s", async (_, fault, replyTo) => {
    await using scene = await createChatScene();
    await sendingWith(scene, fault);
    expect(await answer(scene)).toMatchObject({ text: "♪ It", replyTo });
    expect(sends(scene)).toBe(2);
  });

  test.each(["send-unsent", "send-422", "send-429", "send-429-without-reset"] as const)(
    "is dropped after %s, with Twitch's words",
    async (fault) => {
      await using scene = await createChatScene();
      await sendingWith(scene, fault);
      const { refusal } = await account(scene, (stored) => stored.refusal !== null);
      expect(refusal).not.toBe("");
      expect(sends(scene)).toBe(1);
      expect(scene.twitch.sent.filter(({ dropReason }) => dropReason === null)).toEqual([]);
    },
  );

  test.each([0, 3_600_000, -3_600_000])(
    "makes a pause for as long as Twitch says, with a clock that is off by %i ms",
    async (offMs) => {
      await using scene = await createChatScene({ "send-429": "once" });
      const { twitch, clock } = scene;
      await scene.reading({ clock: { ...clock, wallMs: () => clock.wallMs() + offMs } });
      twitch.say({ channel: "ada", from: "bob", text: "!song" });
      await account(scene, ({ refusal }) => refusal !== null);
      await scene.pass(19_000);
      twitch.say({ channel: "ada", from: "carl", text: "!song" });
      await scene.pass(1_000);
      expect(sends(scene)).toBe(1);
      twitch.say({ channel: "ada", from: "carl", text: "!song" });
      expect(await answer(scene)).toMatchObject({ text: "♪ It" });
    },
  );

  test.each(["send-500", "send-answer-lost"] as const)(
    "is not sent again after %s, as it may be in chat",
    async (fault) => {
      await using scene = await createChatScene();
      await sendingWith(scene, fault);
      await answer(scene);
      await scene.pass(9_000, 3_000);
      expect(sends(scene)).toBe(1);
    },
  );

  test("ends answering where the account may not talk, with Twitch's words", async () => {
    await using scene = await createChatScene();
    await sendingWith(scene, "send-403");
    const { refusal } = await account(scene, ({ state }) => state === "stopped");
    expect(refusal).toContain("may not chat");
  });
});

describe("the socket", () => {
  test.each([4000, 4002, 4004, 4005, 4006, 4007])(
    "is opened again a moment after code %i",
    async (code) => {
      await using scene = await createChatScene();
      await scene.reading();
      scene.twitch.close(code);
      await passing(scene, 500, () => (scene.subscriptions() === 2 ? true : undefined));
      scene.twitch.say({ channel: "ada", text: "!song" });
      expect(await answer(scene)).toMatchObject({ text: "♪ It" });
    },
  );

  test.each([4001, 4003])("is opened again a minute after code %i, a mistake", async (code) => {
    await using scene = await createChatScene();
    await scene.reading();
    scene.twitch.close(code);
    await scene.pass(59_000);
    expect(scene.subscriptions()).toBe(1);
    expect(scene.logged).toContain("Twitch has closed a connection for a mistake of ours");
    await passing(scene, 1_000, () => (scene.subscriptions() === 2 ? true : undefined));
  });

  test.each(["no-welcome", "no-keepalives"] as const)("is given up after %s", async (fault) => {
    await using scene = await createChatScene({ [fault]: "once" });
    const { run, link, twitch } = scene;
    run(await link());
    const opened = () =>
      twitch.log.filter((entry) => entry.kind === "socket" && entry.event === "open").length;
    await passing(scene, 5_000, () => (opened() === 2 ? true : undefined));
    await passing(scene, 1_000, () => isReading(scene));
  });

  test("stays open as long as keepalives come, and sends nothing but pongs", async () => {
    await using scene = await createChatScene();
    const { twitch } = scene;
    await scene.reading();
    for (let minute = 0; minute < 60; minute++) {
      twitch.ping();
      await scene.pass(60_000, 30_000);
    }
    const frames = scene.frames().map((entry) => entry.kind === "frame" && entry.type);
    expect(new Set(frames)).toEqual(new Set(["pong"]));
    expect(twitch.log.filter(({ kind }) => kind === "socket").length).toBe(1);
    await until(() => (scene.requests("/oauth2/validate").length === 2 ? true : undefined));
  });

  test("stays open while the tokens cannot be read, and they are checked again", async () => {
    await using scene = await createChatScene();
    let isAway = false;
    let failed = 0;
    const chat: typeof scene.chat = {
      ...scene.chat,
      settingsOf(id) {
        if (!isAway) return scene.chat.settingsOf(id);
        failed += 1;
        throw new Error("the database is away");
      },
    };
    await scene.reading({ chat });
    isAway = true;
    await passing(scene, 60_000, () => (failed === 2 ? true : undefined));
    isAway = false;
    expect(scene.logged).toContain("a chat's tokens cannot be checked");
    await scene.pass(60_000);
    await until(() => (scene.requests("/oauth2/validate").length === 2 ? true : undefined));
    scene.twitch.say({ channel: "ada", text: "!song" });
    await answer(scene);
    expect(scene.subscriptions()).toBe(1);
  });

  test("stays open while Twitch cannot check the tokens, and it is asked again soon", async () => {
    await using scene = await createChatScene({ "validate-500": "once" });
    const checks = () => scene.requests("/oauth2/validate").length;
    await scene.reading();
    expect(checks()).toBe(1);
    await scene.pass(60_000);
    await until(() => (checks() === 2 ? true : undefined));
    await scene.pass(3_540_000, 30_000);
    expect(checks()).toBe(2);
    expect(scene.subscriptions()).toBe(1);
  });

  test("moves without subscribing again, and answers once what comes on both", async () => {
    await using scene = await createChatScene({ "reconnect-delivers-twice": "once" });
    const { twitch } = scene;
    await scene.reading();
    twitch.reconnect();
    twitch.say({ channel: "ada", text: "!song" });
    await answer(scene);
    await scene.pass(31_000, 1_000);
    twitch.say({ channel: "ada", from: "bob", text: "!song" });
    expect(await answer(scene, 2)).toMatchObject({ text: "♪ It" });
    expect(scene.subscriptions()).toBe(1);
    expect(twitch.sessions()).toBe(1);
  });

  test("moves twice in a row", async () => {
    await using scene = await createChatScene({ "reconnect-again": "once" });
    await scene.reading();
    scene.twitch.reconnect();
    await scene.pass(3_000, 500);
    scene.twitch.say({ channel: "ada", text: "!song" });
    await answer(scene);
    expect(scene.subscriptions()).toBe(1);
  });

  test.each(["reconnect-dead", "reconnect-4007"] as const)(
    "is made anew after %s, when Twitch has closed the old one",
    async (fault) => {
      await using scene = await createChatScene({ [fault]: "once" });
      await scene.reading();
      scene.twitch.reconnect();
      await scene.pass(1_000, 500);
      scene.twitch.say({ channel: "ada", text: "!song" });
      await answer(scene);
      await passing(scene, 5_000, () => (scene.subscriptions() === 2 ? true : undefined));
    },
  );
});

describe("a subscription", () => {
  test.each(["subscribe-400", "subscribe-500", "subscribe-401"] as const)(
    "is made after %s",
    async (fault) => {
      await using scene = await createChatScene({ [fault]: "once" });
      scene.run(await scene.link());
      await passing(scene, 500, () => isReading(scene));
      expect(scene.subscriptions()).toBe(2);
    },
  );

  test("that exists is as good as made", async () => {
    await using scene = await createChatScene({ "subscribe-409": "once" });
    await scene.reading();
    expect(scene.subscriptions()).toBe(1);
  });

  test.each(["subscribe-429-transports", "subscribe-429-duplicates"] as const)(
    "is made a minute after %s",
    async (fault) => {
      await using scene = await createChatScene({ [fault]: "once" });
      scene.run(await scene.link());
      await until(() => (scene.subscriptions() === 1 ? true : undefined));
      await scene.pass(59_000);
      expect(scene.subscriptions()).toBe(1);
      await passing(scene, 1_000, () => isReading(scene));
    },
  );

  test.each(["subscribe-403", "subscribe-410"] as const)(
    "is not tried again after %s",
    async (fault) => {
      await using scene = await createChatScene({ [fault]: "always" });
      scene.run(await scene.link());
      await account(scene, ({ state }) => state === "stopped");
      await scene.pass(120_000, 30_000);
      expect(scene.subscriptions()).toBe(1);
    },
  );

  test("to what is not the chat may be revoked, and the chat is read on", async () => {
    await using scene = await createChatScene();
    await scene.reading({}, "ada", { announces: true });
    scene.twitch.revoke("ada", "version_removed", "stream.online");
    scene.twitch.say({ channel: "ada", text: "!song" });
    expect(await answer(scene)).toMatchObject({ text: "♪ It" });
  });

  test.each([
    ["authorization_revoked", "refused"],
    ["user_removed", "refused"],
    ["chat_user_banned", "stopped"],
    ["moderator_removed", "stopped"],
    ["version_removed", "stopped"],
  ] as const)("that Twitch revokes for %s is not made again: %s", async (status, wanted) => {
    await using scene = await createChatScene();
    await scene.reading();
    scene.twitch.revoke("ada", status);
    expect(await account(scene, ({ state }) => state === wanted)).toMatchObject({
      ...{ refusal: status, readingSince: null },
    });
    await scene.pass(120_000, 30_000);
    expect(scene.subscriptions()).toBe(1);
  });
});
