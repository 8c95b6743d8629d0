import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type PrivacyRules, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { Playback } from "../../src/playback.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import {
  type CoverServices,
  createCoverServices,
  PICTURE,
} from "../fixtures/covers/cover-services.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { formsIn } from "../fixtures/http/forms.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let world: CoverServices;
let server: TestServer;
let ada: AddedUser;
beforeEach(() => {
  world = createCoverServices();
});
afterEach(() => server.close());

/** A server whose owner allows these services. */
async function start(coverSearch: string, baseUrl?: string): Promise<void> {
  server = await createTestServer({
    settings: { rateLimitSeconds: "0", coverSearch },
    fetch: world.fetch,
    ...(baseUrl !== undefined && { baseUrl }),
  });
  ada = await server.addUser("ada");
}

const change = (changes: Partial<PrivacyRules>) =>
  server.accounts.privacy.change(ada.user, changes);

async function plays(playback: Playback | null): Promise<void> {
  void server.hub.read(ada.user.id, 1_000);
  await server.sourceOf(ada).says(playback);
}

const images = async (): Promise<readonly { url: string }[]> => {
  const { data } = await (await server.getAs(ada, "/api/v1/now-playing")).json();
  return data?.album.images ?? [];
};

/** Asks for what plays once a second, as programs do. */
async function listens(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await images();
    await server.clock.advance(1_000);
  }
}

describe("no request is made", () => {
  test("where the owner allows none, whatever the user wants", async () => {
    await start("off");
    await change({ searchesCovers: true });
    await plays(aPlayback());
    await listens(30);
    expect(world.calls).toEqual([]);
  });

  test("where the user does not want any, as at first", async () => {
    await start("musicbrainz,deezer");
    expect(server.accounts.privacy.of(ada.user.id).searchesCovers).toBe(false);
    await plays(aPlayback());
    await listens(30);
    expect(world.calls).toEqual([]);
  });

  test.each<[string, Partial<PrivacyRules>]>([
    ["a hidden title", { hiddenTitles: ["lanterns"] }],
    ["a hidden artist", { hiddenArtists: ["juniper"] }],
    ["anything while sharing is paused", { pausedUntil: UNTIL_RESUMED }],
  ])("for %s, from the beginning or from meanwhile", async (_, rules) => {
    await start("musicbrainz");
    await change({ ...rules, searchesCovers: true });
    await plays(aPlayback());
    await listens(30);
    await change({ hiddenTitles: [], hiddenArtists: [], pausedUntil: null });
    await images();
    await server.clock.advance(4_000);
    await change(rules);
    await listens(30);
    expect(world.calls).toEqual([]);
  });
});

describe("a cover that was found", () => {
  beforeEach(async () => {
    await start("musicbrainz", "https://music.example.org");
    await change({ searchesCovers: true });
  });

  test("is in the API, with an address of this server", async () => {
    await plays(aPlayback());
    expect(await images()).toEqual([]);
    await server.clock.advance(5_000);
    const [image] = await images();
    expect(image?.url).toMatch(/^https:\/\/music\.example\.org\/art\/\S+\/640\.jpg$/);
    const picture = await server.get(new URL(image?.url ?? "").pathname);
    expect(picture.headers.get("content-type")).toBe("image/jpeg");
    expect(world.hosts()).toEqual([
      "musicbrainz.org",
      "coverartarchive.org",
      "coverartarchive.org",
      "archive.org",
      "ia800100.us.archive.org",
    ]);
    const agents = world.calls.map(({ headers }) => headers.get("user-agent"));
    expect(agents[0]).toContain("https://music.example.org");
  });

  test("stays while the song plays on, and the answer stays the same object", async () => {
    await plays(aPlayback());
    await listens(6);
    const before = server.hub.peek(ada.user.id);
    expect(server.hub.peek(ada.user.id)).toBe(before as never);
    await plays(aPlayback({ positionMs: 100_000, observedAtMs: server.clock.monotonicMs() }));
    expect(await images()).toHaveLength(1);
    expect(server.hub.rawPlayback(ada.user.id)?.album.artworks).toHaveLength(1);
    await plays(aPlayback({ track: { ...aPlayback().track, id: "test:2", title: "Undertow" } }));
    expect(await images()).toEqual([]);
  });

  test("gives way to the player's own", async () => {
    await plays(aPlayback());
    await listens(6);
    const artworks = [{ key: "own", load: async () => PICTURE }];
    await plays(aPlayback({ album: { name: "Slow Weather", artworks } }));
    expect(server.hub.rawPlayback(ada.user.id)?.album.artworks).toEqual(artworks);
  });

  test("is gone when the user switches it off", async () => {
    await plays(aPlayback());
    await listens(6);
    expect(await images()).toHaveLength(1);
    await change({ searchesCovers: false });
    expect(await images()).toEqual([]);
    expect(server.hub.rawPlayback(ada.user.id)?.album.artworks).toEqual([]);
  });

  test("is the song's for others who want it too, and for nobody else", async () => {
    await plays(aPlayback());
    await listens(6);
    const bob = await server.addUser("bob");
    void server.hub.read(bob.user.id, 1_000);
    await server.sourceOf(bob).says(aPlayback());
    const reading = () => server.hub.peek(bob.user.id);
    expect(reading()).toMatchObject({ playback: { album: { artworks: [] } } });
    await server.accounts.privacy.change(bob.user, { searchesCovers: true });
    expect(reading()).toMatchObject({
      playback: { album: { artworks: [{ key: expect.stringContaining("found:") }] } },
    });
    expect(world.hosts().filter((host) => host === "musicbrainz.org")).toHaveLength(1);
  });

  test("replaces the player's own where the user wants that of a connection, until then and without one not", async () => {
    const artworks = [{ key: "own", load: async () => PICTURE }];
    const album = { name: "Slow Weather", artworks };
    const keysShown = () =>
      server.hub.rawPlayback(ada.user.id)?.album.artworks.map(({ key }) => key);
    const [connection] = server.accounts.connections.allOf(ada.user.id);
    const replace = (isOn: boolean) =>
      server.accounts.connections.replaceCovers(ada.user, connection!.publicId, isOn);
    await plays(aPlayback({ album }));
    await listens(10);
    expect(world.calls).toEqual([]);
    await replace(true);
    await listens(4);
    expect(keysShown()).toEqual(["own"]);
    await listens(4);
    expect(keysShown()).toEqual([expect.stringContaining("found:")]);
    expect(world.hosts().filter((host) => host === "musicbrainz.org")).toHaveLength(1);
    await listens(30);
    expect(world.hosts().filter((host) => host === "musicbrainz.org")).toHaveLength(1);
    world.recordings = [];
    await plays(
      aPlayback({ track: { ...aPlayback().track, id: "test:2", title: "Undertow" }, album }),
    );
    await listens(10);
    expect(keysShown()).toEqual(["own"]);
    await plays(aPlayback({ album }));
    expect(keysShown()).toEqual([expect.stringContaining("found:")]);
    await replace(false);
    expect(keysShown()).toEqual(["own"]);
  });

  test("ends no song", async () => {
    const leave = server.hub.subscribe(ada.user.id, () => {});
    await plays(aPlayback());
    await server.clock.advance(40_000);
    expect(server.hub.songsBefore(ada.user.id)).toEqual([]);
    leave();
  });
});

