import { describe, expect, test } from "bun:test";
import { createArtworkStore, renditions } from "../../src/artwork/artwork-store.ts";
import type { Artwork } from "../../src/playback.ts";
import { createVault } from "../../src/accounts/secrets.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";

const { opaqueName } = createVault(TEST_KEY);

function createStore() {
  const reports: string[] = [];
  const store = createArtworkStore({
    opaqueName,
    onUnreadable: (_, origin) => reports.push(origin),
  });
  const renderAll = async (artwork: Artwork) => {
    const pictures = [];
    for (const rendition of Object.keys(renditions)) {
      pictures.push(await store.render(opaqueName(artwork.key), rendition));
    }
    return pictures;
  };
  return { store, reports, renderAll };
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
    store.pathOf(cover.artwork, "640.jpg");
    expect(await store.render(opaqueName("cover"), "640.jpg")).toBeDefined();
    await store.analyse(cover.artwork);
    expect(store.accentOf(cover.artwork)).toBeString();
    expect(await renderAll(cover.artwork)).not.toContain(undefined);
    expect(cover.loads).toBe(1);
  });

  test("is loaded once when the overlay is the first to need it", async () => {
    const { store, renderAll } = createStore();
    const cover = countedCover();
    await store.analyse(cover.artwork);
    expect(await renderAll(cover.artwork)).not.toContain(undefined);
    expect(cover.loads).toBe(1);
  });

  test("is loaded from where it was named last", async () => {
    const { store } = createStore();
    store.pathOf({ key: "cover", load: () => Promise.reject(new Error("gone")) }, "640.jpg");
    store.pathOf(countedCover().artwork, "640.jpg");
    expect(await store.render(opaqueName("cover"), "640.jpg")).toBeDefined();
  });
});

test("a cover that everybody can load is drawn only in the forms that are asked for", async () => {
  const { store } = createStore();
  const cover = countedCover({ url: "https://covers.example/1.png" });
  await store.analyse(cover.artwork);
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
      await store.analyse(artwork);
      expect(await renderAll(artwork)).toEqual([undefined, undefined, undefined]);
    }
    expect(reports.toSorted()).toEqual(["mpd 1", "mpd 2"]);
  });

  test("are told once where nothing is known of their origin", async () => {
    const { store, reports } = createStore();
    for (let at = 0; at < 30; at++) await store.analyse(unreadable(at));
    expect(reports).toHaveLength(1);
  });
});
