import { describe, expect, test } from "bun:test";
import { readSettings, type TwitchSettings } from "../../src/chat/twitch/settings.ts";
import { type AccountTokensDeps, createAccountTokens } from "../../src/chat/twitch/tokens.ts";
import { until } from "../fixtures/clock/waiting.ts";
import type { FaultName } from "../fixtures/twitch/faults.ts";
import { createChatScene } from "./chat-scene.ts";

const SETTINGS: TwitchSettings = {
  ...{ clientId: "client", userId: "1", channelId: "1" },
  ...{ accessToken: "access0", refreshToken: "refresh0" },
};

/** Tokens against the stand-in Twitch, whose access token has just ended. */
async function createExpired(fault?: FaultName) {
  const scene = await createChatScene(fault ? { [fault]: "once" } : {});
  const account = await scene.link();
  scene.twitch.expireAccessTokens("ada");
  const stop = new AbortController();
  const unstored: unknown[] = [];
  const tokensWith = (changes: Partial<AccountTokensDeps> = {}) =>
    createAccountTokens({
      ...{ clock: scene.clock, id: scene.id, chat: scene.chat, accountId: account.id },
      signal: stop.signal,
      onUnstored: (error) => void unstored.push(error),
      ...changes,
    });
  const refreshes = () => scene.requests("/oauth2/token").length;
  const stored = async () => readSettings(await scene.chat.settingsOf(account.id));
  return { scene, account, tokensWith, refreshes, stored, stop, unstored };
}

describe("tokens", () => {
  test("are renewed when the access token has ended, and stored before they are used", async () => {
    const { scene, tokensWith, stored, refreshes } = await createExpired();
    await using _ = scene;
    const standing = await tokensWith().check();
    if (standing.kind !== "ready") throw new Error(standing.kind);
    expect(standing.settings).toEqual((await stored()) ?? SETTINGS);
    expect((await scene.id.validate(standing.settings.accessToken)).kind).toBe("valid");
    expect(refreshes()).toBe(1);
  });

  test("are renewed where Twitch refuses an access token whose time is not over", async () => {
    await using scene = await createChatScene({ "validate-401": "once" });
    const account = await scene.link();
    const tokens = createAccountTokens({
      ...{ clock: scene.clock, id: scene.id, chat: scene.chat, accountId: account.id },
      signal: new AbortController().signal,
      onUnstored() {},
    });
    expect((await tokens.check()).kind).toBe("ready");
    expect(scene.requests("/oauth2/token").length).toBe(1);
  });

  test("that Twitch takes for used have to be linked again", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-reused");
    await using _ = scene;
    expect((await tokensWith().check()).kind).toBe("ended");
    expect(refreshes()).toBe(1);
    expect(await scene.stateOf()).toBe("refused");
  });

  test("are renewed once for all who ask at the same time", async () => {
    const { scene, tokensWith, stored, refreshes } = await createExpired();
    await using _ = scene;
    const { accessToken = "" } = (await stored()) ?? {};
    const tokens = tokensWith();
    const all = await Promise.all([1, 2, 3].map(() => tokens.renew(accessToken)));
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(["ready"]));
    expect((await tokens.renew(accessToken)).kind).toBe("ready");
    expect(refreshes()).toBe(1);
  });

  test("are renewed when less than 70 minutes are left", async () => {
    const { scene, tokensWith, refreshes } = await createExpired();
    await using _ = scene;
    const tokens = tokensWith();
    await tokens.check();
    await scene.clock.advance(170 * 60_000);
    await tokens.check();
    expect(refreshes()).toBe(1);
    await scene.clock.advance(60_000);
    await tokens.check();
    expect(refreshes()).toBe(2);
  });

  test("stay in use while Twitch does not answer", async () => {
    const scene = await createChatScene({ "validate-500": "once" });
    await using _ = scene;
    const { id } = await scene.link();
    const { clock, chat } = scene;
    const { signal } = new AbortController();
    const tokens = createAccountTokens({
      ...{ clock, chat, id: scene.id, accountId: id, signal },
      onUnstored() {},
    });
    expect((await tokens.check()).kind).toBe("ready");
    expect(scene.requests("/oauth2/token")).toEqual([]);
  });

  test("survive an answer that comes after 4.9 seconds", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-late");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(4_900);
    expect((await checked).kind).toBe("ready");
  });

  test("are waited for when the server stops, as their answer is the only one", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-late");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    expect(await scene.accounts.retryWrites()).toBe(false);
    await scene.pass(4_900);
    await checked;
    expect(await scene.accounts.retryWrites()).toBe(true);
  });

  test("are tried once more, 20 seconds after an error of Twitch's", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-500");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(19_000);
    expect(refreshes()).toBe(1);
    await scene.pass(1_000);
    expect((await checked).kind).toBe("ready");
    expect(refreshes()).toBe(2);
  });

  test("are tried once an hour after two errors, and not in between", async () => {
    const { scene, tokensWith, refreshes } = await createExpired();
    await using _ = scene;
    scene.twitch.faults.set("refresh-500", "always");
    const tokens = tokensWith();
    const checked = tokens.check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(20_000);
    expect((await checked).kind).toBe("later");
    expect((await tokens.check()).kind).toBe("later");
    expect(refreshes()).toBe(2);
    scene.twitch.faults.set("refresh-500", "off");
    await scene.clock.advance(3_600_000);
    expect((await tokens.check()).kind).toBe("ready");
  });

  test("are lost with the only answer, which is found out by trying once", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-answer-lost");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(5_000);
    // No further than to the second attempt: its answer has to come before its deadline.
    await scene.pass(20_000);
    expect((await checked).kind).toBe("ended");
    expect(refreshes()).toBe(2);
    expect(await scene.stateOf()).toBe("refused");
  });

  test.each([
    ["refresh-invalid", "Invalid refresh token"],
    ["refresh-missing-secret", "missing client secret"],
  ] as const)("have to be linked again after %s, with Twitch's words", async (fault, words) => {
    const { scene, tokensWith, refreshes } = await createExpired(fault);
    await using _ = scene;
    expect((await tokensWith().check()).kind).toBe("ended");
    expect(scene.chat.allOf()[0]).toMatchObject({ state: "refused", refusal: words });
    expect(refreshes()).toBe(1);
  });

  test("are kept until they can be stored, and not renewed again before", async () => {
    const { scene, tokensWith, refreshes, stored, unstored } = await createExpired();
    await using _ = scene;
    let writes = 0;
    const storeSettings: typeof scene.chat.storeSettings = (...call) => {
      writes += 1;
      if (writes < 3) throw new Error("the disk is full");
      return scene.chat.storeSettings(...call);
    };
    const checked = tokensWith({ chat: { ...scene.chat, storeSettings } }).check();
    await until(() => (unstored.length === 1 ? true : undefined));
    await scene.pass(2_000, 250);
    expect((await checked).kind).toBe("ready");
    expect(unstored.length).toBe(2);
    expect((await stored())?.accessToken).not.toBe("access0");
    expect(refreshes()).toBe(1);
  });

  test("that come after the account was unlinked are revoked", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-late");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.chat.unlink(scene.user, "ada");
    await scene.pass(4_900);
    expect((await checked).kind).toBe("ended");
    expect(scene.requests("/oauth2/revoke").length).toBe(1);
  });
});
