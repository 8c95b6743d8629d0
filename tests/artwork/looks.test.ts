import { expect, test } from "bun:test";
import { createLooks } from "../../src/artwork/looks.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";

const coverOf = (at: number) => ({ key: `cover ${at}`, load: async () => new Uint8Array() });

test("a user whose covers come faster than they can be looked at has ten looks under way", async () => {
  const endings: PromiseWithResolvers<void>[] = [];
  const users: number[] = [];
  const lookAt = createLooks({
    look(_, userId) {
      users.push(userId);
      const ending = Promise.withResolvers<void>();
      endings.push(ending);
      return ending.promise;
    },
  });
  for (let at = 0; at < 10_000; at++) lookAt(1, coverOf(at));
  expect(users).toHaveLength(10);
  lookAt(2, coverOf(0));
  expect(users.at(-1)).toBe(2);
  endings[0]?.resolve();
  await settle();
  for (let at = 0; at < 10; at++) lookAt(1, coverOf(at));
  expect(users).toHaveLength(12);
});

test("what is known already takes no place", () => {
  let looks = 0;
  const lookAt = createLooks({
    look() {
      looks += 1;
      return undefined;
    },
  });
  for (let at = 0; at < 100; at++) lookAt(1, coverOf(0));
  expect(looks).toBe(100);
});
