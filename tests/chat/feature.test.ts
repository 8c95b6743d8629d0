import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { storeLink } from "../fixtures/twitch/links.ts";
import type { StandInTwitch } from "../fixtures/twitch/twitch.ts";
import { type ChatServer, startChatServer } from "./chat-server.ts";

let server: ChatServer;
let twitch: StandInTwitch;
let ada: AddedUser;

beforeEach(async () => {
  server = await startChatServer();
  ({ twitch } = server);
  ada = await server.addUser("ada");
});
afterEach(() => server[Symbol.asyncDispose]());

const link = () => storeLink(twitch, server.accounts.chat, ada.user);
const reading = () => until(async () => server.accounts.chat.allOf()[0]?.readingSince ?? undefined);
const sessions = (count: number) => until(() => (twitch.sessions() === count ? true : undefined));
const answer = () => until(() => twitch.sent.at(-1));
const plays = () =>
  server.sourceOf(ada).says(aPlayback({ observedAtMs: server.clock.monotonicMs() }));

describe("a server", () => {
  test("opens no connection as long as nobody has linked a chat", async () => {
    await server.app.start();
    server.accounts.chat.allOf();
    await server.clock.advance(120_000);
    expect(twitch.log).toEqual([]);
  });

  test("answers in the chat of an account that was linked before the start, or after it", async () => {
    await link();
    await server.app.start();
    await reading();
    await link();
    await until(() =>
      twitch.log.filter(({ kind }) => kind === "socket").length >= 3 ? 1 : undefined,
    );
    await sessions(1);
    await reading();
    plays();
    twitch.say({ channel: "ada", from: "bob", text: "!song" });
    expect((await answer())?.text).toStartWith("♪ ");
  });

  test("says that nothing plays where the song is hidden, and nothing while sharing is paused", async () => {
    await link();
    await server.app.start();
    await reading();
    const playback = aPlayback({ observedAtMs: server.clock.monotonicMs() });
    server.sourceOf(ada).says(playback);
    await server.accounts.privacy.change(ada.user, {
      ...{ ...NOTHING_HIDDEN, hiddenTitles: [playback.track.title] },
    });
    twitch.say({ channel: "ada", from: "bob", text: "!song" });
    expect((await answer())?.text).toBe("Nothing playing");
    await server.accounts.privacy.change(ada.user, {
      ...{ ...NOTHING_HIDDEN, pausedUntil: UNTIL_RESUMED },
    });
    await server.clock.advance(30_000);
    twitch.say({ channel: "ada", from: "carl", text: "!song" });
    await server.clock.advance(5_000);
    expect(twitch.sent.length).toBe(1);
  });

  test("leaves the chat when the account is unlinked, and asks Twitch nothing any more", async () => {
    await link();
    await server.app.start();
    await reading();
    await server.accounts.chat.unlink(ada.user, "ada");
    await sessions(0);
    const { length } = twitch.log;
    await server.clock.advance(7_200_000);
    expect(twitch.log.length).toBe(length);
  });

  test("leaves the chat when its user is removed", async () => {
    await link();
    await server.app.start();
    await reading();
    await server.accounts.users.remove("ada");
    await sessions(0);
  });

  test("leaves all chats when it stops", async () => {
    await link();
    await server.app.start();
    await reading();
    await server.app.stop();
    await sessions(0);
  });
});
