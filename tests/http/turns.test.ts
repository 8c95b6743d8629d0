import { expect, spyOn, test } from "bun:test";
import { createTurns } from "../../src/http/turns.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";

/** Runs promise callbacks, in the same turn of the event loop. */
async function callbacks(): Promise<void> {
  for (let callback = 0; callback < 100; callback++) await null;
}

test("a turn of the event loop is long after 50 milliseconds of answers, and the next begins anew", async () => {
  let nowMs = 1_000;
  const turns = createTurns({ monotonicMs: () => nowMs });
  expect(turns.isLong()).toBe(false);
  nowMs += 49;
  expect(turns.isLong()).toBe(false);
  nowMs += 1;
  expect(turns.isLong()).toBe(true);
  await settle();
  expect(turns.isLong()).toBe(false);
});

test("requests that come late in a long turn are answered in later ones, in their order", async () => {
  using server = await createTestServer();
  let nowMs = 1_000;
  const time = spyOn(server.clock, "monotonicMs").mockImplementation(() => nowMs);
  const answered: string[] = [];
  const ask = async (name: string, path: string) => {
    const { status } = await server.get(path);
    answered.push(`${name} ${status}`);
  };
  const first = ask("first", "/livez");
  nowMs += 50;
  const late = [ask("late", "/livez"), ask("last", "/live%7a")];
  await callbacks();
  expect(answered).toEqual(["first 200"]);
  await Promise.all([first, ...late]);
  expect(answered).toEqual(["first 200", "late 200", "last 200"]);
  time.mockRestore();
});
