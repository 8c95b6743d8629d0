import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SecretError } from "../../src/vault/vault.ts";
import { freeName } from "../../src/looks/free-name.ts";
import { type Look, LONGEST_CSS, NEW_OVERLAY_LOOK } from "../../src/looks/look.ts";
import { MOST_WIDGETS } from "../../src/looks/new-widget.ts";
import { UNDO_MS } from "../../src/looks/removed-widgets.ts";
import type { Widget } from "../../src/looks/widgets.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import * as tables from "../../src/db/schema.ts";

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
const ownerOf = async (token: AddedUser["widgetToken"]) => widgets().find(token)?.user;
const addTo = ({ user }: AddedUser, name: string) => widgets().add(user, { name, kind: "overlay" });
const looking = (options: Look["options"], css = ""): Look => ({ options, css, size: null });
const save = (widget: Widget, look: Look, isPassing = false) =>
  widgets().save(ada.user, widget.id, look, { basedOn: widget.revision, isPassing });

/** The stored row of a user's first widget. */
const rowOf = async ({ user }: AddedUser) => {
  const { queries } = world.store;
  const [row] = await queries
    .select()
    .from(tables.widgets)
    .where(eq(tables.widgets.userId, user.id));
  if (!row) throw new Error(`${user.name} has no widget`);
  return row;
};

describe("a widget's token", () => {
  test("shows the user it was made for", async () => {
    expect(await ownerOf(ada.widgetToken)).toEqual(ada.user);
    expect(await ownerOf(grace.widgetToken)).toEqual(grace.user);
  });

  test("of an overlay is the oldest overlay's, if there is one", async () => {
    const text = await widgets().add(ada.user, { name: "Text", kind: "text" });
    expect(await widgets().overlayTokenOf(ada.user)).toBe(ada.widgetToken);
    await widgets().remove(ada.user, (await widgets().first(ada.user)).id);
    expect((await widgets().first(ada.user)).id).toBe(text.id);
    expect(await widgets().overlayTokenOf(ada.user)).toBe(undefined);
    const { id } = await addTo(ada, "Second");
    expect(await widgets().overlayTokenOf(ada.user)).toBe(widgets().tokenOf(ada.user, id));
    await world.store.queries.delete(tables.widgets);
    expect(await widgets().overlayTokenOf(ada.user)).toStartWith("mqw_");
  });

  test("is made for a user who has no widget, the same for all who ask at once", async () => {
    await world.store.queries.delete(tables.widgets);
    const [token, ...others] = await Promise.all(
      [1, 2, 3].map(() => widgets().overlayTokenOf(ada.user)),
    );
    if (!token) throw new Error("no token was made");
    expect(others).toEqual([token, token]);
    expect(await ownerOf(token)).toEqual(ada.user);
    expect(await widgets().overlayTokenOf(ada.user)).toBe(token);
  });

  test("shows nobody once its user is removed", async () => {
    await world.accounts.users.remove("ada");
    expect(widgets().find(ada.widgetToken)).toBe(undefined);
  });

  test("is another for each widget", async () => {
    const second = await addTo(ada, "Second");
    const token = widgets().tokenOf(ada.user, second.id);
    expect(token).not.toBe(ada.widgetToken);
    expect(widgets().find(token)?.widget).toEqual(second);
  });
});

describe("rotating a widget's token", () => {
  test("gives another and makes the old one unknown", async () => {
    const token = await widgets().rotate(ada.user, 1);
    expect(token).not.toBe(ada.widgetToken);
    expect(await ownerOf(token)).toEqual(ada.user);
    expect(await widgets().overlayTokenOf(ada.user)).toBe(token);
    expect(widgets().find(ada.widgetToken)).toBe(undefined);
  });

  test("leaves the user's other widgets and other users alone", async () => {
    const second = await addTo(ada, "Second");
    const before = widgets().tokenOf(ada.user, second.id);
    await widgets().rotate(ada.user, 1);
    expect(widgets().tokenOf(ada.user, second.id)).toBe(before);
    expect(await widgets().overlayTokenOf(grace.user)).toBe(grace.widgetToken);
    await widgets().rotate(ada.user, second.id);
    expect(widgets().tokenOf(ada.user, second.id)).not.toBe(before);
  });
});

describe("a stored widget's token", () => {
  test("is sealed and hashed", async () => {
    const { hash, sealedToken } = await rowOf(ada);
    const stored = Buffer.concat([hash, sealedToken]).toString("latin1");
    expect(stored).not.toContain(ada.widgetToken.slice(4, 20));
  });

  test("does not open in another user's row", async () => {
    const { sealedToken } = await rowOf(ada);
    const { queries } = world.store;
    await queries
      .update(tables.widgets)
      .set({ sealedToken })
      .where(eq(tables.widgets.userId, grace.user.id));
    const { id } = await widgets().first(grace.user);
    expect(() => widgets().tokenOf(grace.user, id)).toThrow(SecretError);
    expect(await widgets().overlayTokenOf(grace.user)).toBe(undefined);
  });
});

