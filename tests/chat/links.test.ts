import { describe, expect, test } from "bun:test";
import { createPendingLinks } from "../../src/chat/twitch/pending-links.ts";
import { createTwitchLinks } from "../../src/chat/twitch/links.ts";
import { readSettings } from "../../src/chat/twitch/settings.ts";
import type { Reason, Refused } from "../../src/i18n/refused.ts";
import { until } from "../fixtures/clock/waiting.ts";
import type { FaultMode, FaultName } from "../fixtures/twitch/faults.ts";
import { createChatScene } from "./chat-scene.ts";

type Faults = Partial<Record<FaultName, FaultMode>>;

async function createLinks(faults: Faults = {}) {
  const scene = await createChatScene(faults);
  const config = { twitchClientId: scene.twitch.clientId };
  const links = createTwitchLinks({ ...scene, ...scene.accounts, config });
  /** How many requests Twitch got. */
  const count = (path: string) => scene.requests(`/oauth2/${path}`).length;
  return { scene, links, count };
}

/** A link that has been begun, and that somebody waits for. */
async function beginLink(faults: Faults = {}, channel: string | null = null) {
  const made = await createLinks(faults);
  const { scene, links } = made;
  const begun = await links.begin(scene.user, channel);
  const stop = new AbortController();
  let reason: Reason | "linked" | undefined;
  begun
    .wait(stop.signal, () => true)
    .then(
      () => (reason = "linked"),
      (error: Refused) => (reason = error.reason),
    );
  /** How it ends; time passes meanwhile. */
  const end = async (stepMs = 5_000): Promise<string> => {
    while (reason === undefined) await scene.pass(stepMs);
    return reason;
  };
  const grant = (login: string) => scene.twitch.grant(begun.userCode, login);
  return { ...made, begun, stop, end, grant };
}

describe("linking", () => {
  test("waits until the user has agreed, and stores account and application", async () => {
    const { scene, begun, grant, end, count } = await beginLink();
    await using _ = scene;
    expect(begun.link).toStartWith("https://www.twitch.tv/activate");
    await scene.pass(20_000, 5_000);
    expect(count("token")).toBe(4);
    grant("ada");
    const { id } = scene.twitch.person("ada");
    expect(await end()).toBe("linked");
    const account = scene.chat.named(scene.user, "ada");
    expect(account).toMatchObject({ service: "twitch", channel: "ada", state: "linked" });
    expect(readSettings(await scene.chat.settingsOf(account.id))).toMatchObject({
      ...{ clientId: scene.twitch.clientId, userId: id, channelId: id },
    });
  });

  test("takes another channel to answer in", async () => {
    const { scene, grant, end } = await beginLink({}, "ada");
    await using _ = scene;
    const ada = scene.twitch.person("ada");
    grant("adas_bot");
    expect(await end()).toBe("linked");
    const { channel, id } = scene.chat.named(scene.user, "adas_bot");
    expect(channel).toBe("ada");
    expect(await scene.chat.settingsOf(id)).toMatchObject({ channelId: ada.id });
  });

  test("of an unknown channel is undone", async () => {
    const { scene, grant, end, count } = await beginLink({}, "nobody");
    await using _ = scene;
    grant("ada");
    expect(await end()).toBe("chat.unknownChannel");
    expect(count("revoke")).toBe(1);
  });

  test("of a user who is removed meanwhile is undone", async () => {
    const { scene, grant, end, count } = await beginLink();
    await using _ = scene;
    await scene.accounts.users.remove(scene.user.name);
    grant("ada");
    expect(await end()).toBe("user.unknown");
    expect(count("revoke")).toBe(1);
  });

  test("replaces the link of the same account, and adds up to five", async () => {
    const { scene, grant, end } = await beginLink();
    await using _ = scene;
    const before = await scene.link();
    grant("ada");
    await end();
    const all = scene.chat.allOf();
    expect(all.length).toBe(1);
    expect(all[0]?.id).not.toBe(before.id);
    for (const login of ["b", "c", "d", "e"]) await scene.link(login);
    await expect(scene.link("f")).rejects.toMatchObject({ reason: "chat.tooMany" });
  });

  test("goes on after one answer that the code is invalid, and ends after two", async () => {
    const { scene, grant, end } = await beginLink({ "device-invalid-code": "once" });
    await using _ = scene;
    grant("ada");
    expect(await end()).toBe("linked");
    const other = await beginLink({ "device-invalid-code": "always" });
    await using __ = other.scene;
    expect(await other.end()).toBe("chat.expired");
    expect(other.count("token")).toBe(2);
  });

  test("ends when the user declines", async () => {
    const { scene, begun, end } = await beginLink();
    await using _ = scene;
    scene.twitch.deny(begun.userCode);
    expect(await end()).toBe("chat.expired");
  });

  test.each([
    ["device-pending", "chat.expired"],
    ["device-expired", "chat.expired"],
    ["grant-missing-scope", "chat.incomplete"],
    ["grant-other-client", "chat.incomplete"],
  ] as const)("stores nothing with %s", async (fault, reason) => {
    const { scene, grant, end } = await beginLink({ [fault]: "always" });
    await using _ = scene;
    if (fault !== "device-expired") grant("ada");
    expect(await end(fault.startsWith("device") ? 60_000 : 5_000)).toBe(reason);
    expect(scene.chat.allOf()).toEqual([]);
  });

  test("shows no address of another host, and no page instead of a code", async () => {
    const { scene, links } = await createLinks({ "device-other-host": "once" });
    await using _ = scene;
    expect((await links.begin(scene.user, null)).link).toBeUndefined();
    const other = await createLinks({ "device-html": "once" });
    await using __ = other.scene;
    await expect(other.links.begin(scene.user, null)).rejects.toMatchObject({
      reason: "chat.refused",
    });
  });

  test("asks nothing any more once nobody waits", async () => {
    const { scene, stop, end, count } = await beginLink();
    await using _ = scene;
    stop.abort();
    expect(await end()).toBe("chat.expired");
    await scene.pass(20_000, 5_000);
    expect(count("token")).toBe(0);
  });

  test("asks for a user's code once in ten seconds, unless the last one was used", async () => {
    const { scene, links, count } = await createLinks();
    await using _ = scene;
    const begin = (id = 1) => links.begin({ id, name: "ada" }, null);
    const [begun] = await Promise.all(Array.from({ length: 100 }, () => begin()));
    expect(count("device")).toBe(1);
    await begin(2);
    expect(count("device")).toBe(2);
    scene.twitch.grant(begun?.userCode ?? "", "ada");
    const waits = begun?.wait(new AbortController().signal, () => true);
    await scene.pass(5_000);
    await waits;
    await begin();
    expect(count("device")).toBe(3);
    await scene.clock.advance(10_000);
    await begin();
    expect(count("device")).toBe(4);
  });
});

