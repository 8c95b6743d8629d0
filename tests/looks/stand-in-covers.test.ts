import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { Refused } from "../../src/i18n/refused.ts";
import { MOST_TRIES } from "../../src/looks/stand-in-covers.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { reasonOf } from "../fixtures/refusal.ts";

let world: TestAccounts;
let ada: AddedUser;
let grace: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
  grace = await world.add("grace");
});
afterEach(() => world.store.close());

const standIns = () => world.accounts.standInCovers;
const set = ({ user }: AddedUser, text: string) =>
  standIns().set(user, async () => Buffer.from(text));
const shownBy = ({ user }: AddedUser) => {
  const id = standIns().idOf(user.id);
  const bytes = id === undefined ? undefined : standIns().bytesOf(id);
  return bytes && Buffer.from(bytes).toString();
};

describe("a stand-in cover", () => {
  test("is one a user, at an address that nobody guesses and that another picture does not keep", async () => {
    const first = await set(ada, "first");
    expect(first).toMatch(/^[0-9A-Za-z]{22}$/);
    const second = await set(ada, "second");
    expect(standIns().bytesOf(first)).toBe(undefined);
    expect(standIns().idOf(ada.user.id)).toBe(second);
    expect([shownBy(ada), shownBy(grace)]).toEqual(["second", undefined]);
  });

  test("is removed by its user", async () => {
    await set(ada, "hers");
    await set(grace, "theirs");
    await standIns().remove(ada.user);
    expect([shownBy(ada), shownBy(grace)]).toEqual([undefined, "theirs"]);
    expect(await reasonOf(standIns().remove(ada.user))).toBe("cover.none");
  });

  test("goes with its user", async () => {
    const id = await set(ada, "hers");
    await world.accounts.users.remove("ada");
    expect(standIns().bytesOf(id)).toBe(undefined);
  });

  test("stays where another one cannot be drawn", async () => {
    await set(ada, "first");
    const failed = standIns().set(ada.user, async () => Promise.reject(new Error("no picture")));
    expect(await failed.catch((error: Error) => error.message)).toBe("no picture");
    expect(shownBy(ada)).toBe("first");
  });
});

describe("a flood of pictures", () => {
  test("is drawn one at a time, and only so many of a user in an hour", async () => {
    let drawing = 0;
    let mostAtOnce = 0;
    let drawn = 0;
    const draw = async () => {
      mostAtOnce = Math.max(mostAtOnce, ++drawing);
      await Promise.resolve();
      drawing -= 1;
      drawn += 1;
      // What is no picture counts, too.
      return drawn % 2 === 0 ? Buffer.from("x") : Promise.reject(new Error("no picture"));
    };
    const flood = Array.from({ length: 3 * MOST_TRIES }, () => standIns().set(ada.user, draw));
    const outcomes = await Promise.allSettled(flood);
    expect([mostAtOnce, drawn]).toEqual([1, MOST_TRIES]);
    const refused = outcomes.filter(
      (one) => one.status === "rejected" && one.reason instanceof Refused,
    );
    expect(refused).toHaveLength(2 * MOST_TRIES);
    expect(await reasonOf(set(ada, "one more"))).toBe("cover.tooOften");
    await set(grace, "of somebody else");
    await world.clock.advance(3_600_000);
    await set(ada, "later");
    expect(shownBy(ada)).toBe("later");
  });
});
