import { NO_DISK_CACHE } from "../fixtures/data/no-disk-cache.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { accentOf } from "../../src/artwork/accent.ts";
import { createArtworkStore } from "../../src/artwork/artwork-store.ts";
import { renditions } from "../../src/artwork/drawing.ts";
import type { Artwork } from "../../src/playback.ts";
import { CoverMissing } from "../../src/upstream/cover.ts";
import { UpstreamError } from "../../src/upstream/index.ts";
import { createVault } from "../../src/vault/vault.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";
import { blackPicture, noisePicture, solidPicture } from "../fixtures/sources/pictures.ts";
import { watchImages, type WatchedImages } from "../fixtures/sources/watched-images.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";

const { opaqueName } = createVault(TEST_KEY);
const ADA = 1;
const BEN = 2;

/** @param isCurrent whether a user's music still shows a picture */
function createStore(isCurrent: (artwork: Artwork, userId: number) => boolean = () => true) {
  const reports: string[] = [];
  const failed: { userId: number; key: string; isPassing: boolean }[] = [];
  const store = createArtworkStore({
    opaqueName,
    isCurrent,
    disk: NO_DISK_CACHE,
    onUnreadable: (_, origin) => reports.push(origin),
    onFailed: (userId, { key }, isPassing) => failed.push({ userId, key, isPassing }),
  });
  const renderAll = async (artwork: Artwork) => {
    const pictures = [];
    for (const rendition of Object.keys(renditions)) {
      pictures.push(await store.render(opaqueName(artwork.key), rendition));
    }
    return pictures;
  };
  return { store, reports, failed, renderAll };
}

/** A cover that counts how often its file is loaded. */
function countedCover(given: Partial<Artwork> = {}) {
  const counted = {
    loads: 0,
    artwork: {
      key: "cover",
      async load() {
        counted.loads += 1;
        return solidPicture("#e07a5f", 700);
      },
      ...given,
    } satisfies Artwork,
  };
  return counted;
}

describe("the file of a cover that only we hold", () => {
  test("is loaded once for all that is drawn of it, since it is let go afterwards", async () => {
    const { store, renderAll } = createStore();
    const cover = countedCover();
    store.pathOf(cover.artwork, "640.jpg", ADA);
    expect(await store.render(opaqueName("cover"), "640.jpg")).toBeDefined();
    await store.analyse(cover.artwork, ADA);
    expect(store.accentOf(cover.artwork)).toBeString();
    expect(await renderAll(cover.artwork)).not.toContain(undefined);
    expect(cover.loads).toBe(1);
  });

  test("is loaded once when the overlay is the first to need it", async () => {
    const { store, renderAll } = createStore();
    const cover = countedCover();
    await store.analyse(cover.artwork, ADA);
    expect(await renderAll(cover.artwork)).not.toContain(undefined);
    expect(cover.loads).toBe(1);
  });

  test("is loaded from where it was named last", async () => {
    const { store } = createStore();
    store.pathOf({ key: "cover", load: () => Promise.reject(new Error("gone")) }, "640.jpg", ADA);
    store.pathOf(countedCover().artwork, "640.jpg", ADA);
    expect(await store.render(opaqueName("cover"), "640.jpg")).toBeDefined();
  });
});

test("a cover that everybody can load is drawn only in the forms that are asked for", async () => {
  const { store } = createStore();
  const cover = countedCover({ url: "https://covers.example/1.png" });
  await store.analyse(cover.artwork, ADA);
  await settle();
  expect(cover.loads).toBe(1);
  await store.render(opaqueName("cover"), "640.jpg");
  expect(cover.loads).toBe(2);
});

describe("covers that cannot be read", () => {
  const unreadable = (at: number, origin?: string): Artwork => ({
    key: `cover ${at}`,
    ...(origin !== undefined && { origin }),
    load: () => Promise.reject(new Error("no such file")),
  });

  test("are told once a connection, however many tracks have one", async () => {
    const { store, reports, renderAll } = createStore();
    for (let at = 0; at < 30; at++) {
      const artwork = unreadable(at, at % 2 === 0 ? "mpd 1" : "mpd 2");
      await store.analyse(artwork, ADA);
      expect(await renderAll(artwork)).toEqual([undefined, undefined, undefined, undefined]);
    }
    expect(reports.toSorted()).toEqual(["mpd 1", "mpd 2"]);
  });

  test("are told once where nothing is known of their origin", async () => {
    const { store, reports } = createStore();
    for (let at = 0; at < 30; at++) await store.analyse(unreadable(at), ADA);
    expect(reports).toHaveLength(1);
  });

  test("are not loaded again for each change of what plays", async () => {
    const { store } = createStore();
    const cover = countedCover({
      load() {
        cover.loads += 1;
        return Promise.reject(new Error("no such file"));
      },
    });
    for (let change = 0; change < 5; change++) await store.analyse(cover.artwork, ADA);
    expect(cover.loads).toBe(1);
  });
});

