import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { createWidgetToken } from "../../src/accounts/credential.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import type { Playback } from "../../src/playback.ts";
import { charactersReadBy } from "../fixtures/characters-read.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { type AddedWidget, addWidget } from "../fixtures/data/widgets.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let server: TestServer;
let ada: AddedUser;
let line: AddedWidget;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  line = await addWidget(server, ada, "text");
});
afterEach(() => server.close());

const ask = (query = "", headers: Record<string, string> = {}, language = "en") =>
  server.get(`/${language}/text/${line.token}${query}`, { headers });
const said = async (...args: Parameters<typeof ask>) => (await ask(...args)).text();
const plays = async (title: string, changes: Partial<Playback> = {}) => {
  const track = { id: title, title, durationMs: 200_000, explicit: false };
  const observedAtMs = server.clock.monotonicMs();
  await server.sourceOf(ada).says(aPlayback({ track, observedAtMs, ...changes }));
};
const hides = (hiddenTitles: string[], pausedUntil: number | null = null) =>
  server.accounts.privacy.change(ada.user, { pausedUntil, hiddenTitles, hiddenArtists: [] });
const aSecondLater = () => server.clock.advance(1_000);

describe("the text for chat bots", () => {
  test("is one line of plain text without a line break, for everybody who asks", async () => {
    await plays("Paper Lanterns");
    const response = await ask();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(
      new TextEncoder().encode("♪ Juniper Vale – Paper Lanterns"),
    );
  });

  test("keeps no song of a user who was removed", async () => {
    await plays("One");
    await said();
    await server.clock.advance(15_000);
    await plays("Two");
    await server.clock.advance(15_000);
    expect(server.hub.songsBefore(ada.user.id)).toHaveLength(1);
    await server.accounts.users.remove("ada");
    await settle();
    expect(server.hub.songsBefore(ada.user.id)).toEqual([]);
    expect(server.hub.running()).toBe(0);
  });

  test.each(LANGUAGES)(
    "says in the language of its address that nothing plays: %s",
    async (lang) => {
      await server.sourceOf(ada).says(null);
      expect(await said("", {}, lang)).toBe(languages[lang].widget.nothingPlaying);
    },
  );

  test("speaks the widget's own language wherever it is asked", async () => {
    await server.sourceOf(ada).says(null);
    const { widgets } = server.accounts;
    const widget = widgets.byId(ada.user, line.widget.id);
    await widgets.save(ada.user, widget.id, widget, { basedOn: widget.revision, language: "de" });
    expect(await said("", {}, "fr")).toBe(languages.de.widget.nothingPlaying);
  });

  test("says it in the saved words, from the next second on", async () => {
    await plays("Paper Lanterns");
    expect(await said()).toBe("♪ Juniper Vale – Paper Lanterns");
    await line.save({ template: "Now: {title}[ {url}]" });
    expect(await said()).toBe("Now: Paper Lanterns");
  });

  test("ignores what a saved name does not mean, or means no longer", async () => {
    await plays("Paper Lanterns");
    await line.save({ theme: "vinyl", template: "{nonsense}" });
    expect(await said()).toBe("♪ Juniper Vale – Paper Lanterns");
  });

  test("is the same line again within a second, and then the next one", async () => {
    await plays("One");
    expect(await said()).toEndWith("One");
    await plays("Two");
    await server.clock.advance(999);
    expect(await said()).toEndWith("One");
    await server.clock.advance(1);
    expect(await said()).toEndWith("Two");
  });

  test("is never refused, however often it is asked", async () => {
    await plays("One");
    for (let times = 0; times < 100; times++) expect((await ask()).status).toBe(200);
  });

  test("has 380 characters at most, 180 for YouTube, and as many as the address says", async () => {
    await plays("Lanterns ".repeat(100));
    const nightbot = (provider: string) => ({
      "nightbot-channel": `name=ada&displayName=Ada&provider=${provider}&providerId=1`,
    });
    const lengths = async (...args: Parameters<typeof ask>) => (await said(...args)).length;
    expect(await lengths()).toBeWithin(370, 381);
    expect(await lengths("", nightbot("twitch"))).toBeWithin(370, 381);
    expect(await lengths("", nightbot("youtube"))).toBeWithin(170, 181);
    expect(await lengths("", { "x-fossabot-channelprovider": "youtube" })).toBeWithin(170, 181);
    expect(await lengths("?max=20")).toBeWithin(15, 21);
    expect(await lengths("?max=500")).toBeWithin(490, 501);
    for (const wrong of ["19", "501", "-1", "x", "", "1e2"]) {
      expect(await lengths(`?max=${wrong}`)).toBeWithin(370, 381);
    }
  });

  test("says that nothing plays while the user hides the song or pauses sharing", async () => {
    await plays("Secret Song");
    await hides(["secret"]);
    expect(await said()).toBe("Nothing playing");
    await hides([]);
    await aSecondLater();
    expect(await said()).toEndWith("Secret Song");
    await hides([], UNTIL_RESUMED);
    await aSecondLater();
    expect(await said()).toBe("Nothing playing");
  });

  test("says that nothing plays when the source has failed for long", async () => {
    await server.sourceOf(ada).fails(new Error("gone"));
    const asked = said();
    await server.clock.advance(2_000);
    expect(await asked).toBe("Nothing playing");
  });

  test("answers within two seconds when nobody has listened and the source is silent", async () => {
    const asked = ask();
    await server.clock.advance(2_000);
    const response = await Promise.race([asked, Promise.resolve("late")]);
    expect(response).toBeInstanceOf(Response);
    expect((response as Response).status).toBe(200);
  });
});

