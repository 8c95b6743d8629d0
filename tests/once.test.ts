import { expect, test } from "bun:test";
import { once } from "../src/once.ts";

test("what is made at its first use is made once, and again only after a failure", async () => {
  let made = 0;
  const get = once(async () => {
    made += 1;
    if (made === 1) throw new Error("not now");
    return made;
  });
  await expect(get()).rejects.toThrow("not now");
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(made).toBe(2);
});
