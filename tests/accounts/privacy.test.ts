import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import {
  hidesTrack,
  NOTHING_HIDDEN,
  type PrivacyRules,
  UNTIL_RESUMED,
} from "../../src/accounts/privacy.ts";
import { AS_GIVEN, CLEANED, withShownNames } from "../../src/titles/shown-names.ts";
import { openOverlay, type Overlay } from "../fixtures/http/overlay-socket.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const HOUR_MS = 3_600_000;

const hiding = (rules: Partial<PrivacyRules>): PrivacyRules => ({ ...NOTHING_HIDDEN, ...rules });
const hides = (rules: PrivacyRules, title: string, artists: readonly string[]): boolean =>
  hidesTrack(rules, aPlayback({ track: { ...aPlayback().track, title }, artists }));
/** A word that is neither empty nor made of accents alone. */
const word = fc
  .string({
    unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789àéîõüçñ"),
    maxLength: 20,
  })
  .filter((text) => text !== "");
const text = fc.string({ unit: "grapheme", maxLength: 30 });

describe("rules hide a track", () => {
  test("with one of their texts anywhere in its title", () => {
    fc.assert(
      fc.property(text, word, text, fc.array(text), (before, part, after, others) => {
        const rules = hiding({ hiddenTitles: [...others, part] });
        expect(hides(rules, `${before}${part}${after}`, [])).toBe(true);
      }),
    );
  });

  test("with one of their texts anywhere in the name of any of its artists", () => {
    fc.assert(
      fc.property(text, word, text, fc.array(text), (before, part, after, others) => {
        const rules = hiding({ hiddenArtists: [part] });
        expect(hides(rules, "", [...others, `${before}${part}${after}`])).toBe(true);
      }),
    );
  });

  test("by the names that cleaning makes, and those that were given, whether titles are cleaned or not", () => {
    const given = { title: "Mara Venn - Glass Sea HD", artists: ["indie archive"] };
    const rules = [
      { hiddenArtists: ["Mara Venn"] },
      { hiddenArtists: ["indie archive"] },
      { hiddenTitles: ["Sea HD"] },
    ];
    for (const titles of [AS_GIVEN, CLEANED]) {
      const playback = withShownNames(
        aPlayback({
          track: { ...aPlayback().track, title: given.title },
          artists: given.artists,
          namesFrom: { origin: "page" },
        }),
        1,
        titles,
      );
      const isCleaned = playback.artists[0] === "Mara Venn";
      expect(isCleaned).toBe(titles === CLEANED);
      for (const rule of rules) expect(hidesTrack(hiding(rule), playback)).toBe(true);
    }
  });

  test("whatever the case and the accents, on either side", () => {
    fc.assert(
      fc.property(word, fc.boolean(), fc.boolean(), (part, upper, bare) => {
        const bared = bare ? part.normalize("NFD").replace(/\p{M}/gu, "") : part;
        const other = upper ? bared.toUpperCase() : bared;
        expect(hides(hiding({ hiddenTitles: [part] }), `The ${other}`, [])).toBe(true);
        expect(hides(hiding({ hiddenTitles: [other] }), `The ${part}`, [])).toBe(true);
      }),
    );
  });

  test.each([
    ["beyonce", "Beyoncé"],
    ["SIGUR RÓS", "Sigur Ros"],
    ["e\u0301te", "Été 67"],
    ["ｆｕｌｌ", "Full Moon"],
    ["ДВОР", "Двор"],
    ["secret", "Se\u200bcr\u00adet"],
  ])("%j hides %j", (part, artist) => {
    expect(hides(hiding({ hiddenArtists: [part] }), "", [artist])).toBe(true);
  });

  test("by its title or its artists, each by its own rules", () => {
    const titles = hiding({ hiddenTitles: ["juniper"] });
    const artists = hiding({ hiddenArtists: ["lanterns"] });
    expect(hides(titles, "Paper Lanterns", ["Juniper Vale"])).toBe(false);
    expect(hides(artists, "Paper Lanterns", ["Juniper Vale"])).toBe(false);
  });

  test("never without a rule, and never by an empty one", () => {
    fc.assert(
      fc.property(text, fc.array(text), (title, artists) => {
        expect(hides(NOTHING_HIDDEN, title, artists)).toBe(false);
        const empty = hiding({ hiddenTitles: [""], hiddenArtists: [""] });
        expect(hides(empty, title, artists)).toBe(false);
      }),
    );
  });

  // Nothing is left of these, and nothing is in every name.
  test.each([" ", "\u0301", "\u3000"])("never by %j, of which nothing is left", (blank) => {
    const rules = hiding({ hiddenTitles: [blank], hiddenArtists: [blank] });
    expect(hides(rules, "Paper Lanterns", ["Juniper Vale"])).toBe(false);
  });
});

