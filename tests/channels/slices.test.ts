import { expect, test } from "bun:test";
import { createSlices } from "../../src/channels/slices.ts";

const many = Array.from({ length: 1_000 }, (_, index) => index);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("few members are told before the call returns", () => {
  const told: number[] = [];
  createSlices<number>()(many.slice(0, 100), (member) => told.push(member));
  expect(told.length).toBe(100);
});

test("many are told over several turns, in between which others get theirs", async () => {
  const told: number[] = [];
  createSlices<number>()(many, (member) => told.push(member));
  const seen: number[] = [];
  while (told.length < many.length) {
    seen.push(told.length);
    await nextTurn();
  }
  expect(seen.length).toBeGreaterThanOrEqual(9);
  expect(told).toEqual(many);
});

test("a member is told in the order of the calls", async () => {
  const told: string[] = [];
  const tell = createSlices<number>();
  tell(many, (member) => told.push(`first ${member}`));
  tell([999], (member) => told.push(`second ${member}`));
  while (told.length < many.length + 1) await nextTurn();
  expect(told.slice(-2)).toEqual(["first 999", "second 999"]);
});

test("a member that cannot be sent to keeps nothing from those of later turns", async () => {
  const told: number[] = [];
  const tell = createSlices<number>();
  const telling = () =>
    tell(many, (member) => {
      if (member === 3) throw new Error("cannot be sent to");
      told.push(member);
    });
  expect(telling).toThrow("cannot be sent to");
  while (told.at(-1) !== 999) await nextTurn();
  tell([7], (member) => told.push(member));
  expect(told.at(-1)).toBe(7);
});
