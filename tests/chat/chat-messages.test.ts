import { expect, test } from "bun:test";
import { createRepeats } from "../../src/chat/twitch/chat-messages.ts";

test("a repeated id is dropped as long as it is remembered", () => {
  const repeats = createRepeats();
  expect([repeats.isFirst("a"), repeats.isFirst("a"), repeats.isFirst("b")]).toEqual([
    true,
    false,
    true,
  ]);
  for (let at = 0; at < 1_000; at++) repeats.isFirst(`more ${at}`);
  expect(repeats.isFirst("a")).toBe(true);
});
