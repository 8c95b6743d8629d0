import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LARGEST_FONT, MOST_FONTS } from "../../src/looks/fonts.ts";
import { widgetOptions } from "../../widget/options.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { reasonOf } from "../fixtures/refusal.ts";
import { anotherFont, fontOfSize, wideFont } from "../fixtures/fonts/fonts.ts";

let world: TestAccounts;
let ada: AddedUser;
let grace: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
  grace = await world.add("grace");
});
afterEach(() => world.store.close());

const fonts = () => world.accounts.fonts;
const add = (name: string, bytes = wideFont(), { user } = ada) => fonts().add(user, name, bytes);
const namesOf = async ({ user }: AddedUser) =>
  fonts()
    .allOf(user)
    .map(({ name }) => name);

describe("a font", () => {
  test("is found by an address that nobody guesses, as it was uploaded", async () => {
    const { id, name } = await add(" My   Font-2 ");
    expect(name).toBe("My Font-2");
    expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
    const bytes = fonts().bytesOf(id);
    expect(Buffer.from(bytes ?? [])).toEqual(Buffer.from(wideFont()));
    expect(fonts().bytesOf(`${id}x`)).toBe(undefined);
  });

  test("has a name that the widget's option can say", async () => {
    for (const name of ["Ümläut 7", "文鼎", "a", "x".repeat(40)]) {
      expect(widgetOptions.font.parse((await add(name, anotherFont())).name)).toBe(name);
      for (const font of fonts().allOf(ada.user)) await fonts().remove(ada.user, font.id);
    }
  });

  test.each(["", "  ", "-x", "a,b", 'a"b', "a}b", "a\\b", "x".repeat(41), "a\nb", "😀"])(
    "is not named %j",
    async (name) => {
      expect(await reasonOf(add(name))).toBe("font.name");
    },
  );

  test("has another name than the user's others, whatever the case of its letters", async () => {
    await add("Wide");
    expect(await reasonOf(add("WIDE", anotherFont()))).toBe("font.taken");
  });

  test("is there once", async () => {
    await add("Wide");
    expect(await reasonOf(add("Other"))).toBe("font.thereAlready");
    expect(await namesOf(ada)).toEqual(["Wide"]);
  });

  test("may have 1 MB and not a byte more", async () => {
    await add("Large", fontOfSize(LARGEST_FONT));
    expect(await reasonOf(add("Larger", fontOfSize(LARGEST_FONT + 1)))).toBe("font.tooLarge");
  });

  test("is one of at most eight", async () => {
    for (let count = 0; count < MOST_FONTS; count++) await add(`Font ${count}`, anotherFont());
    expect(await reasonOf(add("One more"))).toBe("font.tooMany");
    const [first] = fonts().allOf(ada.user);
    await fonts().remove(ada.user, first?.id ?? "");
    await add("One more");
    expect(await namesOf(ada)).toHaveLength(MOST_FONTS);
  });
});

test("fonts that are added at once are eight at most, and have different names", async () => {
  const all = Array.from(
    { length: 2 * MOST_FONTS },
    (_, index) => [`Font ${index}`, anotherFont()] as const,
  );
  const reasons = await Promise.all(
    all.map(([name, bytes]) => reasonOf(add(name, bytes)).catch(() => "added")),
  );
  expect(reasons.filter((reason) => reason === "font.tooMany")).toHaveLength(MOST_FONTS);
  expect(await namesOf(ada)).toHaveLength(MOST_FONTS);
  const [same] = all;
  const twice = [1, 2].map(() => reasonOf(add("Same", same?.[1], grace)).catch(() => "added"));
  expect((await Promise.all(twice)).toSorted()).toEqual(["added", "font.thereAlready"]);
});

describe("a file", () => {
  const changed = (change: (view: DataView, bytes: Uint8Array) => void) => {
    const bytes = wideFont();
    change(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes);
    return bytes;
  };

  test.each([
    ["is empty", () => new Uint8Array()],
    ["is a picture", () => new TextEncoder().encode("\x89PNG".padEnd(400, "x"))],
    ["is WOFF 1", () => changed((_, bytes) => void (bytes[3] = 0x46))],
    ["is cut off", () => wideFont().subarray(0, 200)],
    ["goes on after its end", () => new Uint8Array([...wideFont(), 0])],
    ["has no tables", () => changed((view) => view.setUint16(12, 0))],
    ["has outlines of no known kind", () => changed((view) => view.setUint32(4, 0x41414141))],
    ["says that it is empty", () => changed((view) => view.setUint32(16, 0))],
    ["would unpack to gigabytes", () => changed((view) => view.setUint32(16, 0xffffffff))],
    ["packs more than it has", () => changed((view) => view.setUint32(20, 0xffffffff))],
    ["has its metadata elsewhere", () => changed((view) => view.setUint32(32, 0xffff))],
    ["has its private data elsewhere", () => changed((view) => view.setUint32(44, 0xffff))],
  ])("that %s is no font", async (_, make) => {
    expect(await reasonOf(add("Wide", make()))).toBe("font.notWoff2");
    expect(await namesOf(ada)).toEqual([]);
  });
});

describe("users", () => {
  test("have fonts of their own, even the same", async () => {
    const hers = await add("Wide");
    const theirs = await add("Wide", wideFont(), grace);
    expect(theirs.id).not.toBe(hers.id);
    expect(await reasonOf(fonts().remove(grace.user, hers.id))).toBe("font.unknown");
    expect(await namesOf(ada)).toEqual(["Wide"]);
    expect(await fonts().remove(ada.user, hers.id)).toEqual(hers);
    expect(await namesOf(ada)).toEqual([]);
    expect(await namesOf(grace)).toEqual(["Wide"]);
  });

  test("take their fonts with them", async () => {
    const { id } = await add("Wide");
    await world.accounts.users.remove("ada");
    expect(fonts().bytesOf(id)).toBe(undefined);
  });
});
