import { expect, test } from "bun:test";
import type { LinkOutcome, TwitchLinks } from "../../src/chat/twitch/links.ts";
import { createPendingLinks } from "../../src/chat/twitch/pending-links.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const ADA = { id: 1, name: "ada" };

/** Links of a Twitch that gives each code a number. */
function createScene() {
  const clock = createFakeClock();
  const finished: [channel: string | undefined, deviceCode: string][] = [];
  const outcome = Promise.withResolvers<LinkOutcome>();
  let codes = 0;
  const links: Pick<TwitchLinks, "begin" | "finish"> = {
    async begin() {
      codes += 1;
      const code = { deviceCode: `${codes}`, userCode: `CODE${codes}`, link: undefined };
      return { kind: "code", code: { ...code, intervalMs: 5_000, expiresInMs: 1_800_000 } };
    },
    finish(_, { channel, code }) {
      finished.push([channel, code.deviceCode]);
      return outcome.promise;
    },
  };
  const pending = createPendingLinks({ clock, log: { error() {} }, links });
  return { clock, pending, finished, outcome, codes: () => codes };
}

test("Twitch is asked for a user's code once in ten seconds, however often the user begins", async () => {
  const { clock, pending, codes, finished } = createScene();
  const begin = (channel?: string) =>
    pending.begin(ADA, { clientId: "app", ...(channel !== undefined && { channel }) });
  await Promise.all(Array.from({ length: 100 }, () => begin()));
  await begin("another");
  expect(codes()).toBe(1);
  // What was typed last counts.
  expect(finished.at(-1)).toEqual(["another", "1"]);
  expect(pending.of(ADA.id)?.userCode).toBe("CODE1");
  await pending.begin({ id: 2, name: "grace" }, { clientId: "app" });
  expect(codes()).toBe(2);
  await clock.advance(10_000);
  await begin();
  expect(codes()).toBe(3);
});

test("a code that was used is not shown again", async () => {
  const { pending, outcome, codes } = createScene();
  await pending.begin(ADA, { clientId: "app" });
  outcome.resolve({ kind: "expired" });
  await settle();
  await pending.begin(ADA, { clientId: "app" });
  expect(codes()).toBe(2);
  expect(pending.of(ADA.id)?.userCode).toBe("CODE2");
});