describe("of many covers", () => {
  /** The files of covers that a test made, by their bytes. */
  let keys: Map<unknown, string>;
  let images: WatchedImages;
  beforeEach(() => {
    keys = new Map();
    images = watchImages((file) => keys.has(file));
  });
  afterEach(() => images.restore());

  const drawnKeys = () => images.decoded.map((file) => keys.get(file));

  /** A cover, and how its file is loaded. */
  const coverOf = (key: string, loading: Promise<unknown> = Promise.resolve()): Artwork => ({
    key,
    async load() {
      await loading;
      const file = solidPicture("#e07a5f", 8);
      keys.set(file, key);
      return file;
    },
  });
  const sixty = () => Array.from({ length: 60 }, (_, at) => coverOf(`hostile ${at}`));

  test("of one user, at most one is drawn before another user's", async () => {
    const { store } = createStore();
    const [first, ...others] = sixty().map((cover) => store.pictureOf(cover, "256.webp", ADA));
    await first;
    const before = images.decoded.length;
    expect(await store.pictureOf(coverOf("victim"), "256.webp", BEN)).toBeDefined();
    expect(drawnKeys().indexOf("victim") - before).toBeLessThanOrEqual(1);
    expect(await Promise.all(others)).not.toContain(undefined);
    expect(images.decoded).toHaveLength(61);
    expect(images.atOnce).toBe(1);
  });

  test("each waits for at most one of every other user", async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(counts, async (covers) => {
        const { store } = createStore();
        const before = images.decoded.length;
        await Promise.all(
          covers.flatMap((count, userId) =>
            Array.from({ length: count }, (_, at) =>
              store.pictureOf(coverOf(`${userId} ${at}`), "256.webp", userId),
            ),
          ),
        );
        const users = drawnKeys()
          .slice(before)
          .map((key) => key?.split(" ")[0]);
        for (const [userId, count] of covers.entries()) {
          const turns = users.flatMap((user, at) => (user === String(userId) ? [at] : []));
          expect(turns).toHaveLength(count);
          for (const [index, at] of turns.entries()) {
            const waitedSince = turns[index - 1] ?? -1;
            expect(at - waitedSince).toBeLessThanOrEqual(covers.length);
          }
        }
      }),
      { numRuns: 20 },
    );
    expect(images.atOnce).toBe(1);
  });

  test("those whose music is over are not drawn, unless a browser asks for one", async () => {
    const covers = sixty();
    const last = covers.at(-1);
    const { store } = createStore(({ key }) => key === last?.key);
    const all = covers.map((cover) => store.analyse(cover, ADA));
    const asked = covers[30];
    if (!asked) throw new Error("no cover");
    const path = store.pathOf(asked, "512.webp", ADA);
    const [, , id = "", rendition = ""] = path.split("/");
    expect(await store.render(id, rendition)).toBeDefined();
    await Promise.all(all);
    expect(drawnKeys().toSorted()).toEqual([asked.key, last?.key].toSorted());
  });

  test("one whose music ends while it is loaded is not drawn", async () => {
    let isPlaying = true;
    const loading = Promise.withResolvers<void>();
    const { store } = createStore(() => isPlaying);
    const analysed = store.analyse(coverOf("late", loading.promise), ADA);
    await settle();
    isPlaying = false;
    loading.resolve();
    await inTime("the end", analysed);
    expect(images.decoded).toEqual([]);
    isPlaying = true;
    await store.analyse(coverOf("late"), ADA);
    expect(drawnKeys()).toEqual(["late"]);
  });

  test("one that takes long to load keeps neither its user's next nor others waiting", async () => {
    const { store } = createStore();
    const slow = Promise.withResolvers<void>();
    const waiting = store.pictureOf(coverOf("slow", slow.promise), "256.webp", ADA);
    expect(await store.pictureOf(coverOf("next"), "256.webp", ADA)).toBeDefined();
    expect(await store.pictureOf(coverOf("victim"), "256.webp", BEN)).toBeDefined();
    slow.resolve();
    expect(await waiting).toBeDefined();
  });

  test("few files are loaded before they are drawn, the newest first", async () => {
    const { store } = createStore();
    const gate = Promise.withResolvers<void>();
    let loads = 0;
    const covers = sixty().map(({ key, load }): Artwork => ({
      key,
      async load() {
        loads += 1;
        await gate.promise;
        return load();
      },
    }));
    const all = covers.map((cover) => store.pictureOf(cover, "256.webp", ADA));
    await settle();
    expect(loads).toBe(4);
    gate.resolve();
    await Promise.all(all);
    expect(drawnKeys().indexOf("hostile 59")).toBeLessThanOrEqual(4);
    expect(drawnKeys().indexOf("hostile 10")).toBeGreaterThan(45);
  });

  test("one that two users wait for comes in the turn of whoever is first", async () => {
    const { store } = createStore();
    const covers = sixty();
    const all = covers.map((cover) => store.pictureOf(cover, "256.webp", ADA));
    const shared = covers.at(-1);
    if (!shared) throw new Error("no cover");
    expect(await store.pictureOf(shared, "256.webp", BEN)).toBeDefined();
    expect(drawnKeys().indexOf(shared.key)).toBeLessThanOrEqual(2);
    await Promise.all(all);
    expect(images.decoded).toHaveLength(60);
  });

  test("each is decoded once for all forms, its colour and every attempt to make it small", async () => {
    const { store, renderAll } = createStore();
    const noise = noisePicture(700);
    keys.set(noise, "noise");
    const artwork = { key: "noise", load: async () => noise };
    await store.analyse(artwork, ADA);
    expect(await renderAll(artwork)).not.toContain(undefined);
    expect(drawnKeys()).toEqual(["noise"]);
  });
});

