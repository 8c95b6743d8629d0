import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createWidgetToken } from "../../src/accounts/credential.ts";
import { SecretError } from "../../src/accounts/secrets.ts";
import { widgetTokens } from "../../src/db/schema.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";

let world: TestAccounts;
let ada: AddedUser;
let grace: AddedUser;

beforeEach(async () => {
  world = await createTestAccounts();
  ada = await world.add("ada");
  grace = await world.add("grace");
});
afterEach(() => world.store.close());

const widgets = () => world.accounts.widgets;

/** The stored row of a user's token. */
const rowOf = ({ user }: AddedUser) => {
  const { queries } = world.store;
  const row = queries.select().from(widgetTokens).where(eq(widgetTokens.userId, user.id)).get();
  if (!row) throw new Error(`${user.name} has no widget token`);
  return row;
};

describe("a widget token", () => {
  test("shows the user it was made for", async () => {
    expect(await widgets().userOf(ada.widgetToken)).toEqual(ada.user);
    expect(await widgets().userOf(grace.widgetToken)).toEqual(grace.user);
  });

  test("that was never issued shows nobody", async () => {
    expect(await widgets().userOf(createWidgetToken())).toBe(undefined);
  });

  test("can be shown again", async () => {
    expect(await widgets().tokenOf(ada.user)).toBe(ada.widgetToken);
  });

  test("is made anew for a user who has none", async () => {
    world.store.queries.delete(widgetTokens).run();
    const token = await widgets().tokenOf(ada.user);
    expect(await widgets().userOf(token)).toEqual(ada.user);
    expect(await widgets().tokenOf(ada.user)).toBe(token);
  });

  test("shows nobody once its user is removed", async () => {
    await world.accounts.users.remove("ada");
    expect(await widgets().userOf(ada.widgetToken)).toBe(undefined);
  });
});

describe("rotating a widget token", () => {
  test("gives another and makes the old one unknown", async () => {
    const token = await widgets().rotate(ada.user);
    expect(token).not.toBe(ada.widgetToken);
    expect(await widgets().userOf(token)).toEqual(ada.user);
    expect(await widgets().tokenOf(ada.user)).toBe(token);
    expect(await widgets().userOf(ada.widgetToken)).toBe(undefined);
  });

  test("leaves other users' tokens alone", async () => {
    await widgets().rotate(ada.user);
    expect(await widgets().tokenOf(grace.user)).toBe(grace.widgetToken);
  });
});

describe("a stored widget token", () => {
  test("is sealed and hashed", () => {
    const { hash, sealedToken } = rowOf(ada);
    const stored = Buffer.concat([hash, sealedToken]).toString("latin1");
    expect(stored).not.toContain(ada.widgetToken.slice(4, 20));
  });

  test("does not open in another user's row", async () => {
    const { sealedToken } = rowOf(ada);
    world.store.queries
      .update(widgetTokens)
      .set({ sealedToken })
      .where(eq(widgetTokens.userId, grace.user.id))
      .run();
    await expect(widgets().tokenOf(grace.user)).rejects.toBeInstanceOf(SecretError);
  });
});
