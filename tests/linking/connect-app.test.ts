import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { upstreams } from "../../src/db/schema.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { bodyAfter } from "../fixtures/http/late-body.ts";
import { addressesIn, attributeOf, outlineOf, textOf } from "../fixtures/http/html.ts";
import { createLinkingServer, type LinkingServer } from "../fixtures/servers/linking-server.ts";

const REDIRECT_URI = "http://127.0.0.1:4747/callback/spotify";
const APP = { clientId: "0123456789abcdef0123456789abcdef", clientSecret: "" };
const { connect: words } = languages.en;
const named = (text: string) => fill(text, { source: "Spotify", user: "ada" });

let server: LinkingServer;
let ada: AddedUser;
let grace: AddedUser;
let path: string;

beforeEach(() => start());
afterEach(() => server.close());

/** A server without an app, where ada is the owner and grace a member. */
async function start(...options: Parameters<typeof createLinkingServer>): Promise<void> {
  server?.close();
  server = await createLinkingServer(...options);
  ada = await server.addUser("ada", false);
  grace = await server.addUser("grace", false);
  path = await server.linkFor(ada.user);
}

const appOf = () => server.accounts.upstreams.appOf("spotify");
const submit = (...[fields, origin]: [fields?: Record<string, string>, origin?: string | null]) =>
  server.browser().submit(path, fields ?? APP, origin);
const hasForm = async (page: Response) => (await outlineOf(page, "form")) !== "";

test("an app whose stored data are damaged is asked for again", async () => {
  await server.accounts.upstreams.enterApp("spotify", { clientId: "a", clientSecret: null });
  server.store.queries
    .update(upstreams)
    .set({ sealedApp: Buffer.from("damaged") })
    .run();
  expect(await hasForm(await server.get(path))).toBe(true);
  await submit();
  expect(appOf()).toEqual({ clientId: APP.clientId, clientSecret: null });
});

