import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { readChatOptions } from "../../src/chat/options.ts";
import { carryOutServed } from "../../src/cli/served-commands.ts";
import { resolveConfig } from "../../src/config.ts";
import { until } from "../fixtures/clock/waiting.ts";
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
  await server.addUser("grace");
});
afterEach(() => server[Symbol.asyncDispose]());

/** Runs a command of ada's in the server, or where none runs. */
function marquee(command: string, texts: Record<string, string> = {}, isRunning = true) {
  const documents: Record<string, unknown>[] = [];
  const errors: string[] = [];
  const { running, ...parts } = server.app.actionParts;
  const code = carryOutServed(
    { command, texts: { user: "ada", ...texts }, asJson: true },
    { out: (line) => documents.push(JSON.parse(line)), error: (line) => errors.push(line) },
    {
      ...parts,
      ...(isRunning && running && { running }),
      settings: resolveConfig({}, {}),
      signal: new AbortController().signal,
      stop() {},
    },
  );
  return { code, documents, errors };
}

/** How a command ends, and what it prints to standard error. */
async function failureOf(...command: Parameters<typeof marquee>) {
  const { code, errors } = marquee(...command);
  return `${await code} ${errors.join(" ")}`;
}

const enterApp = (clientId = twitch.clientId) => marquee("chat app", { clientId }).code;
const link = () => storeLink(twitch, server.accounts.chat, ada.user);
const SEND = "/helix/chat/messages";
const accountOfAda = { service: "twitch", login: "ada", channel: "ada", state: "linked" };

describe("chat link", () => {
  test("names what is missing where there is no application, and takes only a client ID", async () => {
    for (const clientId of ["NOT ONE", "a".repeat(29), "a".repeat(31), "A".repeat(30)]) {
      expect(await failureOf("chat app", { clientId })).toContain("2 marquee: <client-id>");
    }
    expect(await failureOf("chat link")).toMatch(/^1 .*dev\.twitch\.tv.*"marquee chat app"/);
    expect(twitch.log).toEqual([]);
  });

  test("shows Twitch's words when it refuses", async () => {
    await enterApp("unknown".padEnd(30, "0"));
    expect(await failureOf("chat link")).toBe("1 marquee: Twitch refused: invalid client");
  });

  test.each([true, false])(
    "prints the code, waits, then prints the account; in a running server: %p",
    async (isRunning) => {
      await enterApp();
      const { code, documents } = marquee("chat link", {}, isRunning);
      const { userCode } = await until(() => twitch.deviceCodes[0]);
      await until(() => documents[0]);
      const url = `https://www.twitch.tv/activate?public=true&device-code=${userCode}`;
      expect(documents).toEqual([{ code: userCode, url }]);
      twitch.grant(userCode, "ada");
      await server.clock.advance(5_000);
      expect(await code).toBe(0);
      expect(documents.slice(1)).toEqual([accountOfAda]);
    },
  );
});

test("chat list prints the linked accounts", async () => {
  await link();
  const { code, documents } = marquee("chat list");
  expect(await code).toBe(0);
  expect(documents).toEqual([accountOfAda]);
});

describe("chat options", () => {
  const stored = async () => readChatOptions(server.accounts.chat.allOf()[0]?.options);

  test("changes what is named, and leaves the rest", async () => {
    await link();
    const change = async (texts: Record<string, string>) =>
      marquee("chat options", { login: "ADA", ...texts }).code;
    expect(await change({ words: "titel !np", quiet: "20", vip: "on", last: "off" })).toBe(0);
    expect(await change({ announceEvery: "90", moderator: "on", announces: "on" })).toBe(0);
    const options = {
      ...{ words: ["!titel", "!np"], quietS: 20, announceEveryS: 90, answersLast: false },
      ...{ badges: ["vip" as const, "moderator" as const], replies: true, shows: false },
      announces: true,
    };
    expect(await stored()).toEqual(options);
    await change({ vip: "off" });
    expect(await stored()).toEqual({ ...options, badges: ["moderator"] });
  });

  test.each([
    [{ login: "ada", quiet: "4" }, "--quiet must be a whole number of seconds from 5 to 300."],
    [{ login: "ada", announceEvery: "601" }, "--announce-every must be a whole number"],
    [{ login: "ada", words: "a-b" }, "--words must be one to 5 words"],
    [{ login: "bob", quiet: "5" }, "This account is not linked."],
  ])("refuses %j", async (texts: Record<string, string>, reason) => {
    await link();
    const before = await stored();
    expect(await failureOf("chat options", texts)).toContain(reason);
    expect(await stored()).toEqual(before);
  });
});