describe("the work that rules make", () => {
  /** How many texts are made comparable meanwhile. */
  const normalisedBy = (work: () => void): number => {
    const normalise = spyOn(String.prototype, "normalize");
    try {
      work();
      return normalise.mock.calls.length;
    } finally {
      normalise.mockRestore();
    }
  };
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `${name} ${index}`);

  test("is done once for the rules and once for each playback, however often it is read", () => {
    const rules = hiding({ hiddenTitles: many(100, "waltz"), hiddenArtists: many(100, "choir") });
    const playback = aPlayback({ artists: many(50, "Juniper") });
    const ask = () => void hidesTrack(rules, playback);
    // Cleaning reads each name once. All titles are compared as one text, and so are all artists.
    const ofPlayback = 51 + 2;
    expect(normalisedBy(ask)).toBe(200 + ofPlayback);
    expect(normalisedBy(() => void many(100, "").forEach(ask))).toBe(0);
    expect(normalisedBy(() => void hidesTrack(rules, { ...playback }))).toBe(ofPlayback);
  });

  test("is none for who hides nothing", () => {
    expect(normalisedBy(() => void hidesTrack(NOTHING_HIDDEN, aPlayback()))).toBe(0);
  });
});

describe("what is hidden", () => {
  const PATH = "/en/dashboard/settings/privacy";
  let server: TestServer;
  let port: RealPort;
  let ada: AddedUser;
  let browser: SignedIn;

  beforeEach(async () => {
    server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
    port = openPort(server);
    ada = await server.addUser("ada");
    browser = await signIn(server, ada);
  });
  afterEach(async () => {
    await port.end();
    server.close();
  });

  const track = (title: string) => ({
    id: `test:${title}`,
    title,
    durationMs: 200_000,
    explicit: false,
  });
  const plays = (title: string, artists: readonly string[] = ["Juniper Vale"]) =>
    server.sourceOf(ada).says(
      aPlayback({
        track: track(title),
        artists: [...artists],
        observedAtMs: server.clock.monotonicMs(),
      }),
    );
  const open = (user = ada): Promise<Overlay> =>
    openOverlay(`${port.origin}/en/widget/${user.widgetToken}/live`);
  const api = async () => (await server.getAs(ada, "/api/v1/now-playing")).text();
  const save = (titles: string, artists = "") =>
    browser.post(PATH, { do: "privacy rules", titles, artists });
  /** The next state that an overlay gets. */
  const stateOf = async (overlay: Overlay) => {
    for (;;) {
      const message = await overlay.next();
      if (message.type === "state") return message.state;
    }
  };

  test("appears in no answer of the API, no overlay message and no overlay page", async () => {
    await save("secret\nwaltz", "nobody");
    await plays("Paper Lanterns");
    const overlay = await open();
    expect(await stateOf(overlay)).toMatchObject({ kind: "playing" });
    for (const [title, artist] of [
      ["My SÉCRET Song", "Juniper Vale"],
      ["Quiet Waltz No. 2", "Juniper Vale"],
      ["Anything", "Nóbody Knows"],
    ] as const) {
      await plays(title, ["Juniper Vale", artist]);
      const state = await stateOf(overlay);
      expect(state).toMatchObject({ kind: "idle" });
      expect(JSON.stringify(state)).not.toContain(title);
      const answer = await api();
      expect(JSON.parse(answer)).toMatchObject({ success: true, data: null });
      expect(answer).not.toContain(title);
      const page = await (await server.get(`/en/widget/${ada.widgetToken}`)).text();
      expect(page).not.toContain(title);
      expect(await (await server.getAs(ada, "/api/v1/user")).text()).not.toContain(title);
      expect(server.logged.join("\n")).not.toContain(title);
      await plays("Paper Lanterns");
      expect(await stateOf(overlay)).toMatchObject({ kind: "playing" });
    }
    overlay.close();
  });

  test("is still shown to its user alone", async () => {
    await save("secret");
    await plays("My Secret Song");
    await api();
    await plays("My Secret Song");
    const page = await (await browser.get("/en/dashboard")).text();
    expect(page).toContain("My Secret Song");
    expect(page).toContain("Only you see this: your rules hide it.");
  });

  test("is everything during a pause; pausing and resuming reach an open overlay at once", async () => {
    await plays("Paper Lanterns");
    const overlay = await open();
    expect(await stateOf(overlay)).toMatchObject({ kind: "playing", positionMs: 10_000 });
    await server.clock.advance(5_000);
    await browser.post(PATH, { do: "privacy pause", for: "long" });
    expect(await stateOf(overlay)).toMatchObject({ kind: "idle" });
    expect(JSON.parse(await api())).toMatchObject({ data: null });
    await server.clock.advance(5_000);
    await browser.post(PATH, { do: "privacy resume" });
    expect(await stateOf(overlay)).toMatchObject({ kind: "playing", positionMs: 20_000 });
    expect(JSON.parse(await api())).toMatchObject({ data: { is_playing: true } });
  });

  test("is withdrawn from overlays that show it later: by a pause, and by a rule for what plays", async () => {
    await plays("Paper Lanterns");
    const overlay = await open();
    await stateOf(overlay);
    await save("lanterns");
    expect(await stateOf(overlay)).toEqual({ kind: "idle", isWithdrawn: true });
    await plays("Another Song");
    await stateOf(overlay);
    // What is shown late was never hidden: only what comes after it is.
    await plays("Paper Lanterns");
    expect(await stateOf(overlay)).toEqual({ kind: "idle" });
    await plays("Another Song");
    await stateOf(overlay);
    await server.sourceOf(ada).says(null);
    expect(await stateOf(overlay)).toEqual({ kind: "idle" });
    await browser.post(PATH, { do: "privacy pause", for: "long" });
    expect(await stateOf(overlay)).toEqual({ kind: "idle", isWithdrawn: true });
    const reopened = await open();
    expect(await stateOf(reopened)).toEqual({ kind: "idle", isWithdrawn: true });
    await browser.post(PATH, { do: "privacy resume" });
    expect(await stateOf(overlay)).toEqual({ kind: "idle" });
  });

  test("is no other change for API clients when nothing plays", async () => {
    const received: string[] = [];
    const leave = server.hub.subscribe(ada.user.id, ({ kind }) => void received.push(kind));
    await plays("Paper Lanterns");
    await server.sourceOf(ada).says(null);
    await browser.post(PATH, { do: "privacy pause", for: "long" });
    await browser.post(PATH, { do: "privacy resume" });
    expect(received).toEqual(["playback", "nothing"]);
    leave();
  });

  test("tells nothing of what changes during a pause", async () => {
    await plays("Paper Lanterns");
    const overlay = await open();
    await stateOf(overlay);
    await browser.post(PATH, { do: "privacy pause", for: "long" });
    expect(await stateOf(overlay)).toMatchObject({ kind: "idle" });
    await plays("Another Song");
    await server.sourceOf(ada).says(null);
    await plays("A Third Song");
    await browser.post(PATH, { do: "privacy resume" });
    expect(await stateOf(overlay)).toMatchObject({ track: { title: "A Third Song" } });
    expect(overlay.unread()).toBe(0);
  });

  test("ends by itself with the pause, and reaches an open overlay then", async () => {
    await plays("Paper Lanterns");
    const overlay = await open();
    await stateOf(overlay);
    await browser.post(PATH, { do: "privacy pause", for: "hour" });
    expect(await stateOf(overlay)).toMatchObject({ kind: "idle" });
    await server.clock.advance(HOUR_MS - 1);
    await plays("Paper Lanterns");
    expect(JSON.parse(await api())).toMatchObject({ data: null });
    await server.clock.advance(1);
    expect(await stateOf(overlay)).toMatchObject({ kind: "playing" });
    expect(JSON.parse(await api())).toMatchObject({ data: { is_playing: true } });
  });

  test("is one user's choice alone", async () => {
    const grace = await server.addUser("grace");
    await server.sourceOf(grace).says(aPlayback());
    const hers = await open(grace);
    expect(await stateOf(hers)).toMatchObject({ kind: "playing" });
    await browser.post(PATH, { do: "privacy pause", for: "long" });
    await save("lanterns");
    expect(await (await server.getAs(grace, "/api/v1/now-playing")).json()).toMatchObject({
      data: { is_playing: true },
    });
    expect(hers.unread()).toBe(0);
  });

  test("is known again after a restart, and gone with its user", async () => {
    const { privacy, users } = server.accounts;
    await privacy.change(ada.user, {
      pausedUntil: UNTIL_RESUMED,
      hiddenTitles: ["wall"],
      hiddenArtists: [],
    });
    privacy.forget(undefined);
    expect(privacy.of(ada.user.id)).toMatchObject({
      pausedUntil: UNTIL_RESUMED,
      hiddenTitles: ["wall"],
    });
    await users.remove("ada");
    privacy.forget(undefined);
    expect(privacy.of(ada.user.id)).toEqual(NOTHING_HIDDEN);
  });

  test.each([
    ["hidden_titles", "{"],
    ["hidden_artists", "[5]"],
    ["phrases", "{}"],
  ])("is all where the stored %s are %s, until the user shares again", async (column, json) => {
    const { store, accounts, logged } = server;
    store.queries.run(sql`UPDATE privacy SET ${sql.identifier(column)} = ${json}`);
    accounts.privacy.forget(undefined);
    await plays("Paper Lanterns");
    expect(JSON.parse(await api())).toMatchObject({ data: null });
    const lines = logged.filter((line) => line.includes("privacy"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"marquee privacy resume"');
    expect(lines[0]).toContain("user=ada");
    await accounts.privacy.change(ada.user, { pausedUntil: null });
    expect(accounts.privacy.of(ada.user.id)).toEqual(NOTHING_HIDDEN);
    expect(JSON.parse(await api())).toMatchObject({ data: { is_playing: true } });
  });
});