describe("without an app", () => {
  test("one that is on its way when its link ends is not stored", async () => {
    const answer = await server.get(path, {
      method: "POST",
      headers: {
        origin: "http://127.0.0.1:4747",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: bodyAfter(
        () => server.accounts.users.remove("ada"),
        new URLSearchParams(APP).toString(),
      ),
    });
    expect(await textOf(answer, "h1")).toBe(languages.en.connect.endedTitle);
    expect(appOf()).toBeUndefined();
  });

  test("the owner sees where to make one, the redirect URI and a form", async () => {
    const page = await server.get(path);
    expect(await textOf(page.clone(), "h2")).toBe(named(words.appTitle));
    expect(await addressesIn(page.clone())).toContain("https://developer.spotify.com/dashboard");
    expect(await textOf(page.clone(), ".copyable code")).toBe(REDIRECT_URI);
    expect(await attributeOf(page.clone(), "button[data-copy]", "data-copy")).toBe(REDIRECT_URI);
    // Where no script runs, the text is selected by hand.
    expect(await attributeOf(page.clone(), "button[data-copy]", "hidden")).toBe("");
    expect(await attributeOf(page, "form", "action")).toBe(path);
  });

  test("the dashboard is told nothing of the page that leads to it", async () => {
    const link = 'a[href^="https:"]';
    const page = await server.get(path);
    expect(await attributeOf(page, link, "rel")).toBe("noopener noreferrer");
  });

  test("a member is told that the owner has to enter it, and sees no form", async () => {
    const page = await server.get(await server.linkFor(grace.user));
    expect(page.status).toBe(200);
    expect(await page.clone().text()).toContain(Bun.escapeHTML(named(words.ownerFirst)));
    expect(await hasForm(page)).toBe(false);
  });

  test("nobody is sent to Spotify, but back to the page", async () => {
    const response = await server.get(`${path}/start`);
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(path);
    expect(server.spotify.calls).toEqual([]);
  });

  test.each(["http://192.0.2.7:4747", "http://localhost:4747", "http://example.org"])(
    "people are warned that Spotify does not take %s",
    async (baseUrl) => {
      await start({ baseUrl });
      expect(await textOf(await server.get(path), '[role="alert"]')).toBe(
        named(words.redirectRefused),
      );
    },
  );

  test.each(["http://127.0.0.1:4747", "http://[::1]:4747", "https://example.org/music"])(
    "there is no warning at %s",
    async (baseUrl) => {
      await start({ baseUrl });
      expect(await textOf(await server.get(path), '[role="alert"]')).toBe(undefined);
    },
  );
});

describe("entering the app", () => {
  test("stores it and leads back to the page, which leads on to Spotify", async () => {
    const response = await submit();
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(path);
    expect(appOf()).toEqual({ clientId: APP.clientId, clientSecret: null });
    const page = await server.get(path);
    expect(await attributeOf(page, "a.button", "href")).toBe(`${path}/start`);
  });

  test("lets members link from then on, who see no form", async () => {
    await submit();
    const page = await server.get(await server.linkFor(grace.user));
    expect(await attributeOf(page.clone(), "a.button", "href")).toEndWith("/start");
    expect(await hasForm(page)).toBe(false);
  });

  test("does not use the link up", async () => {
    await submit();
    await submit();
    expect((await server.get(path)).status).toBe(200);
  });
});

describe("an app that a page of ours did not send", () => {
  test.each([null, "https://evil.example"])("is refused: origin %p", async (origin) => {
    const page = await submit(APP, origin);
    expect(page.status).toBeWithin(400, 500);
    expect(appOf()).toBe(undefined);
  });

  test("is told from one that does, under another name of this server", async () => {
    const response = await server.get(path, {
      method: "POST",
      headers: { host: "localhost:4747", origin: "http://localhost:4747" },
      body: new URLSearchParams(APP),
    });
    expect(response.status).toBe(303);
    expect(appOf()).toBeDefined();
  });
});

describe("an app that cannot be one", () => {
  test("is refused, and what was typed is kept", async () => {
    const clientId = '"><script>alert(1)</script>';
    const page = await submit({ clientId });
    expect(page.status).toBe(422);
    expect(await attributeOf(page.clone(), "#clientId", "value")).toBe(clientId);
    expect(await attributeOf(page.clone(), "#clientId", "aria-invalid")).toBe("true");
    expect(await textOf(page, "#clientId-mistake")).toBe(languages.en.refused.connection.clientId);
    expect(appOf()).toBe(undefined);
  });

  test("is none at all in a form without fields", async () => {
    expect((await submit({})).status).toBe(422);
  });

  test("is none in what is no form, which is the sender's fault", async () => {
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
      const headers = { origin: "http://127.0.0.1:4747", "content-type": type };
      const page = await server.get(path, { method: "POST", headers, body: "{}" });
      expect({ type, refused: page.status >= 400 && page.status < 500 }).toEqual({
        type,
        refused: true,
      });
    }
    expect(appOf()).toBe(undefined);
  });
});

describe("whoever may not enter an app", () => {
  test("changes nothing as a member", async () => {
    path = await server.linkFor(grace.user);
    await submit();
    expect(appOf()).toBe(undefined);
  });

  test("changes nothing with a link that has ended", async () => {
    await server.clock.advance(30 * 60_000);
    expect((await submit()).status).toBe(404);
    expect(appOf()).toBe(undefined);
  });
});

describe("an app from the settings", () => {
  beforeEach(() => start({ settings: { spotifyClientId: "fixed" } }));

  test("is used, and the page shows no form for another", async () => {
    const page = await server.get(path);
    expect(await hasForm(page)).toBe(false);
    const target = new URL(await server.browser().start(path));
    expect(target.searchParams.get("client_id")).toBe("fixed");
  });

  test("is not replaced by one that is sent nevertheless", async () => {
    await submit();
    expect(appOf()).toBe(undefined);
    const target = new URL(await server.browser().start(path));
    expect(target.searchParams.get("client_id")).toBe("fixed");
  });
});
