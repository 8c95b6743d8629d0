import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { connectPurpose } from "../../src/accounts/magic-links.ts";
import { createMagicLinkSecret } from "../../src/accounts/credential.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { LANGUAGES, languageTag } from "../../src/languages.ts";
import { addressesIn, attributeOf, textOf } from "../fixtures/http/html.ts";
import { createLinkingServer, type LinkingServer } from "../fixtures/servers/linking-server.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const MINUTE_MS = 60_000;
const { connect: words } = languages.en;
const named = (text: string) => fill(text, { source: "Spotify", user: "ada" });

let server: LinkingServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createLinkingServer();
  ada = await server.addUser("ada", false);
  await server.enterApp();
});
afterEach(() => server.close());

/** Begins again with another kind of server. */
async function restart(...options: Parameters<typeof createLinkingServer>): Promise<void> {
  server.close();
  server = await createLinkingServer(...options);
  ada = await server.addUser("ada", false);
  await server.enterApp();
}

const titleOf = (page: Response) => textOf(page, "h1");
const leadOf = (page: Response) => textOf(page, "p.lead");
const connectionOf = ({ user }: AddedUser) => onlyConnection(server.accounts.connections, user.id);
const userData = async (user: AddedUser) =>
  (await (await server.getAs(user, "/api/v1/user")).json()).data;

describe("the page of a link", () => {
  const language = "en";

  test("says in its language what is linked and leads on", async () => {
    const path = await server.linkFor(ada.user, language);
    const page = await server.get(path);
    expect(page.status).toBe(200);
    expect(await attributeOf(page.clone(), "html", "lang")).toBe(languageTag(language));
    expect(await titleOf(page.clone())).toBe(named(languages[language].connect.title));
    expect(await leadOf(page.clone())).toBe(named(languages[language].connect.lead));
    expect(await attributeOf(page, "a.button", "href")).toBe(`${path}/start`);
  });

  test("leads to its translations", async () => {
    const path = await server.linkFor(ada.user, language);
    const addresses = await addressesIn(await server.get(path));
    for (const other of LANGUAGES) {
      expect(addresses).toContain(path.replace(`/${language}/`, `/${other}/`));
    }
  });

  test("says so when the link has ended", async () => {
    const page = await server.get(`/${language}/connect/spotify/${createMagicLinkSecret()}`);
    expect(page.status).toBe(404);
    expect(await titleOf(page.clone())).toBe(languages[language].connect.endedTitle);
    expect(await leadOf(page)).toBe(languages[language].connect.endedText);
  });
});

describe("an address of a link", () => {
  test.each(["nothing", "mpd", "demo", "constructor"])(
    "for %s, which is not linked in the browser, is none",
    async (source) => {
      const secret = server.accounts.magicLinks.issue(ada.user, connectPurpose(source));
      for (const path of [
        `/en/connect/${source}/${secret}`,
        `/en/connect/${source}/${secret}/start`,
        `/callback/${source}`,
      ]) {
        const page = await server.get(path);
        expect(page.status).toBe(404);
        expect(await titleOf(page)).toBe(languages.en.notFound.title);
      }
    },
  );
});

