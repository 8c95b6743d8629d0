import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { fill, formatTime, languages } from "../../src/i18n/index.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { attributeOf, codesIn, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const MUSIC = "/en/dashboard/music";
const { inbox: words } = languages.en.dashboard.music;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

async function start(
  baseUrl = "http://127.0.0.1:4747",
  broadcastPort = String(freePort()),
): Promise<void> {
  server = await createTestServer({ realSources: true, baseUrl, settings: { broadcastPort } });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada, baseUrl);
}

beforeEach(() => start());
afterEach(async () => {
  await server.app.stop();
  server.close();
});

/** Connects a source by its form on the page; returns the connection and its secret. */
const connect = async (source: string) => {
  await browser.submit(MUSIC, { do: "connect", source });
  const connection = server.accounts.connections.allOf(ada.user.id).at(-1)!;
  return { ...connection, secret: await server.accounts.connections.secretOf(connection.id) };
};
const push = (secret: string, body: unknown) =>
  server.get(`/in/${secret}/json`, { method: "POST", body: JSON.stringify(body) });
const page = () => browser.get(MUSIC);
/** What a page offers to copy, besides what is for linking Spotify. */
const enteredOn = async (answer: Response) =>
  (await codesIn(answer)).filter((code) => !code.endsWith("/callback/spotify"));
const statusesOf = async (answer: Response) => {
  const html = await answer.text();
  const found = [...html.matchAll(/<p class="status (\w+)"[^>]*>(.*?)<\/p>/gs)];
  return found.map(([, tone, text = ""]) => [tone, text.replace(/<[^>]*>/g, "")]);
};

describe("what to enter in a program that pushes", () => {
  test.each(["webscrobbler", "tuna", "json"])("is a secret address for %s", async (source) => {
    const { secret } = await connect(source);
    const address = `http://127.0.0.1:4747/in/${secret}/${source}`;
    expect(await textOf(await page(), ".secret details:not([open]) code")).toBe(address);
    expect(await attributeOf(await page(), ".secret button", "data-copy")).toBe(address);
    const [shown, curl] = await enteredOn(await page());
    expect(shown).toBe(address);
    const line = `curl "${address}?title=Paper+Lanterns&artist=Juniper+Vale"`;
    expect(curl).toBe(source === "json" ? line : undefined);
  });

  test("is an address of a WebSocket for WebNowPlaying", async () => {
    const { secret } = await connect("webnowplaying");
    const address = `ws://127.0.0.1:4747/in/${secret}/webnowplaying`;
    expect(await textOf(await page(), ".secret code")).toBe(address);
  });

  test("is an address and a token for ListenBrainz", async () => {
    const { secret } = await connect("listenbrainz");
    expect(await enteredOn(await page())).toEqual(["http://127.0.0.1:4747/listenbrainz/", secret]);
    expect(await textOf(await page(), ".secret code")).toBe(secret);
  });

  test("is an address, a user name and a password for Audioscrobbler", async () => {
    const { secret } = await connect("audioscrobbler");
    const entered = ["http://127.0.0.1:4747/audioscrobbler/", "ada", secret];
    expect(await enteredOn(await page())).toEqual(entered);
    expect(await textOf(await page(), ".secret code")).toBe(secret);
  });

  test("is what a broadcast to Icecast needs, with a picture for each program", async () => {
    const { secret } = await connect("broadcast");
    const source = server.sources.byId("broadcast");
    const port = new URL(source?.inboxAddress?.("http://127.0.0.1:4747", "") ?? "").port;
    expect(await enteredOn(await page())).toEqual(["127.0.0.1", port, "/live", secret]);
    expect(await textOf(await page(), ".secret code")).toBe(secret);
    const html = await (await page()).text();
    const pictures = [...html.matchAll(/<div class="settings-picture".*?<\/div>/gs)].map(String);
    expect(pictures).toHaveLength(3);
    for (const picture of pictures) {
      for (const shown of ["127.0.0.1", port, "/live"]) expect(picture).toContain(`>${shown}<`);
      expect(picture).not.toContain(secret);
    }
  });

  test("says so where no port takes broadcasts", async () => {
    await start(undefined, "0");
    await connect("broadcast");
    expect(await textOf(await page(), ".mistake")).toBe(words.noPort);
  });

  test("is a link for Web Scrobbler, on this machine too, and says what it does", async () => {
    const local = await connect("webscrobbler");
    const href = await attributeOf(await page(), 'a[target="_blank"]', "href");
    expect(new URL(href ?? "").searchParams.get("userApiUrl")).toBe(
      `http://127.0.0.1:4747/in/${local.secret}/webscrobbler`,
    );
    expect(await (await page()).text()).toContain(words.webScrobblerHint);
    server.close();
    await start("https://music.example/marquee");
    await browser.post(`/marquee${MUSIC}`, { do: "connect", source: "webscrobbler" });
    const [connection] = server.accounts.connections.allOf(ada.user.id);
    const secret = await server.accounts.connections.secretOf(connection?.id ?? 0);
    const shown = await browser.get(`/marquee${MUSIC}`);
    const link = await attributeOf(shown.clone(), 'a[target="_blank"]', "href");
    expect(link).toStartWith("https://webscrobbler.com/webhook?");
    expect(Object.fromEntries(new URL(link ?? "").searchParams)).toEqual({
      applicationName: "Marquee",
      userApiUrl: `https://music.example/marquee/in/${secret}/webscrobbler`,
    });
    expect(await attributeOf(shown, 'a[target="_blank"]', "rel")).toBe("noreferrer");
  });
});