test.each(["#ffffff", "#000000", "#808080"])("a cover in %s has no accent", async (colour) => {
  expect(await accentOf(solidPicture(colour))).toBeNull();
});

describe("a file that costs too much to read", () => {
  const drawn = async (file: Uint8Array) => {
    const { store, reports } = createStore();
    const artwork = { key: "large", origin: "json 1", load: async () => file };
    const picture = await store.pictureOf(artwork, "256.webp", ADA);
    expect(reports).toEqual(picture ? [] : ["json 1"]);
    return picture !== undefined;
  };

  test("has more than twelve megapixels", async () => {
    expect(await drawn(blackPicture(4_000, 3_000))).toBe(true);
    expect(await drawn(blackPicture(4_000, 3_001))).toBe(false);
  });

  test("has scans without end", async () => {
    const file = Buffer.from(
      await new Bun.Image(solidPicture("#e07a5f", 64)).jpeg({ progressive: true }).bytes(),
    );
    const lastScan = file.subarray(file.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
    const withScans = (more: number) =>
      Buffer.concat([
        file.subarray(0, -2),
        ...Array.from({ length: more }, () => lastScan),
        file.subarray(-2),
      ]);
    expect(await drawn(withScans(0))).toBe(true);
    expect(await drawn(withScans(10))).toBe(true);
    expect(await drawn(withScans(100))).toBe(false);
  });
});

describe("a look at a cover", () => {
  test("is taken once, and says nothing of one that can be shown", async () => {
    const { store, failed } = createStore();
    const cover = countedCover();
    void store.look(cover.artwork, ADA);
    await store.analyse(cover.artwork, ADA);
    void store.look(cover.artwork, ADA);
    await settle();
    expect([cover.loads, failed]).toEqual([1, []]);
  });

  test("is not taken at what its service vouches for", async () => {
    const { store } = createStore();
    const cover = countedCover({ isVouchedFor: true });
    void store.look(cover.artwork, ADA);
    await settle();
    expect(cover.loads).toBe(0);
  });

  const failing = (error: Error, url?: string): Artwork => ({
    key: "cover",
    ...(url !== undefined && { url }),
    load: () => Promise.reject(error),
  });
  const gone = new CoverMissing("a cover answered 404");
  const unreached = new UpstreamError("it could not be reached");

  test.each([
    ["that its server does not have", failing(gone), false],
    [
      "that its server does not have, and everybody could load",
      failing(gone, "https://a.b"),
      false,
    ],
    ["whose server does not answer", failing(unreached), true],
    ["that is no picture", failing(new Error("no picture")), false],
  ])("finds one %s", async (_, artwork, isPassing) => {
    const { store, failed } = createStore();
    void store.look(artwork, ADA);
    await until(() => (failed.length > 0 ? true : undefined));
    expect(failed).toEqual([{ userId: ADA, key: "cover", isPassing }]);
  });

  test("is no word against a public cover whose server this one does not reach", async () => {
    const { store, failed } = createStore();
    await store.analyse(failing(unreached, "https://a.b"), ADA);
    expect(failed).toEqual([]);
  });

  test("is taken again after it failed and was left out for a while", async () => {
    const { store, failed } = createStore();
    await store.analyse(failing(gone), ADA);
    const cover = countedCover();
    void store.look(cover.artwork, ADA);
    await until(() => (cover.loads === 1 ? true : undefined));
    expect(failed).toHaveLength(1);
  });
});