describe("setting out for Spotify", () => {
  const leave = async () => server.get(`${await server.linkFor(ada.user)}/start`);

  test("goes to its accounts service with everything that the grant needs", async () => {
    const response = await leave();
    expect(response.status).toBe(302);
    const target = new URL(response.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe("https://accounts.spotify.com/authorize");
    const { state, code_challenge, ...rest } = Object.fromEntries(target.searchParams);
    expect(rest).toEqual({
      client_id: server.spotify.clientId,
      response_type: "code",
      redirect_uri: "http://127.0.0.1:4747/callback/spotify",
      scope: "user-read-playback-state user-read-private",
      code_challenge_method: "S256",
      show_dialog: "true",
    });
    expect(state).toMatch(/^[\w-]{43,}$/);
    expect(code_challenge).toMatch(/^[\w-]{43}$/);
  });

  test("takes another state and another challenge each time", async () => {
    const targets = [await leave(), await leave()].map(
      ({ headers }) => new URL(headers.get("location") ?? "").searchParams,
    );
    for (const name of ["state", "code_challenge"]) {
      expect(targets[0]?.get(name)).not.toBe(targets[1]?.get(name) ?? "");
    }
  });

  test("marks the browser with a cookie for ten minutes", async () => {
    expect((await leave()).headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^marquee-link-[\w-]{8}-[0-9a-f]{8}=[\w-]{200,1000}; Path=\/; Max-Age=600; /,
      ),
    ]);
  });

  test("tells neither caches nor other sites of the link", async () => {
    const { headers } = await leave();
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test.each(["localhost:4747", "[::1]:4747", "nas.lan"])(
    "goes by the base URL first when it is asked at %s, whose cookies it does not see there",
    async (host) => {
      await restart({ settings: { allowedHosts: "nas.lan" } });
      const path = `${await server.linkFor(ada.user)}/start?connection=7`;
      const ask = (address: string) =>
        server.app.elysia.handle(new Request(`http://${host}${address}`, { headers: { host } }));
      const sent = await ask(path);
      const next = new URL(sent?.headers.get("location") ?? "");
      expect(sent?.status).toBe(303);
      expect(next.href).toStartWith(`http://127.0.0.1:4747${path}&`);
      expect(sent?.headers.getSetCookie()).toEqual([]);
      // A proxy may send that name for the base URL too: then the browser is there already.
      const left = await ask(next.pathname + next.search);
      expect(left?.status).toBe(302);
      expect(left?.headers.getSetCookie()).toHaveLength(1);
    },
  );
});

describe("coming back from Spotify", () => {
  test("says whose account was linked, and until when", async () => {
    const page = await server.browser().link(await server.linkFor(ada.user));
    expect(page.status).toBe(200);
    expect(await titleOf(page.clone())).toBe("Spotify is linked");
    expect(await leadOf(page.clone())).toBe(fill(words.doneLead, { account: "Ada Listens" }));
    expect(await page.text()).toContain("May 21, 2027");
  });

  test("stores a connection with what the account is called", async () => {
    expect(await connectionOf(ada)).toBe(undefined);
    await server.browser().link(await server.linkFor(ada.user));
    expect(await connectionOf(ada)).toMatchObject({
      source: "spotify",
      refusedAt: null,
      settings: {
        clientId: server.spotify.clientId,
        refreshToken: server.listener.refreshToken,
        consentedAt: server.clock.wallMs(),
        displayName: "Ada Listens",
        product: "premium",
      },
    });
  });

  test("answers null for the product, which apps in development mode are not told", async () => {
    await restart({ account: { product: null } });
    await server.browser().link(await server.linkFor(ada.user));
    expect(await userData(ada)).toMatchObject({ music_connected: true, music_product: null });
  });

  test("links nobody else", async () => {
    const grace = await server.addUser("grace", false);
    await server.browser().link(await server.linkFor(grace.user));
    expect(await connectionOf(ada)).toBe(undefined);
    expect(await userData(grace)).toMatchObject({ music_connected: true });
  });

  test("says so in French, in which the link was opened", async () => {
    const language = "fr";
    const page = await server.browser().link(await server.linkFor(ada.user, language));
    expect(await attributeOf(page.clone(), "html", "lang")).toBe(languageTag(language));
    expect(await titleOf(page)).toBe(named(languages[language].connect.doneTitle));
  });

  test("shows a display name as text, whatever it is", async () => {
    await restart({ account: { displayName: '<img src=x onerror="alert(1)">' } });
    const page = await server.browser().link(await server.linkFor(ada.user));
    expect(await page.clone().text()).not.toContain("<img src=x");
    expect(await leadOf(page)).toContain('<img src=x onerror="alert(1)">');
  });
});

describe("linking again", () => {
  test("links a connection of another name where the link was made for one", async () => {
    await server.browser().link(await server.linkFor(ada.user));
    const purpose = connectPurpose("spotify", "Second account");
    const secret = server.accounts.magicLinks.issue(ada.user, purpose);
    const browser = server.browser();
    await browser.link(`/en/connect/spotify/${secret}`);
    const names = async () =>
      server.accounts.connections.allOf(ada.user.id).map(({ name }) => name);
    expect(await names()).toEqual(["", "Second account"]);
    await server.accounts.connections.disconnect(ada.user, "all");
    expect(await leadOf(await browser.open(`/en/connect/spotify/${secret}`))).toBe(
      languages.en.connect.endedText,
    );
    expect(await names()).toEqual([]);
  });
});

/** The cookies of attempts that a browser was given, as it sends them. */
const attemptCookies = ({ answers }: { readonly answers: readonly string[] }): string[] =>
  [...answers.join("\n").matchAll(/"(marquee-link-[\w-]{8}-[0-9a-f]{8}=[\w-]+);/g)].map(
    ([, pair]) => pair ?? "",
  );

describe("an attempt under way", () => {
  test("is known to its browser alone, which can neither read nor change it", async () => {
    const browser = server.browser();
    const path = await server.linkFor(ada.user);
    const callback = new URL(await browser.visitSpotify(path));
    const [cookie = ""] = attemptCookies(browser);
    const [name = "", value = ""] = cookie.split("=");
    const state = callback.searchParams.get("state") ?? "";
    const text = Buffer.from(value, "base64url").toString("latin1");
    for (const secret of [state, path.split("/").at(-1) ?? "", "codeVerifier"]) {
      expect(secret).not.toBe("");
      expect(text).not.toContain(secret);
    }
    const changed = `${name}=${value.slice(0, -4)}AAAA`;
    const page = await server.get(callback.pathname + callback.search, {
      headers: { cookie: changed },
    });
    expect(page.status).toBe(400);
    expect((await browser.open(callback.href)).status).toBe(200);
  });

  test("is taken from the browser when it is answered, and used up where that keeps it", async () => {
    const browser = server.browser();
    const callback = new URL(await browser.visitSpotify(await server.linkFor(ada.user)));
    const [cookie = ""] = attemptCookies(browser);
    const page = await browser.open(callback.href);
    expect(page.headers.getSetCookie()).toEqual([
      `${cookie.split("=")[0]}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`,
    ]);
    const again = await server.get(callback.pathname + callback.search, { headers: { cookie } });
    expect(await leadOf(again)).toBe(words.failures.lost);
  });

  test("is one of at most four in a browser, whose cookies fit into a request", async () => {
    const browser = server.browser();
    const path = await server.linkFor(ada.user);
    const callbacks: string[] = [];
    for (let tab = 0; tab < 6; tab++) callbacks.push(await browser.visitSpotify(path));
    expect(attemptCookies(browser).slice(-4).join("; ").length).toBeLessThan(4_000);
    expect((await browser.open(callbacks[1] ?? "")).status).toBe(400);
    expect((await browser.open(callbacks[2] ?? "")).status).toBe(200);
  });
});

describe("the state", () => {
  test("is good for one of two answers at the same time", async () => {
    const browser = server.browser();
    const callback = await browser.visitSpotify(await server.linkFor(ada.user));
    const pages = await Promise.all([browser.open(callback), browser.open(callback)]);
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  test("of another browser is refused, and still works for the right one", async () => {
    const browser = server.browser();
    const callback = await browser.visitSpotify(await server.linkFor(ada.user));
    const other = server.browser();
    await other.start(await server.linkFor(ada.user));
    for (const stranger of [server.browser(), other]) {
      const refused = await stranger.open(callback);
      expect(refused.status).toBe(400);
      expect(await leadOf(refused)).toBe(words.failures.lost);
    }
    expect(await connectionOf(ada)).toBe(undefined);
    expect((await browser.open(callback)).status).toBe(200);
  });

  test("is refused with two cookies of the same name, one of which somebody else set", async () => {
    const browser = server.browser();
    const callback = new URL(await browser.visitSpotify(await server.linkFor(ada.user)));
    const [cookie = ""] = attemptCookies(browser);
    const [name = ""] = cookie.split("=");
    const page = await server.get(callback.pathname + callback.search, {
      headers: { cookie: `${cookie}; ${name}=another` },
    });
    expect(page.status).toBe(400);
    expect(await connectionOf(ada)).toBe(undefined);
  });

  test("works for ten minutes, and is refused then", async () => {
    const comesBackAfter = async (ms: number) => {
      const browser = server.browser();
      const start = await browser.start(await server.linkFor(ada.user));
      await server.clock.advance(ms);
      return browser.open((await server.spotify.consent(start)).href);
    };
    const late = await comesBackAfter(10 * MINUTE_MS);
    expect(late.status).toBe(400);
    expect(await leadOf(late)).toBe(words.failures.lost);
    expect(await connectionOf(ada)).toBe(undefined);
    expect((await comesBackAfter(10 * MINUTE_MS - 1)).status).toBe(200);
  });

  test.each(["", "?state=", "?state=x", "?code=x", "?state=x&state=y&code=z", "?error=x"])(
    "is missed in an answer that nobody waits for: %p",
    async (query) => {
      const browser = server.browser();
      await browser.start(await server.linkFor(ada.user));
      const page = await browser.open(`/callback/spotify${query}`);
      expect(page.status).toBe(400);
      expect(await leadOf(page)).toBe(words.failures.lost);
    },
  );

  test("is said to be lost in French, as the browser prefers", async () => {
    const language = "fr";
    const headers = { "accept-language": language };
    const page = await server.get("/callback/spotify?state=x", { headers });
    expect(await attributeOf(page.clone(), "html", "lang")).toBe(languageTag(language));
    expect(await leadOf(page)).toBe(languages[language].connect.failures.lost);
  });
});

describe("the secret of a link", () => {
  test("is not used up by looking, nor by setting out", async () => {
    const browser = server.browser();
    const path = await server.linkFor(ada.user);
    for (let times = 0; times < 3; times++) {
      expect((await browser.open(path)).status).toBe(200);
      expect((await browser.open(`${path}/start`)).status).toBe(302);
    }
    expect((await browser.link(path)).status).toBe(200);
  });

  test("links nobody when the half hour ends while the browser is away", async () => {
    const browser = server.browser();
    const path = await server.linkFor(ada.user);
    await server.clock.advance(25 * MINUTE_MS);
    const callback = await browser.visitSpotify(path);
    await server.clock.advance(5 * MINUTE_MS);
    const page = await browser.open(callback);
    expect(page.status).toBe(404);
    expect(await titleOf(page)).toBe(words.endedTitle);
    expect(await connectionOf(ada)).toBe(undefined);
  });
});

describe("below a base URL with a path", () => {
  const BASE_URL = "https://example.org/music";
  beforeEach(() => restart({ baseUrl: BASE_URL }));

  test("the redirect URI carries it", async () => {
    const target = await server.browser().start(`/music${await server.linkFor(ada.user)}`);
    expect(new URL(target).searchParams.get("redirect_uri")).toBe(`${BASE_URL}/callback/spotify`);
  });

  test("every address of the pages carries it", async () => {
    const path = await server.linkFor(ada.user);
    const browser = server.browser();
    const denied = await browser.open(await browser.visitSpotify(path, "cancel"));
    for (const page of [await server.get(path), denied, await browser.link(path)]) {
      const ours = (await addressesIn(page)).filter((one) => one.startsWith("/"));
      expect(ours.filter((one) => !one.startsWith("/music/"))).toEqual([]);
      expect(ours).not.toEqual([]);
    }
  });
});
