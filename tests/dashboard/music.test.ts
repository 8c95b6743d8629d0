import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { type StoredStatus, FAILURE_REASONS } from "../../src/music/connection-status.ts";
import { fill, formatDay, formatTime, languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";
import { attributeOf, groupNameOf, textOf } from "../fixtures/http/html.ts";
import { createLinkingServer, type LinkingServer } from "../fixtures/servers/linking-server.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";
import { onlyConnection, onlyWorkingId } from "../fixtures/data/connections.ts";

const MUSIC = "/en/dashboard/music";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let server: LinkingServer;
let ada: AddedUser;
let grace: AddedUser;
let owner: SignedIn;
let member: SignedIn;

/** @param settings by their key */
async function start(settings: Record<string, string> = {}): Promise<void> {
  server = await createLinkingServer({ settings });
  ada = await server.addUser("ada", false);
  grace = await server.addUser("grace", false);
  owner = await signIn(server, ada);
  member = await signIn(server, grace);
}

beforeEach(() => start());
afterEach(() => server.close());

const connectionOf = ({ user }: AddedUser) => onlyConnection(server.accounts.connections, user.id);
const sourcesOf = async ({ user }: AddedUser) =>
  server.accounts.connections.allOf(user.id).map(({ source }) => source);
/** @param id of the connection that is changed */
const connectMpd = (browser: SignedIn, address: string, password = "", id = "") =>
  browser.post(MUSIC, {
    ...{ do: "connect", source: "mpd", id },
    ...{ "option-address": address, "option-password": password },
  });
const disconnect = async (browser: SignedIn, of: AddedUser) =>
  browser.post(MUSIC, {
    do: "disconnect",
    id: String((await connectionOf(of))?.publicId),
  });
/** What the page says after a form was sent. */
const noticeOf = async (browser: SignedIn, path = MUSIC) =>
  (await textOf(await browser.get(path), ".notice p"))?.trim();

describe("connecting MPD by form", () => {
  test("stores what was typed, says so once, and goes to its open row", async () => {
    const sent = await connectMpd(owner, " music.example:6601 ", "swordfish");
    expect(sent.status).toBe(303);
    const { publicId, ...stored } = (await connectionOf(ada))!;
    expect(sent.headers.get("location")).toBe(`${MUSIC}?row=${publicId}#connection-${publicId}`);
    expect(stored).toMatchObject({
      source: "mpd",
      settings: { address: "music.example:6601", password: "swordfish" },
    });
    const page = await owner.get(`${MUSIC}?row=${publicId}`);
    expect(await textOf(page.clone(), ".connected[id] .notice p")).toStartWith("MPD is added, but");
    expect(await attributeOf(page.clone(), ".connected details", "open")).toBe("");
    expect(await textOf(page.clone(), ".connected h2")).toBe("MPD");
    const field = `#option-address-mpd-${publicId}`;
    expect(await attributeOf(page, field, "value")).toBe("music.example:6601");
    expect(await noticeOf(owner)).toBe(undefined);
  });

  test("shows the password to nobody, not even to whoever typed it", async () => {
    await connectMpd(owner, "music.example:6601", "swordfish");
    expect(await (await owner.get(MUSIC)).text()).not.toContain("swordfish");
    const refused = await connectMpd(owner, "a b", "swordfish");
    expect(refused.status).toBe(422);
    expect(await refused.text()).not.toContain("swordfish");
  });

  test.each([
    ["music.example:6601", "Music.Example:6601"],
    ["music.example", "music.example:6600"],
    ["[fd00::1]:6600", "[FD00::1]"],
    ["/run/mpd/socket", "/run/mpd/socket"],
  ])("keeps the password of %s for the same server written %s", async (address, other) => {
    await connectMpd(owner, address, "swordfish");
    await connectMpd(owner, other);
    expect(await connectionOf(ada)).toMatchObject({
      settings: { address: other, password: "swordfish" },
    });
  });

  test("says that the password is kept where there is one", async () => {
    await connectMpd(owner, "music.example:6601");
    const { publicId } = (await connectionOf(ada))!;
    const hint = `#option-password-mpd-${publicId}-hint`;
    expect(await textOf(await owner.get(MUSIC), hint)).toBe(undefined);
    await connectMpd(owner, "music.example:6601", "swordfish");
    expect(await textOf(await owner.get(MUSIC), hint)).toContain("Leave it empty");
    await connectMpd(owner, "music.example:6601", "another");
    expect(await connectionOf(ada)).toMatchObject({ settings: { password: "another" } });
  });

  test.each([
    ["the usual port", "music.example:6601", "music.example"],
    ["another port of an IPv6 address", "[fd00::1]:6601", "[fd00::1]:6602"],
    ["a socket of another case", "/run/mpd/socket", "/run/MPD/socket"],
  ])("does not hand the password to %s", async (_, address, other) => {
    await connectMpd(owner, address, "swordfish");
    await connectMpd(owner, other);
    expect((await connectionOf(ada))?.settings).toEqual({ address: other, password: "" });
  });

  describe.each(
    allSources().filter(({ options }) => Object.values(options).some(({ secret }) => secret)),
  )("to $name again", (source) => {
    const entered: Readonly<Record<string, string>> = {
      address: "music.example:6601",
      url: "https://music.example:8443/player",
      user: "ada",
      entity: "media_player.living_room",
    };
    const options = Object.entries(source.options);
    const secretNames = options.filter(([, { secret }]) => secret).map(([name]) => name);
    const secrets = Object.fromEntries(secretNames.map((name) => [name, "swordfish"]));
    const enter = (texts: Readonly<Record<string, string>>) =>
      owner.post(MUSIC, {
        do: "connect",
        source: source.id,
        ...Object.fromEntries(
          options.map(([name]) => [`option-${name}`, { ...entered, ...texts }[name] ?? ""]),
        ),
      });
    const stored = async () => (await connectionOf(ada))?.settings;

    test("keeps the secret for the same server", async () => {
      expect((await enter(secrets)).status).toBe(303);
      const before = await stored();
      expect(JSON.stringify(before)).toContain("swordfish");
      expect((await enter({})).status).toBe(303);
      expect(await stored()).toEqual(before);
    });

    test.each([
      ["host", { url: "https://elsewhere.example:8443", address: "elsewhere.example:6601" }],
      ["port", { url: "https://music.example:8444", address: "music.example:6602" }],
      ["scheme", { url: "http://music.example:8443", address: "/music.example:6601" }],
    ])("does not hand the secret to another %s", async (_, elsewhere) => {
      await enter(secrets);
      const before = await stored();
      const answer = await enter(elsewhere);
      // Some are not connected without a secret.
      if (answer.status === 422) expect(await stored()).toEqual(before);
      else expect(JSON.stringify(await stored())).not.toContain("swordfish");
    });
  });

  test.each(LANGUAGES)(
    "says in %s, beside the field, what is wrong, and keeps it",
    async (language) => {
      const path = `/${language}/dashboard/music`;
      const typed = `two words & "more" <b>`;
      const refused = await owner.post(path, {
        do: "connect",
        source: "mpd",
        "option-address": typed,
      });
      expect(refused.status).toBe(422);
      expect(await attributeOf(refused.clone(), "#option-address-mpd", "value")).toBe(typed);
      expect(await attributeOf(refused.clone(), "#option-address-mpd", "aria-invalid")).toBe(
        "true",
      );
      expect(await attributeOf(refused.clone(), "#option-address-mpd", "aria-describedby")).toBe(
        "option-address-mpd-mistake",
      );
      expect(await attributeOf(refused.clone(), "#option-address-mpd", "autofocus")).toBe("");
      const { option } = languages[language].refused.connection;
      expect(await textOf(refused, "#option-address-mpd-mistake")).toBe(
        fill(option, { example: "host:port" }),
      );
      expect(await connectionOf(ada)).toBe(undefined);
    },
  );

  test("names the option that is wrong beside its own field", async () => {
    const refused = await owner.post(MUSIC, {
      do: "connect",
      source: "homeassistant",
      "option-url": "http://127.0.0.1:8123",
      "option-entity": "light.kitchen",
      "option-token": "abc",
    });
    expect(refused.status).toBe(422);
    expect(await textOf(refused.clone(), "#option-url-homeassistant-mistake")).toBe(undefined);
    expect(await textOf(refused.clone(), "#option-entity-homeassistant-mistake")).toBe(
      "That doesn’t work. It has to look like this: media_player.name",
    );
    expect(await attributeOf(refused, "#option-entity-homeassistant", "autofocus")).toBe("");
  });

  test("lets a browser send a token as long as sources take it", async () => {
    const token = "t".repeat(1_000);
    const sent = await owner.post(MUSIC, {
      do: "connect",
      source: "homeassistant",
      "option-url": "https://home.example",
      "option-entity": "media_player.kitchen",
      "option-token": token,
    });
    expect(sent.status).toBe(303);
    expect(await connectionOf(ada)).toMatchObject({ settings: { token } });
    const { publicId } = (await connectionOf(ada))!;
    const field = `#option-token-homeassistant-${publicId}`;
    const length = await attributeOf(await owner.get(MUSIC), field, "maxlength");
    expect(Number(length)).toBeGreaterThanOrEqual(token.length);
  });

  test("gives no example of an option that has no form of its own", async () => {
    const refused = await owner.post(MUSIC, {
      do: "connect",
      source: "listenbrainz-reader",
      "option-user": "",
    });
    expect(refused.status).toBe(422);
    expect(await textOf(refused, "#option-user-listenbrainz-reader-mistake")).toBe(
      "That doesn’t work. Check what you entered.",
    );
  });

  test.each(["", "nothing", "spotify", "__proto__"])(
    "connects nothing where there is no such form: %p",
    async (source) => {
      const sent = await owner.post(MUSIC, { do: "connect", source });
      expect(sent.status).toBeLessThan(500);
      expect(await connectionOf(ada)).toBe(undefined);
    },
  );
});

describe("the hosts that may be chosen", () => {
  test("are any for the owner", async () => {
    expect((await connectMpd(owner, "169.254.169.254:80")).status).toBe(303);
    expect(await connectionOf(ada)).toBeDefined();
  });

  test.each(["127.0.0.1:6600", "/run/mpd/socket"])(
    "are none for a member unless the owner has allowed them: %s",
    async (address) => {
      const refused = await connectMpd(member, address);
      expect(refused.status).toBe(422);
      expect(await attributeOf(refused.clone(), "#option-address-mpd", "value")).toBe(address);
      expect(await textOf(refused, "#option-address-mpd-mistake")).toStartWith(
        "The owner of this server has to allow ",
      );
      expect(await connectionOf(grace)).toBe(undefined);
    },
  );

  test("are those of --player-hosts for a member, whatever the letters, and no others", async () => {
    server.close();
    await start({ playerHosts: "Music.example, 192.0.2.7" });
    for (const address of ["music.EXAMPLE:6601", "192.0.2.7"]) {
      expect((await connectMpd(member, address)).status).toBe(303);
    }
    for (const address of [
      "music.example.evil.example",
      "evil.example",
      "192.0.2.77",
      "127.0.0.1",
      "/music.example",
      // What MPD would be asked at counts, in other spellings too.
      "0x7f.1",
      "2130706433",
      "127.1:6600",
      "evil.example:6600@music.example",
      "",
    ]) {
      expect((await connectMpd(member, address)).status).toBe(422);
    }
    expect(await connectionOf(grace)).toMatchObject({ settings: { address: "192.0.2.7" } });
  });
});

describe("the players of this machine", () => {
  const connectMpris = (browser: SignedIn) =>
    browser.post(MUSIC, { do: "connect", source: "mpris", "option-player": "" });

  test("are connected by the owner", async () => {
    expect((await connectMpris(owner)).status).toBe(303);
    expect(await connectionOf(ada)).toMatchObject({ source: "mpris" });
  });

  test("are neither offered to a member nor connected by one", async () => {
    const player = `${MUSIC}?choose=mpris`;
    expect(
      await attributeOf(await owner.get(player), "#option-player-mpris", "name"),
    ).toBeDefined();
    expect(await (await member.get(player)).text()).not.toContain("option-player-mpris");
    expect(await (await member.get(`${MUSIC}?add=player`)).text()).not.toContain("choose=mpris");
    await connectMpris(member);
    expect(await connectionOf(grace)).toBeUndefined();
  });
});

describe("disconnecting", () => {
  test("forgets the access, says so, and leaves key and widget", async () => {
    await connectMpd(owner, "127.0.0.1");
    const token = await server.accounts.widgets.overlayTokenOf(ada.user);
    expect((await disconnect(owner, ada)).status).toBe(303);
    expect(await connectionOf(ada)).toBe(undefined);
    expect(await noticeOf(owner)).toBe("Disconnected.");
    expect((await server.getAs(ada, "/api/v1/user")).status).toBe(200);
    expect(await server.accounts.widgets.overlayTokenOf(ada.user)).toBe(token);
  });

  test("asks first, without a script", async () => {
    await connectMpd(owner, "127.0.0.1");
    const page = await owner.get(MUSIC);
    expect(await textOf(page.clone(), "details.unfolds:not(.fold) summary")).toBe("Disconnect");
    expect(await textOf(page, "details.unfolds:not(.fold) p")).toContain(
      "You keep your keys and your overlay",
    );
  });
});

describe("the Spotify app", () => {
  const enter = (browser: SignedIn, clientId: string, clientSecret = "") =>
    browser.post(MUSIC, {
      ...{ do: "app enter", source: "spotify" },
      ...{ clientId, clientSecret },
    });
  const app = () => server.accounts.upstreams.appOf("spotify");
  const SPOTIFY = `${MUSIC}?add=spotify`;
  const ID = "0123456789abcdef0123456789ABCDEF";

  test("is entered by the owner, after which there is a way to link", async () => {
    const before = await owner.get(SPOTIFY);
    expect(await before.text()).toContain(server.redirectUri);
    expect((await enter(owner, ` ${ID} `, "def456")).status).toBe(303);
    expect(app()).toEqual({ clientId: ID, clientSecret: "def456" });
    const page = await owner.get(SPOTIFY);
    expect(await textOf(page.clone(), ".notice p")).toBe(
      "The app is saved. Now you can link your account.",
    );
    const text = await page.text();
    expect(text).toContain(`${MUSIC}/link/spotify`);
    expect(text).not.toContain("def456");
  });

  test("is entered by nobody else, who is told whom to ask", async () => {
    const page = await (await member.get(SPOTIFY)).text();
    expect(page).not.toContain('name="clientId"');
    expect(page).toContain("The owner of this server has to enter a Spotify app first.");
    expect((await enter(member, ID)).status).toBe(403);
    expect(app()).toBe(undefined);

    await server.enterApp();
    const before = app();
    await enter(member, ID);
    expect(app()).toEqual(before);
    expect(await (await member.get(SPOTIFY)).text()).not.toContain('name="clientId"');
  });

  test("is entered by nobody where a flag has set it", async () => {
    server.close();
    await start({ spotifyClientId: "fromflag" });
    expect(await (await owner.get(SPOTIFY)).text()).not.toContain('name="clientId"');
    await enter(owner, ID);
    expect(app()).toBe(undefined);
  });

  test.each([
    ["clientId", "two words", "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientId", "", "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientId", "a".repeat(31), "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientId", "a".repeat(33), "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientId", "g".repeat(32), "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientId", "a".repeat(129), "", "A client ID has 32 digits from 0–9 and a–f."],
    ["clientSecret", ID, "not a secret", "A client secret only has letters and digits."],
  ])(
    "is refused beside the field, with what was typed: %s %p %p",
    async (field, id, secret, says) => {
      const refused = await enter(owner, id, secret);
      expect(refused.status).toBe(422);
      expect(await attributeOf(refused.clone(), "#clientId", "value")).toBe(id);
      expect(await attributeOf(refused.clone(), `#${field}`, "aria-invalid")).toBe("true");
      expect(await textOf(refused.clone(), `#${field}-mistake`)).toStartWith(says);
      if (secret) expect(await refused.text()).not.toContain(secret);
      expect(app()).toBe(undefined);
    },
  );

  test("belongs to what has apps alone", async () => {
    for (const source of ["mpd", "demo", "nothing", ""]) {
      await owner.post(MUSIC, { do: "app enter", source, clientId: ID });
      expect(server.accounts.upstreams.appOf(source)).toBe(undefined);
    }
  });
});

describe("linking Spotify from the dashboard", () => {
  beforeEach(() => server.enterApp());

  /** A browser that is signed in and keeps its cookies. */
  const browserOf = async (user: AddedUser) => {
    const session = await signIn(server, user);
    const browser = server.browser();
    const open = (pathOrUrl: string) =>
      browser.open(pathOrUrl, { headers: { cookie: session.cookie } });
    return { session, open };
  };
  interface Trip {
    readonly session: SignedIn;
    readonly linkCookie: string;
    /** Where Spotify sends the browser back to. */
    readonly back: string;
  }
  const setOut = async (
    user: AddedUser,
    answer?: "agree" | "cancel",
    language = "en",
    query = "",
  ): Promise<Trip> => {
    const { session } = await browserOf(user);
    const started = await session.get(`/${language}/dashboard/music/link/spotify${query}`);
    expect(started.status).toBe(302);
    const [linkCookie = ""] = (started.headers.get("set-cookie") ?? "").split(";");
    const back = await server.spotify.consent(started.headers.get("location") ?? "", answer);
    return { session, linkCookie, back: back.pathname + back.search };
  };
  const comeBack = ({ back }: Trip, ...cookies: string[]) =>
    server.get(back, { headers: { cookie: cookies.join("; ") } });
  const trip = async (user: AddedUser, answer?: "agree" | "cancel", language?: string) => {
    const made = await setOut(user, answer, language);
    return { ...made, answer: await comeBack(made, made.linkCookie, made.session.cookie) };
  };

  test("leads there and back, and what plays there is followed", async () => {
    const { session, answer } = await trip(grace);
    expect(answer.status).toBe(303);
    const connection = (await connectionOf(grace))!;
    expect(connection).toMatchObject({ source: "spotify" });
    const row = `${MUSIC}?row=${connection.publicId}`;
    expect(answer.headers.get("location")).toBe(`${row}#connection-${connection.publicId}`);
    const notice = answer.headers.getSetCookie().find((one) => one.startsWith("marquee-notice-"));
    const cookie = `${session.cookie}; ${notice?.split(";")[0]}`;
    const page = await server.get(row, { headers: { cookie } });
    expect(await textOf(page.clone(), ".connected .notice p")).toBe("Spotify is connected.");
    expect(await textOf(page.clone(), ".connected h2")).toBe("Spotify");
    expect(await page.text()).toContain("As Ada Listens");
    const received = await server.getAs(grace, "/api/v1/now-playing");
    expect(await received.json()).toMatchObject({ data: { is_playing: true } });
  });

  test("comes back in French", async () => {
    const language = "fr";
    const { answer } = await trip(grace, "agree", language);
    expect(answer.headers.get("location")).toStartWith(`/${language}/dashboard/music?row=`);
    const denied = await trip(grace, "cancel", language);
    const { failures } = languages[language].connect;
    expect(await textOf(denied.answer.clone(), ".lead")).toBe(
      fill(failures.denied, { source: "Spotify" }),
    );
    expect(await attributeOf(denied.answer, "a.button", "href")).toBe(
      `/${language}/dashboard/music`,
    );
  });

  test("links the connection again whose button was used, by its name", async () => {
    const { connections } = server.accounts;
    const { publicId } = await connections.connect(grace.user, "spotify", {}, "Second");
    const { session } = await browserOf(grace);
    const page = await session.get(MUSIC);
    const path = await attributeOf(page, ".connected a.button", "href");
    expect(path).toBe(`${MUSIC}/link/spotify?connection=${publicId}`);
    const made = await setOut(grace, "agree", "en", `?connection=${publicId}`);
    await comeBack(made, made.linkCookie, made.session.cookie);
    expect(await connectionOf(grace)).toMatchObject({ publicId, name: "Second" });
    expect((await connectionOf(grace))?.settings).toMatchObject({ displayName: "Ada Listens" });
  });

  test("says that there are too many when ten others are connected", async () => {
    const { connections } = server.accounts;
    for (let at = 1; at <= 10; at++) {
      await connections.connect(grace.user, "mpd", {}, `${at}`);
    }
    const { answer } = await trip(grace);
    expect(answer.status).toBe(400);
    expect(await textOf(answer, ".lead")).toContain("You have 10 connections");
    expect(await sourcesOf(grace)).not.toContain("spotify");
  });

  test("links nothing for a browser that has been signed out meanwhile", async () => {
    const made = await setOut(grace);
    await server.accounts.sessions.closeAll(grace.user);
    expect((await comeBack(made, made.linkCookie, made.session.cookie)).status).toBe(400);
    expect(await connectionOf(grace)).toBe(undefined);
  });

  test("links nothing for another user who has signed in there meanwhile", async () => {
    const made = await setOut(grace);
    const { session } = await browserOf(ada);
    expect((await comeBack(made, made.linkCookie, session.cookie)).status).toBe(400);
    expect(await connectionOf(grace)).toBe(undefined);
    expect(await connectionOf(ada)).toBe(undefined);
  });

  test("goes nowhere but back to the page when there is nothing to link", async () => {
    for (const source of ["mpd", "demo", "nothing", "__proto__"]) {
      const answer = await owner.get(`${MUSIC}/link/${source}`);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(MUSIC);
    }
  });

  test("warns where Spotify would not send anybody back to", async () => {
    using other = await createTestServer({ baseUrl: "http://example.org" });
    const linus = await other.addUser("linus", false);
    const browser = await signIn(other, linus, "http://example.org");
    const page = await browser.get(`${MUSIC}?add=spotify`);
    expect(await page.text()).toContain("Spotify only accepts this address with https");
  });
});

describe("the status of a connection", () => {
  const language = "en";
  const words = languages[language].dashboard;
  const source = "Spotify";

  const link = async (consentedAt = START_MS) => {
    await server.accounts.connections.connect(grace.user, "spotify", {
      clientId: "0123456789abcdef",
      refreshToken: "AQ-refresh-in-plain-sight",
      consentedAt,
      displayName: "Ada Listens",
      product: "premium",
    });
    return (await onlyWorkingId(server.accounts.connections, grace.user.id)) ?? 0;
  };
  const shown = async () => {
    const page = await member.get(`/${language}/dashboard/music`);
    expect(await page.clone().text()).not.toContain("AQ-refresh");
    // What is wrong stands in the row, and that nothing is wrong in what it unfolds.
    const opened = "[data-connection] .status";
    const isWrong = (await textOf(page.clone(), opened)) === undefined;
    const status = isWrong ? "[data-row] .status" : opened;
    const tone = await attributeOf(page.clone(), status, "class");
    return { tone: tone?.split(" ").at(-1), text: await textOf(page, status) };
  };
  const after = async (health: Exclude<StoredStatus, { state: "untried" | "needsLinking" }>) => {
    await server.accounts.connections.storeStatus(await link(), health);
    return shown();
  };

  test("nobody has listened yet", async () => {
    await link();
    expect(await shown()).toEqual({ tone: "good", text: fill(words.health.untried, { source }) });
  });

  test("all is well, and until when", async () => {
    expect(await after({ state: "ok", since: START_MS })).toEqual({
      tone: "good",
      text: fill(words.health.ok, { source }),
    });
    const page = await (await member.get(`/${language}/dashboard/music`)).text();
    const day = formatDay(language, Date.UTC(2027, 4, 21, 12));
    expect(page).toContain(fill(words.music.linkedUntil, { day }));
  });

  test.each(FAILURE_REASONS)("it is tried again, and why: %s", async (reason) => {
    const { tone, text } = await after({ state: "retrying", since: START_MS, reason });
    expect(tone).toBe("warn");
    expect(text).toStartWith(fill(words.health.failures[reason], { source, setting: "" }));
    expect(text).toEndWith(
      fill(words.health.retrying, { time: formatTime(language, START_MS, START_MS) }),
    );
    expect(text).not.toMatch(/[{}]|undefined/);
  });

  test("there is a pause, until it is over", async () => {
    const until = START_MS + 30 * MINUTE_MS;
    const time = formatTime(language, until, START_MS);
    expect(await after({ state: "limited", since: START_MS, until })).toEqual({
      tone: "warn",
      text: fill(words.health.limited, { source, time }),
    });
    server.clock.setWallMs(until);
    expect((await shown()).text).toBe(fill(words.health.ok, { source }));
  });

  test("it has to be linked again", async () => {
    await server.accounts.connections.markRefused(await link());
    expect(await shown()).toEqual({
      tone: "bad",
      text: fill(words.health.needsLinking, { source }),
    });
  });

  test("consent ends within a month", async () => {
    await link(START_MS);
    const ends = Date.UTC(2027, 4, 21, 12);
    server.clock.setWallMs(ends - 29 * DAY_MS);
    const { cookie: _, ...again } = await signIn(server, grace);
    const page = await again.get(`/${language}/dashboard/music`);
    expect(await textOf(page, ".connected .status")).toBe(
      fill(words.health.endsSoon, { source, day: formatDay(language, ends) }),
    );
  });
});

describe("several connections", () => {
  const labelsIn = (html: string) => {
    const found = [
      ...html.matchAll(/<section class="source connected"[^>]*>.*?<h2[^>]*>([^<]*)</gs),
    ];
    return found.map(([, label]) => label);
  };
  const labels = async () => labelsIn(await (await owner.get(MUSIC)).text());
  const kitchen = async () => {
    const { connections } = server.accounts;
    await connections.connect(ada.user, "mpd", { address: "127.0.0.1" });
    const settings = { address: "127.0.0.7", password: "swordfish" };
    return connections.connect(ada.user, "mpd", settings, "Kitchen");
  };

  test("name what can be done to each after it, for screen readers", async () => {
    await server.accounts.connections.connect(ada.user, "json", null, "Desk");
    expect(await groupNameOf(await owner.get(MUSIC))).toBe("JSON · Desk");
  });

  test("are shown in order, each under its source and name with its status", async () => {
    const { id } = await kitchen();
    await server.accounts.connections.connect(ada.user, "demo", null);
    await server.accounts.connections.markRefused(id);
    const { health } = languages.en.dashboard;
    // Once: the page has the sources asked, and what they say may stand in the next one.
    const html = await (await owner.get(MUSIC)).text();
    expect(labelsIn(html)).toEqual(["MPD", "MPD · Kitchen", "Demo"]);
    expect(html).toContain(fill(health.untried, { source: "MPD" }));
    expect(html).toContain(fill(health.needsLinking, { source: "MPD · Kitchen" }));
    expect(html).toContain("If several are playing, the first in this list is shown.");
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, name]) => name);
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  test("are changed each by its own form, which keeps its own password", async () => {
    const { publicId } = await kitchen();
    const change = (address: string) =>
      owner.post(MUSIC, {
        do: "connect",
        source: "mpd",
        id: String(publicId),
        "option-address": address,
        "option-password": "",
      });
    await change("127.0.0.7");
    const settingsOf = async () =>
      server.accounts.connections.allOf(ada.user.id).map(({ settings }) => settings);
    expect(await settingsOf()).toEqual([
      { address: "127.0.0.1" },
      { address: "127.0.0.7", password: "swordfish" },
    ]);
    expect((await change(":")).status).toBe(422);
    await change("127.0.0.8");
    expect((await settingsOf())[1]).toEqual({ address: "127.0.0.8", password: "" });
    await connectMpd(owner, "127.0.0.2");
    expect((await settingsOf())[0]).toEqual({ address: "127.0.0.2", password: "" });
    await owner.post(MUSIC, { do: "disconnect", id: String(publicId) });
    await change("127.0.0.9");
    expect(await labels()).toEqual(["MPD"]);
  });

  test("are all in the export", async () => {
    const { publicId } = await kitchen();
    const file = await (await owner.get("/en/dashboard/account/export")).json();
    expect(file.music).toMatchObject([
      { source: "mpd", name: "", position: 1 },
      { id: publicId, source: "mpd", name: "Kitchen", position: 2, display_name: "MPD" },
    ]);
    expect(JSON.stringify(file)).not.toContain("swordfish");
  });
});

describe("settings that this version cannot read", () => {
  test("are shown, and can be ended, although this version has no such source", async () => {
    await server.accounts.connections.connect(grace.user, "gone", null);
    const page = await member.get(MUSIC);
    expect(await textOf(page.clone(), ".connected h2")).toBe("gone");
    expect(await textOf(page, ".connected .status")).toContain("can no longer get your music");
    expect((await disconnect(member, grace)).status).toBe(303);
    expect(await sourcesOf(grace)).toEqual([]);
  });
});