describe("a link that a page waits for", () => {
  test("is not asked for while nobody loads the page, and again once somebody does", async () => {
    const { scene, links, count } = await createLinks();
    await using _ = scene;
    const pending = createPendingLinks({ clock: scene.clock, log: { error() {} } });
    const begun = await links.begin(scene.user, null);
    pending.wait(1, begun);
    await scene.pass(200_000, 5_000);
    expect(count("token")).toBe(3);
    scene.twitch.grant(begun.userCode, "ada");
    expect(pending.of(1)).toMatchObject({ outcome: undefined });
    await scene.pass(5_000);
    expect(count("token")).toBe(4);
    expect(pending.of(1)).toMatchObject({ outcome: { login: "ada" } });
  });

  test("is given up when nobody loads the page for five minutes, or another one is begun", async () => {
    const { scene, links, count } = await createLinks();
    await using _ = scene;
    const pending = createPendingLinks({ clock: scene.clock, log: { error() {} } });
    const begin = async () => pending.wait(1, await links.begin(scene.user, null));
    await begin();
    await begin();
    await scene.pass(5_000);
    expect(count("token")).toBe(1);
    await scene.pass(290_000, 5_000);
    expect(pending.of(1)).toMatchObject({ outcome: undefined });
    await scene.pass(300_000, 5_000);
    expect(pending.of(1)).toBeUndefined();
    const polls = count("token");
    await scene.pass(20_000, 5_000);
    expect(count("token")).toBe(polls);
  });
});

describe("unlinking", () => {
  test("removes the account, then ends its tokens at Twitch", async () => {
    const { scene, links } = await createLinks();
    await using _ = scene;
    const { id } = await scene.link();
    const { accessToken = "" } = readSettings(await scene.chat.settingsOf(id)) ?? {};
    expect(await links.unlink(scene.user, "ADA")).toBe(true);
    expect(scene.chat.allOf()).toEqual([]);
    expect(await scene.id.validate(accessToken)).toEqual({ kind: "invalid" });
  });

  test("is not confirmed while Twitch does not answer", async () => {
    const { scene, links } = await createLinks();
    await using _ = scene;
    await scene.link();
    await scene.twitch.stop();
    const unlinked = links.unlink(scene.user, "ada");
    await until(async () => (scene.chat.allOf().length === 0 ? true : undefined));
    expect(await unlinked).toBe(false);
  });
});