describe("a song before", () => {
  const play = async (title: string, seconds: number) => {
    await plays(title, { positionMs: 0 });
    // The channel runs from the first question on.
    await ask();
    await server.clock.advance(seconds * 1_000);
  };

  test("is told for each step back, and that there is none before the first", async () => {
    for (const title of ["One", "Two", "Three"]) await play(title, 20);
    expect(await said("?back=1")).toEndWith("Two");
    expect(await said("?back=2")).toEndWith("One");
    expect(await said("?back=3")).toBe("No song before this one yet");
    expect(await said("?back=9")).toEndWith("Three");
  });

  test("is the last one when nothing plays any more", async () => {
    await play("One", 20);
    await server.sourceOf(ada).says(null);
    expect(await said("?back=1")).toEndWith("One");
  });

  test("was never hidden, is not hidden now, and is nobody's business in a pause", async () => {
    await play("One", 20);
    await hides(["secret"]);
    await play("Secret Song", 20);
    await play("Two", 20);
    expect(await said("?back=1")).toEndWith("One");
    await hides(["one"]);
    await aSecondLater();
    expect(await said("?back=1")).toBe("No song before this one yet");
    await hides([], UNTIL_RESUMED);
    await aSecondLater();
    expect(await said("?back=1")).toBe("Nothing playing");
    await hides([]);
    await aSecondLater();
    expect(await said("?back=1")).toEndWith("One");
  });
});

describe("the work that questions make", () => {
  test("is not done again for each length in which a song may be asked for", async () => {
    const longest = (part: string) => part.repeat(1_000).slice(0, 1_000);
    const long = { artists: Array<string>(50).fill(longest("Juniper ")) };
    await plays(longest("One "), long);
    await ask();
    await server.clock.advance(20_000);
    await plays(longest("Two "), long);
    for (const back of [0, 1]) {
      await aSecondLater();
      const askInAllLengths = async () => {
        for (let max = 20; max <= 500; max += 10) await ask(`?max=${max}&back=${back}`);
      };
      expect(await charactersReadBy(askInAllLengths, ["normalize"])).toBeLessThan(100_000);
    }
  });

  test("begins again with another song, and with another that was played before", async () => {
    await plays("One");
    await ask();
    await server.clock.advance(20_000);
    await plays("Two");
    expect([await said("?max=100"), await said("?max=100&back=1")]).toEqual([
      "♪ Juniper Vale – Two",
      "♪ Juniper Vale – One",
    ]);
    await server.clock.advance(20_000);
    await plays("Three");
    expect([await said("?max=200"), await said("?max=200&back=1")]).toEqual([
      "♪ Juniper Vale – Three",
      "♪ Juniper Vale – Two",
    ]);
  });
});

describe("a token that opens no text", () => {
  const spoiled = () => [createWidgetToken(), "mqw_x", ada.key, ada.widgetToken];

  test("is answered alike, whether it ever existed or belongs to an overlay", async () => {
    for (const token of spoiled()) {
      const response = await server.get(`/en/text/${token}`);
      expect(response.status).toBe(404);
      expect(await response.text()).toBe(languages.en.outputs.unknown);
    }
  });

  test("counts as a guess, while a right one from the same address still works", async () => {
    await plays("One");
    for (let times = 0; times < 10; times++) await server.get("/en/text/mqw_x");
    const refused = await server.get("/en/text/mqw_x");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    expect((await ask()).status).toBe(200);
    await server.clock.advance(60_000);
    expect((await server.get("/en/text/mqw_x")).status).toBe(404);
  });

  test("is what a rotated one is at once, and one that was removed", async () => {
    await plays("One");
    const next = await server.accounts.widgets.rotate(ada.user, line.widget.id);
    expect((await ask()).status).toBe(404);
    expect((await server.get(`/en/text/${next}`)).status).toBe(200);
    await server.accounts.widgets.remove(ada.user, line.widget.id);
    expect((await server.get(`/en/text/${next}`)).status).toBe(404);
  });

  test("opens neither an overlay nor a card when it is a text's", async () => {
    expect((await server.get(`/en/widget/${line.token}`)).status).toBe(404);
    expect((await server.get(`/en/card/${line.token}.svg`)).status).toBe(404);
    expect((await server.get(`/en/card/${line.token}`)).status).toBe(404);
  });
});