describe("an overlay", () => {
  let port: RealPort;
  beforeEach(async () => {
    await start("musicbrainz");
    port = openPort(server);
  });
  afterEach(() => port.end());

  test("gets the cover when it is found", async () => {
    await change({ searchesCovers: true });
    await server.sourceOf(ada).says(aPlayback());
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    const artOf = async () => {
      const message = await overlay.next();
      return message.type === "state" && message.state.kind === "playing"
        ? message.state.track.art
        : undefined;
    };
    expect(await artOf()).toBeNull();
    await server.clock.advance(5_000);
    await settle();
    const art = await artOf();
    expect(art).toMatch(/^\/art\/\S+\/256\.webp$/);
    const picture = await fetch(port.origin + art);
    expect(picture.status).toBe(200);
    expect(picture.headers.get("content-type")).toBe("image/webp");
    overlay.close();
  });
});

describe("the part of the page about covers", () => {
  const MUSIC = "/en/dashboard/music";
  const formOf = async () => {
    const browser = await signIn(server, ada);
    const page = await browser.get(MUSIC);
    const text = await page.clone().text();
    const form = (await formsIn(page)).find(({ fields }) => fields["do"] === "user covers");
    return { browser, text, form };
  };

  test("is there only where the owner allows it", async () => {
    await start("off");
    const { text, form } = await formOf();
    expect(text).not.toContain("MusicBrainz and the Cover Art Archive");
    expect(form).toBeUndefined();
  });

  test("names who is asked and what they learn, and stores the choice", async () => {
    await start("musicbrainz");
    const { browser, text, form } = await formOf();
    expect(text).toContain(
      "Marquee asks MusicBrainz and the Cover Art Archive for covers that your player doesn’t have. These services see the artist, title and album of those songs and your server’s address, but nothing about you or your viewers.",
    );
    expect(text).not.toContain("Deezer’s terms");
    expect(form?.fields["search"]).toBe("off");
    await browser.post(MUSIC, { ...form?.fields, search: "on" });
    expect(server.accounts.privacy.of(ada.user.id).searchesCovers).toBe(true);
    expect((await formOf()).form?.fields["search"]).toBe("on");
    await browser.post(MUSIC, { ...form?.fields, search: "perhaps" });
    expect(server.accounts.privacy.of(ada.user.id).searchesCovers).toBe(true);
    await browser.post(MUSIC, { ...form?.fields, search: "off" });
    expect(server.accounts.privacy.of(ada.user.id).searchesCovers).toBe(false);
  });

  test("has the choice of each connection on its card, once covers are looked for", async () => {
    await start("musicbrainz");
    const choiceOf = async () => {
      const browser = await signIn(server, ada);
      const forms = await formsIn(await browser.get(MUSIC));
      return {
        browser,
        fields: forms.find(({ fields }) => fields["do"] === "connection covers")?.fields,
      };
    };
    expect((await choiceOf()).fields).toBeUndefined();
    await change({ searchesCovers: true });
    const { browser, fields } = await choiceOf();
    expect(fields?.["covers"]).toBe("own");
    for (const [sent, stored] of [
      ["perhaps", "own"],
      ["found", "found"],
      ["own", "own"],
    ] as const) {
      await browser.post(MUSIC, { ...fields, covers: sent });
      expect((await choiceOf()).fields?.["covers"]).toBe(stored);
    }
    await browser.post(MUSIC, { ...fields, id: "99", covers: "found" });
    expect(server.accounts.privacy.of(ada.user.id).replacesCoversOf.size).toBe(0);
  });

  test("names Deezer and its terms where it is asked too", async () => {
    await start("musicbrainz,deezer");
    expect((await formOf()).text).toContain("Deezer’s terms exclude commercial use.");
  });
});