describe("a user's widgets", () => {
  test("begin with one named Main, which has the look of new overlays", async () => {
    expect(widgets().allOf(ada.user)).toMatchObject([
      { name: "Main", kind: "overlay", language: null, revision: 1, ...NEW_OVERLAY_LOOK },
    ]);
  });

  test("have names, of which no two are alike", async () => {
    await addTo(ada, "Second");
    await expect(addTo(ada, "Second")).rejects.toMatchObject({ reason: "widget.taken" });
    await addTo(grace, "Second");
    const [main] = widgets().allOf(ada.user);
    await widgets().rename(ada.user, main?.id ?? 0, "First");
    expect(
      widgets()
        .allOf(ada.user)
        .map(({ name }) => name),
    ).toEqual(["First", "Second"]);
    await expect(widgets().rename(ada.user, main?.id ?? 0, "Second")).rejects.toMatchObject({
      reason: "widget.taken",
    });
  });

  test("are no more than that when they are added at once", async () => {
    const names = Array.from({ length: 2 * MOST_WIDGETS }, (_, index) => `Widget ${index}`);
    const added = await Promise.allSettled(names.map((name) => addTo(ada, name)));
    const refused = added.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    // There is one to begin with.
    expect(refused).toHaveLength(MOST_WIDGETS + 1);
    for (const error of refused) expect(error).toMatchObject({ reason: "widget.tooMany" });
    expect(widgets().allOf(ada.user)).toHaveLength(MOST_WIDGETS);
  });

  test("make way for new ones when they were removed, so that none can pile up", async () => {
    const { queries } = world.store;
    const kept = () => queries.$count(tables.widgets, eq(tables.widgets.userId, ada.user.id));
    const ids: number[] = [];
    for (let number = 0; number < 3 * MOST_WIDGETS; number++) {
      ids.push((await addTo(ada, "Second")).id);
      await widgets().remove(ada.user, ids.at(-1) ?? 0);
      await world.clock.advance(1);
      expect(await kept()).toBeLessThanOrEqual(MOST_WIDGETS);
    }
    expect(widgets().allOf(ada.user)).toHaveLength(1);
    await expect(widgets().restore(ada.user, ids[0] ?? 0)).rejects.toMatchObject({
      reason: "widget.tooLate",
    });
    expect(await widgets().restore(ada.user, ids.at(-1) ?? 0)).toMatchObject({ name: "Second" });
    expect(await kept()).toBe(MOST_WIDGETS);
  });

  test("can be added as soon as one of twenty was removed", async () => {
    const ids: number[] = [];
    for (let number = 2; number <= MOST_WIDGETS; number++) {
      ids.push((await addTo(ada, `Widget ${number}`)).id);
    }
    await widgets().remove(ada.user, ids[0] ?? 0);
    await addTo(ada, "One more");
    await expect(addTo(ada, "Too many")).rejects.toMatchObject({ reason: "widget.tooMany" });
    await expect(widgets().restore(ada.user, ids[0] ?? 0)).rejects.toMatchObject({
      reason: "widget.tooLate",
    });
  });

  test("are out of reach for other users", async () => {
    const second = await addTo(ada, "Second");
    const attempts: (() => unknown)[] = [
      () => widgets().byId(grace.user, second.id),
      () => widgets().tokenOf(grace.user, second.id),
      () => widgets().rotate(grace.user, second.id),
      () => widgets().rename(grace.user, second.id, "Mine"),
      () => widgets().save(grace.user, second.id, second, { basedOn: 1, language: "de" }),
      () => widgets().save(grace.user, second.id, looking({ theme: "bar" }), { basedOn: 1 }),
      () => widgets().revisionsOf(grace.user, second.id),
      () => widgets().remove(grace.user, second.id),
    ];
    for (const attempt of attempts) {
      await expect(Promise.try(attempt)).rejects.toMatchObject({ reason: "widget.unknown" });
    }
    expect(widgets().byId(ada.user, second.id)).toEqual(second);
  });
});

