import { describe, expect, test } from "bun:test";
import { createTwitchLinks, type LinkOutcome } from "../../src/chat/twitch/links.ts";
import { readSettings } from "../../src/chat/twitch/settings.ts";
import { until } from "../fixtures/clock/waiting.ts";
import type { FaultMode, FaultName } from "../fixtures/twitch/faults.ts";
import { createChatScene } from "./chat-scene.ts";

/** A link that has been begun. */
async function beginLink(faults: Partial<Record<FaultName, FaultMode>> = {}) {
  const scene = await createChatScene(faults);
  const { clock, id, helix, accounts, twitch } = scene;
  const config = { twitchClientId: twitch.clientId };
  const links = createTwitchLinks({ ...accounts, clock, id, helix, config });
  const begun = await links.begin(twitch.clientId);
  const stop = new AbortController();
  const outcomes: LinkOutcome[] = [];
  const finish = (channel?: string) => {
    if (begun.kind !== "code") throw new Error(begun.kind);
    const { code } = begun;
    const choice = channel === undefined ? {} : { channel };
    const asked = { clientId: twitch.clientId, code, ...choice };
    void links.finish(scene.user, asked, stop.signal).then((outcome) => outcomes.push(outcome));
    return code;
  };
  /** The outcome; time passes meanwhile. */
  const outcome = async (stepMs = 5_000): Promise<LinkOutcome> => {
    for (;;) {
      const [found] = outcomes;
      if (found) return found;
      await scene.pass(stepMs);
    }
  };
  const polls = () => scene.requests("/oauth2/token").length;
  return { scene, links, begun, stop, finish, outcome, polls };
}

describe("linking", () => {
  test("waits until the user has agreed, and stores account and application", async () => {
    const { scene, finish, outcome, polls } = await beginLink();
    await using _ = scene;
    const { userCode, link } = finish();
    expect(link).toStartWith("https://www.twitch.tv/activate");
    await scene.pass(20_000, 5_000);
    expect(polls()).toBe(4);
    const { id } = scene.twitch.grant(userCode, { login: "ada" });
    expect(await outcome()).toMatchObject({ kind: "linked", account: { login: "ada" } });
    const [account] = await scene.chat.allOf(scene.user.id);
    expect(account).toMatchObject({ service: "twitch", channel: "ada", state: "linked" });
    expect(readSettings(await scene.chat.settingsOf(account?.id ?? 0))).toMatchObject({
      ...{ clientId: scene.twitch.clientId, userId: id, channelId: id },
    });
  });

  test("takes another channel to answer in", async () => {
    const { scene, finish, outcome } = await beginLink();
    await using _ = scene;
    const ada = scene.twitch.person("ada");
    scene.twitch.grant(finish("Ada").userCode, { login: "adas_bot" });
    expect(await outcome()).toMatchObject({ account: { login: "adas_bot", channel: "ada" } });
    const [account] = await scene.chat.allOf();
    expect(await scene.chat.settingsOf(account?.id ?? 0)).toMatchObject({ channelId: ada.id });
  });

  test("of an unknown channel is undone", async () => {
    const { scene, finish, outcome } = await beginLink();
    await using _ = scene;
    scene.twitch.grant(finish("nobody").userCode, { login: "ada" });
    expect(await outcome()).toEqual({ kind: "unknown channel" });
    expect(scene.requests("/oauth2/revoke").length).toBe(1);
  });

  test("replaces the link of the same account", async () => {
    const { scene, finish, outcome } = await beginLink();
    await using _ = scene;
    const before = await scene.link();
    scene.twitch.grant(finish().userCode, { login: "ada" });
    await outcome();
    const all = await scene.chat.allOf();
    expect(all.length).toBe(1);
    expect(all[0]?.id).not.toBe(before.id);
  });

  test("goes on after one answer that the code is invalid, and ends after two", async () => {
    const { scene, finish, outcome } = await beginLink({ "device-invalid-code": "once" });
    await using _ = scene;
    scene.twitch.grant(finish().userCode, { login: "ada" });
    expect(await outcome()).toMatchObject({ kind: "linked" });
    const other = await beginLink({ "device-invalid-code": "always" });
    await using __ = other.scene;
    other.finish();
    expect(await other.outcome()).toEqual({ kind: "expired" });
    expect(other.polls()).toBe(2);
  });

  test.each(["device-pending", "device-expired"] as const)("ends with %s", async (fault) => {
    const { scene, finish, outcome } = await beginLink({ [fault]: "always" });
    await using _ = scene;
    finish();
    expect(await outcome(60_000)).toEqual({ kind: "expired" });
  });

  test.each(["grant-missing-scope", "grant-other-client"] as const)(
    "takes no tokens with %s",
    async (fault) => {
      const { scene, finish, outcome } = await beginLink({ [fault]: "once" });
      await using _ = scene;
      scene.twitch.grant(finish().userCode, { login: "ada" });
      expect(await outcome()).toEqual({ kind: "incomplete" });
      expect(await scene.chat.allOf()).toEqual([]);
    },
  );

  test("shows no address of another host, and no page instead of a code", async () => {
    const { scene, begun } = await beginLink({ "device-other-host": "once" });
    await using _ = scene;
    expect(begun).toMatchObject({ kind: "code", code: { link: undefined } });
    const other = await beginLink({ "device-html": "once" });
    await using __ = other.scene;
    expect(other.begun).toEqual({ kind: "refused", message: "" });
  });

  test("asks nothing any more once nobody waits", async () => {
    const { scene, finish, outcome, stop, polls } = await beginLink();
    await using _ = scene;
    finish();
    stop.abort();
    expect(await outcome()).toEqual({ kind: "aborted" });
    await scene.pass(20_000, 5_000);
    expect(polls()).toBe(0);
  });
});

describe("unlinking", () => {
  test("removes the account, then ends its tokens at Twitch", async () => {
    const { scene, links } = await beginLink();
    await using _ = scene;
    const { id } = await scene.link();
    const { accessToken = "" } = readSettings(await scene.chat.settingsOf(id)) ?? {};
    expect(await links.unlink(scene.user, "ADA")).toBe(true);
    expect(await scene.chat.allOf()).toEqual([]);
    expect(await scene.id.validate(accessToken)).toEqual({ kind: "invalid" });
  });

  test("says when Twitch has not confirmed it", async () => {
    const { scene, links } = await beginLink();
    await using _ = scene;
    await scene.link();
    await scene.twitch.stop();
    const unlinked = links.unlink(scene.user, "ada");
    await until(async () => ((await scene.chat.allOf()).length === 0 ? true : undefined));
    expect(await unlinked).toBe(false);
  });

  test("of an unknown account says what to do", async () => {
    const { scene, links } = await beginLink();
    await using _ = scene;
    const error = await links.unlink(scene.user, "bob").catch((reason: unknown) => reason);
    expect(String(error)).toContain("marquee chat list ada");
  });
});
