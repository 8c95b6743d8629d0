import { expect, test } from "bun:test";
import { createFirstSight } from "../../src/chat/twitch/chat-messages.ts";

test("a repeated id is dropped as long as it is remembered", () => {
  const isFirst = createFirstSight();
  expect([isFirst("a"), isFirst("a"), isFirst("b")]).toEqual([true, false, true]);
  for (let at = 0; at < 1_000; at++) isFirst(`more ${at}`);
  expect(isFirst("a")).toBe(true);
});