describe("a saved look", () => {
  test("is the widget's, with one revision more", async () => {
    const widget = await widgets().first(ada.user);
    const look = {
      options: { theme: "vinyl", unheardOf: "yes" },
      css: ".np-title{color:red}",
      size: { width: 400, height: 90 },
    };
    await world.clock.advance(5_000);
    const saved = await save(widget, look);
    expect(saved).toMatchObject({ ...look, revision: 2, updatedAt: world.clock.wallMs() });
    expect(widgets().byId(ada.user, widget.id)).toEqual(saved);
  });

  test("is refused when another was saved meanwhile", async () => {
    const widget = await widgets().first(ada.user);
    await save(widget, looking({ theme: "bar" }));
    const late = save(widget, looking({ theme: "art" }));
    await expect(late).rejects.toMatchObject({ reason: "widget.changed" });
    expect(await widgets().first(ada.user)).toMatchObject({ options: { theme: "bar" } });
    expect(widgets().revisionsOf(ada.user, widget.id)).toHaveLength(2);
  });

  test("that is refused writes no revision, whichever one it was based on", async () => {
    const { id, revision } = await widgets().first(ada.user);
    for (const basedOn of [999_999, -5, revision + 1, 0]) {
      const saved = widgets().save(ada.user, id, looking({ theme: "bar" }), { basedOn });
      await expect(saved).rejects.toMatchObject({ reason: "widget.changed" });
    }
    const revisions = widgets().revisionsOf(ada.user, id);
    expect(revisions.map((one) => one.revision)).toEqual([revision]);
  });

  test("may have 20 KB of CSS and no more", async () => {
    const widget = await widgets().first(ada.user);
    const saved = await save(widget, looking({}, "é".repeat(LONGEST_CSS / 2)));
    const longer = looking({}, `é${"é".repeat(LONGEST_CSS / 2)}`);
    await expect(save(saved, longer)).rejects.toMatchObject({ reason: "widget.css" });
  });

  test("stays in the history with the time when it was saved, the last 50 of them", async () => {
    let widget = await widgets().first(ada.user);
    for (let number = 2; number <= 60; number++) {
      await world.clock.advance(1_000);
      widget = await save(widget, looking({ size: `${number}` }));
    }
    const revisions = widgets().revisionsOf(ada.user, widget.id);
    expect(revisions).toHaveLength(50);
    expect(revisions[0]).toMatchObject({ revision: 60, options: { size: "60" } });
    expect(revisions[0]?.savedAt).toBe(world.clock.wallMs());
    expect(revisions.at(-1)).toMatchObject({ revision: 11 });
  });

  test("that is saved while editing leaves one look a minute in the history", async () => {
    let widget = await widgets().first(ada.user);
    for (let second = 1; second <= 130; second++) {
      await world.clock.advance(1_000);
      widget = await save(widget, looking({ size: `${second}` }), true);
    }
    const sizes = widgets()
      .revisionsOf(ada.user, widget.id)
      .map(({ options }) => options);
    expect(sizes).toEqual([
      { size: "130" },
      { size: "120" },
      { size: "60" },
      NEW_OVERLAY_LOOK.options,
    ]);
  });
});

describe("a removed widget", () => {
  test("is unknown at once, and can be restored for a minute", async () => {
    const second = await addTo(ada, "Second");
    const token = widgets().tokenOf(ada.user, second.id);
    await widgets().remove(ada.user, second.id);
    expect(widgets().find(token)).toBe(undefined);
    expect(widgets().allOf(ada.user)).toHaveLength(1);
    await world.clock.advance(UNDO_MS - 1);
    widgets().forgetRemoved();
    await expect(widgets().restore(grace.user, second.id)).rejects.toMatchObject({
      reason: "widget.tooLate",
    });
    expect(await widgets().restore(ada.user, second.id)).toMatchObject({ name: "Second" });
    expect(widgets().find(token)?.user).toEqual(ada.user);
  });

  test("is deleted with its history after that", async () => {
    const second = await addTo(ada, "Second");
    await widgets().remove(ada.user, second.id);
    await world.clock.advance(UNDO_MS + 1);
    await expect(widgets().restore(ada.user, second.id)).rejects.toMatchObject({
      reason: "widget.tooLate",
    });
    widgets().forgetRemoved();
    const { queries } = world.store;
    expect(await queries.select().from(tables.widgets)).toHaveLength(2);
    expect(await queries.select().from(tables.widgetRevisions)).toHaveLength(2);
  });

  test("does not take the place of one that got its name meanwhile", async () => {
    const second = await addTo(ada, "Second");
    await widgets().remove(ada.user, second.id);
    await addTo(ada, "Second");
    await expect(widgets().restore(ada.user, second.id)).rejects.toMatchObject({
      reason: "widget.nameInUse",
    });
  });
});

test("the next free name is found, however long the first one is", () => {
  expect(freeName("Main", [])).toBe("Main");
  expect(freeName("Main", ["Main"])).toBe("Main 2");
  expect(freeName("Main 2", ["Main", "Main 2"])).toBe("Main 3");
  expect(freeName("a".repeat(60), ["a".repeat(60)])).toBe(`${"a".repeat(58)} 2`);
  expect(freeName("👩‍🚀".repeat(60), ["👩‍🚀".repeat(60)])).toEndWith("👩‍🚀 2");
});
