import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { NamesFrom, Playback } from "../../src/playback.ts";
import type { Phrase } from "../../src/titles/phrases.ts";
import { AS_GIVEN, CLEANED, withShownNames } from "../../src/titles/shown-names.ts";
import { formsIn } from "../fixtures/http/forms.ts";
import { textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let server: TestServer;
let ada: AddedUser;
beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

const upload = (title: string, artists: readonly string[] = ["Solvay"], namesFrom?: NamesFrom) => {
  const { track } = aPlayback();
  return aPlayback({ track: { ...track, title }, artists, ...(namesFrom && { namesFrom }) });
};

async function plays(playback: Playback) {
  void server.hub.read(ada.user.id, 1_000);
  await server.sourceOf(ada).says(playback);
}
const api = async (path: string) =>
  (await (await server.getAs(ada, path)).json()) as {
    data: { track: Record<string, unknown>; artist_name: string } & Record<string, unknown>;
  };

describe("clean names", () => {
  test("stand in the API with what was given beside them", async () => {
    await plays(upload("Undertow (Official Video)"));
    const { data } = await api("/api/v1/now-playing");
    expect(data.track).toMatchObject({
      name: "Undertow",
      original_name: "Undertow (Official Video)",
    });
    expect(data).not.toHaveProperty("original_artist_name");
    expect(data.track["id"]).toBe(aPlayback().track.id);
  });

  test("that are what was given stand alone", async () => {
    await plays(upload("Undertow (Live)"));
    const { data } = await api("/api/v1/now-playing");
    expect(data.track).not.toHaveProperty("original_name");
  });

  test("name the artist whom a video's title names, not its channel", async () => {
    await plays(upload("Mara Venn - Glass Sea", ["Silverleaf Records"], { origin: "page" }));
    const { data } = await api("/api/v1/now-playing");
    expect(data).toMatchObject({
      track: { name: "Glass Sea" },
      artist_name: "Mara Venn",
      original_artist_name: "Silverleaf Records",
    });
  });

  test("keep a station's name where its stream names no artist", () => {
    const text = "Undertow (Official Audio)";
    const playback = upload(text, ["Radio Harbour"], { origin: "upload", text });
    const shown = withShownNames(playback, 1, CLEANED);
    expect(shown).toMatchObject({ track: { title: "Undertow" }, artists: ["Radio Harbour"] });
  });

  test("are off for users who were there before them", async () => {
    await server.accounts.privacy.change(ada.user, { titles: AS_GIVEN });
    await plays(upload("Undertow (Official Video)"));
    expect((await api("/api/v1/now-playing")).data.track["name"]).toBe("Undertow (Official Video)");
  });

  test("are the same object as long as nothing changes", () => {
    const playback = upload("Undertow (Official Video)");
    expect(withShownNames(playback, 1, CLEANED)).toBe(withShownNames(playback, 1, CLEANED));
    expect(withShownNames(playback, 1, AS_GIVEN)).toBe(playback);
  });

  test("are a connection's own choice", async () => {
    const ofConnections = new Map([[7, false]]);
    const playback = upload("Undertow (Official Video)");
    const rules = { ...CLEANED, ofConnections };
    expect(withShownNames(playback, 7, rules)).toBe(playback);
    expect(withShownNames(playback, 8, rules).track.title).toBe("Undertow");
    const { connections, privacy } = server.accounts;
    const { id, publicId } = await connections.connect(ada.user, "demo", {});
    await connections.cleanTitles(ada.user, publicId, false);
    expect(privacy.of(ada.user.id).titles.ofConnections.get(id)).toBe(false);
    // It stays when the connection's settings are replaced.
    const again = await connections.connect(ada.user, "demo", {});
    expect(again.id).not.toBe(id);
    expect(privacy.of(ada.user.id).titles.ofConnections.get(again.id)).toBe(false);
    await connections.cleanTitles(ada.user, publicId, null);
    expect(privacy.of(ada.user.id).titles.ofConnections.size).toBe(0);
  });

  test("are hidden by rules that name what was given, and by those that name what is shown", async () => {
    await plays(upload("Mara Venn - Glass Sea", ["Silverleaf Records"], { origin: "page" }));
    const rules: [string[], string[]][] = [
      [[], ["silverleaf"]],
      [[], ["mara venn"]],
      [["mara venn - "], []],
      [["glass sea"], []],
    ];
    for (const [hiddenTitles, hiddenArtists] of rules) {
      await server.accounts.privacy.change(ada.user, { hiddenTitles, hiddenArtists });
      expect((await api("/api/v1/now-playing")).data).toBeNull();
    }
  });

  test("do not make two songs of one when they are switched", async () => {
    await plays(upload("Undertow (Official Video)"));
    await server.clock.advance(20_000);
    await server.accounts.privacy.change(ada.user, { titles: AS_GIVEN });
    await server.hub.read(ada.user.id, 1_000);
    await server.clock.advance(20_000);
    expect(server.hub.songsBefore(ada.user.id)).toEqual([]);
  });

  test("stand in the history with what was given", async () => {
    await server.accounts.history.change(ada.user, { keeps: "day", followsStreams: false });
    const leave = server.hub.subscribe(ada.user.id, () => {});
    await plays(upload("Undertow (Official Video)"));
    await server.clock.advance(40_000);
    const { data } = (await api("/api/v1/recently-played")) as unknown as { data: unknown[] };
    expect(data).toMatchObject([
      { track: { name: "Undertow", original_name: "Undertow (Official Video)" } },
    ]);
    leave();
  });
});

describe("the part of the page about titles", () => {
  const MUSIC = "/en/dashboard/music";
  let browser: SignedIn;
  beforeEach(async () => {
    browser = await signIn(server, ada);
  });

  const send = async (fields: Record<string, string>) => {
    const page = await browser.get(MUSIC);
    const form = (await formsIn(page)).find((one) => one.fields["do"] === "titles set");
    if (!form) throw new Error("the page has no form about titles");
    return browser.post(MUSIC, { ...form.fields, ...fields });
  };

  const rules = () => server.accounts.privacy.of(ada.user.id).titles;

  test("saves the choice and phrases", async () => {
    await send({ clean: "off", brackets: "Night Edit\n\nNight Edit\n", dash: "x y" });
    const phrases: readonly Phrase[] = [
      { text: "Night Edit", place: "brackets" },
      { text: "x y", place: "dash" },
    ];
    expect(rules()).toEqual({ isOn: false, phrases, ofConnections: new Map() });
  });

  test("tries them on the last songs without saving", async () => {
    await plays(upload("Undertow (Night Edit) [HD]"));
    const answer = await send({ do: "try titles", clean: "on", brackets: "Night Edit" });
    const page = await answer.text();
    expect(page).toContain("Undertow (Night Edit) [HD]");
    expect(page).toMatch(/<td dir="auto">Undertow – Solvay<\/td>/);
    expect(page).toMatch(/id="brackets"[^>]*>\s*Night Edit</);
    expect(rules()).toEqual(CLEANED);
  });

  const many = Array.from({ length: 51 }, (_, index) => `p${index}`).join("\n");

  test.each(["titles set", "try titles"])(
    "refuses phrases that are too many, too short or too long, and keeps what was typed: %s",
    async (action) => {
      for (const [typed, refusal] of [
        ["x", "“x” must have 2 to 50 characters."],
        ["y".repeat(51), `“${"y".repeat(50)}” must have 2 to 50 characters.`],
        [many, "At most 50 phrases: there are 51."],
      ] as const) {
        const answer = await send({ do: action, clean: "on", anywhere: typed });
        expect(answer.status).toBe(422);
        expect(await textOf(answer.clone(), "#anywhere-mistake")).toBe(refusal);
        expect(await textOf(answer, "#anywhere")).toBe(`\n${typed}`);
      }
      expect(rules()).toEqual(CLEANED);
    },
  );

  test("counts the phrases that stay, and leaves what is not named", async () => {
    const set = async (texts: Record<string, string>) =>
      browser.post(MUSIC, { do: "titles set", ...texts });
    expect((await set({ dash: many.slice(0, -4), clean: "off" })).status).toBe(303);
    expect((await set({ brackets: "one more" })).status).toBe(422);
    expect((await set({ clean: "on" })).status).toBe(303);
    expect([rules().isOn, rules().phrases.length]).toEqual([true, 50]);
  });

  test("stores the choice of a connection, unless it is gone", async () => {
    const choose = (id: string, titles: string) =>
      browser.submit(MUSIC, { do: "connection titles", id, titles });
    await choose("1", "off");
    expect(rules().ofConnections.size).toBe(1);
    expect(await textOf(await choose("999", "off"), ".notice")).toContain("no such connection");
    await choose("1", "all");
    expect(rules().ofConnections.size).toBe(0);
  });
});