describe("replacing the secret", () => {
  test("ends the old one at once, and shows the new one", async () => {
    const { id, publicId, secret } = await connect("json");
    const answer = await browser.submit(MUSIC, { do: "connection rotate", id: String(publicId) });
    expect(await textOf(answer.clone(), ".notice p")).toContain("JSON has a new secret.");
    expect((await push(secret, { title: "Old" })).status).toBe(401);
    const next = await server.accounts.connections.secretOf(id);
    expect(await textOf(answer, ".secret code")).toContain(next);
    expect((await push(next, { title: "New" })).status).toBe(200);
  });

  test("does nothing where there is no secret", async () => {
    const { publicId } = await connect("demo");
    for (const id of ["999", String(publicId)]) {
      expect((await browser.post(MUSIC, { do: "connection rotate", id })).status).toBe(303);
    }
  });

  test("is possible when it cannot be read", async () => {
    const { id, publicId } = await connect("json");
    server.store.queries.run(`update connections set sealed_secret = 'v1.damaged'`);
    expect(await (await page()).text()).toContain(words.unreadable);
    await browser.post(MUSIC, { do: "connection rotate", id: String(publicId) });
    const next = await server.accounts.connections.secretOf(id);
    expect(await textOf(await page(), ".secret code")).toContain(next);
  });
});

describe("what has come from a program", () => {
  const time = formatTime("en", START_MS, START_MS);

  test("is said: nothing, then when, then why it was refused", async () => {
    const { secret } = await connect("json");
    expect(await statusesOf(await page())).toEqual([["idle", words.nothing]]);
    await push(secret, { title: "Paper Lanterns" });
    const received = ["good", fill(words.received, { time })];
    expect(await statusesOf(await page())).toEqual([received]);
    const { error } = await (await push(secret, { title: 4, state: "<b>" })).json();
    const [first, second] = await statusesOf(await page());
    expect(first).toEqual(received);
    expect(second?.[0]).toBe("warn");
    expect(await textOf(await page(), ".status q")).toBe(error);
    expect(await (await page()).text()).not.toContain("<b>");
    await push(secret, { title: "Another" });
    expect(await statusesOf(await page())).toEqual([received]);
  });

  test("is not known any more after a restart", async () => {
    const { id } = await connect("json");
    await server.accounts.connections.storeStatus(id, { state: "ok", since: START_MS });
    expect(await statusesOf(await page())).toEqual([["idle", words.nothingSinceStart]]);
  });
});
