import { describe, expect, test } from "bun:test";
import { until } from "../fixtures/clock/waiting.ts";
import { createChatScene, type Scene } from "./chat-scene.ts";

const answer = ({ twitch }: Scene, count = 1) =>
  until(() => (twitch.sent.length >= count ? twitch.sent.at(-1) : undefined));

describe("a linked account", () => {
  test("answers a question in its chat as a reply", async () => {
    await using scene = await createChatScene();
    const { twitch, reading } = scene;
    await reading();
    const id = twitch.say({ channel: "ada", from: "bob", text: "!song" });
    expect(await answer(scene)).toMatchObject({
      ...{ channel: "ada", from: "ada", text: "♪ It", replyTo: id, dropReason: null },
    });
    expect(scene.frames()).toEqual([]);
  });

  test("answers what was heard before", async () => {
    await using scene = await createChatScene();
    await scene.reading();
    scene.twitch.say({ channel: "ada", text: "!lastsong" });
    expect(await answer(scene)).toMatchObject({ text: "♪ Before" });
  });
});