describe("chat say", () => {
  const say = (isRunning = true) => failureOf("chat say", { login: "ada" }, isRunning);
  const sends = () => twitch.log.filter((entry) => "path" in entry && entry.path === SEND).length;
  const runs = async () => {
    await link();
    await server.app.start();
    await until(async () => server.accounts.chat.allOf()[0]?.readingSince ?? undefined);
  };

  test("sends the song once, unless sharing is paused or there was too much", async () => {
    await server.sourceOf(ada).says(null);
    await runs();
    expect(await say()).toBe("0 ");
    expect(twitch.sent.at(-1)).toMatchObject({ text: "Nothing playing", replyTo: null });
    for (let more = 0; more < 14; more++) await say();
    expect(await say()).toContain("1 marquee: That was a lot for one chat.");
    const paused = { ...NOTHING_HIDDEN, pausedUntil: UNTIL_RESUMED };
    await server.accounts.privacy.change(ada.user, paused);
    expect(await say()).toContain("1 marquee: Sharing is paused");
  });

  test("waits for an account that begins, or begins anew with other options", async () => {
    await server.sourceOf(ada).says(null);
    await link();
    await server.app.start();
    expect(await say()).toBe("0 ");
    expect(await marquee("chat options", { login: "ada", quiet: "20" }).code).toBe(0);
    expect(await say()).toBe("0 ");
    expect(sends()).toBe(2);
  });

  test("gives up on an account that does not begin", async () => {
    await server.sourceOf(ada).says(null);
    await link();
    let isOver = false;
    const said = say().finally(() => {
      isOver = true;
    });
    await until(async () => {
      await server.clock.advance(5_000);
      return isOver || undefined;
    });
    expect(await said).toContain("1 marquee: Twitch didn’t take it.");
    expect(sends()).toBe(0);
  });

  test("shows why Twitch does not take it, and needs a running server", async () => {
    await server.sourceOf(ada).says(null);
    await runs();
    twitch.faults.set("send-unsent", "once");
    expect(await say()).toContain("1 marquee: Twitch refused: ");
    expect(await say(false)).toContain("1 marquee: Marquee isn’t running");
    expect(twitch.sent.filter(({ dropReason }) => dropReason === null)).toEqual([]);
  });

  test("gets another token after a refusal", async () => {
    await server.sourceOf(ada).says(null);
    await runs();
    twitch.expireAccessTokens("ada");
    expect(await say()).toBe("0 ");
    expect(twitch.sent.at(-1)).toMatchObject({ text: "Nothing playing", dropReason: null });
  });

  test("sends nothing in a pause that Twitch has asked for", async () => {
    await server.sourceOf(ada).says(null);
    await runs();
    twitch.faults.set("send-429", "once");
    expect(await say()).toContain("1 marquee: Twitch refused: ");
    expect(await say()).toContain("1 marquee: That was a lot for one chat.");
    expect(sends()).toBe(1);
  });

  test("ends answering where the account may not talk", async () => {
    await server.sourceOf(ada).says(null);
    await runs();
    twitch.faults.set("send-403", "once");
    expect(await say()).toContain("1 marquee: Twitch refused: ");
    expect(server.accounts.chat.allOf()).toMatchObject([{ state: "stopped" }]);
    expect(await say()).toContain("1 marquee: Twitch didn’t take it.");
    expect(sends()).toBe(1);
  });
});

describe("chat unlink", () => {
  test.each([true, false])(
    "ends a link of the user's own; in a running server: %p",
    async (isRunning) => {
      await link();
      const others = { login: "ada", user: "grace" };
      expect(await failureOf("chat unlink", others, isRunning)).toContain(
        "1 marquee: This account",
      );
      const { code, documents } = marquee("chat unlink", { login: "ada" }, isRunning);
      expect(await code).toBe(0);
      expect(documents).toEqual([{ service: "twitch", login: "ada", confirmed: true }]);
      expect(server.accounts.chat.allOf()).toEqual([]);
    },
  );

  test("fails where Twitch does not confirm it, though it has ended here", async () => {
    await link();
    await twitch.stop();
    const { code, documents, errors } = marquee("chat unlink", { login: "ada" });
    expect(await code).toBe(1);
    expect(documents).toMatchObject([{ confirmed: false }]);
    expect(errors.join()).toContain("Twitch hasn’t confirmed it");
    expect(server.accounts.chat.allOf()).toEqual([]);
  });
});
