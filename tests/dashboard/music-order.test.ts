import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { textOf, unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const MUSIC = "/en/dashboard/music";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ realSources: true });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
});

afterEach(() => server.close());

const connect = (name: string) => server.accounts.connections.connect(ada.user, "json", null, name);
const push = async (connectionId: number, body: unknown) => {
  const secret = await server.accounts.connections.secretOf(connectionId);
  await server.get(`/in/${secret}/json`, { method: "POST", body: JSON.stringify(body) });
  await settle();
};
/** The HTML of each connection's row, with what it unfolds. */
const cards = async (path = MUSIC) => {
  const html = await (await browser.get(path)).text();
  const found = html.matchAll(/<section class="source connected"[^>]*>(.*?)<\/section>/gs);
  return [...found].map(([, card = ""]) => card);
};
const labels = async () => (await cards()).map((card) => /<h2[^>]*>(.*?)<\/h2>/.exec(card)?.[1]);
const reportedIn = (card: string) => {
  const [, row = ""] = /data-row[^>]*>(.*?)<\/summary>/s.exec(card) ?? [];
  return [...row.matchAll(/<span(?! class="status)[^>]*>(.*?)<\/span>/gs)].map(([, text = ""]) =>
    unescapeHtml(text),
  );
};

test("each of several connections reports what it plays, and one is shown", async () => {
  const first = await connect("First");
  const second = await connect("Second");
  const third = await connect("Third");
  await push(third.id, { title: "Soon over" });
  await connect("Silent");
  await push(first.id, { title: "Paused <b>", state: "paused" });
  await push(second.id, { title: "Paper Lanterns", artist: ["Juniper Vale", "Fern"] });
  // The page starts the listening.
  await cards();
  await push(third.id, { title: "" });
  expect((await cards()).map(reportedIn)).toEqual([
    ["Paused: Paused <b>"],
    ["Paper Lanterns – Juniper Vale, Fern", "Shown now"],
    ["Nothing playing"],
    ["Waiting for music"],
  ]);
});

const move = (publicId: number, position: number | string) =>
  browser.submit(MUSIC, { do: "connection move", id: `${publicId}`, position: `${position}` });
/** The places to which the buttons of a card move it. */
const movesIn = (card = "") =>
  [...card.matchAll(/name="position" value="(\d+)"/g)].map(([, place]) => Number(place));

test("one connection alone cannot be moved", async () => {
  await connect("First");
  expect((await cards()).map(movesIn)).toEqual([[]]);
});

test("a connection that was moved is what the browser goes to", async () => {
  const first = await connect("First");
  await connect("Second");
  const sent = await browser.post(MUSIC, {
    ...{ do: "connection move", id: String(first.publicId), position: "2" },
  });
  const [path, id = ""] = (sent.headers.get("location") ?? "").split("#");
  expect(path).toBe(MUSIC);
  expect(await textOf(await browser.get(MUSIC), `#${id} h2`)).toBe("JSON · First");
});

test("connections are moved up and down, by buttons that name them", async () => {
  const { publicId } = await connect("First");
  await connect("Second");
  const third = await connect("Third");
  const [top, middle, bottom] = await cards();
  expect([top, middle, bottom].map(movesIn)).toEqual([[2], [1, 3], [2]]);
  expect(middle).toContain('aria-label="Move up: JSON · Second"');
  const answer = await move(publicId, 2);
  expect(await answer.text()).toContain("JSON · First is now number 2.");
  expect(await labels()).toEqual(["JSON · Second", "JSON · First", "JSON · Third"]);
  await move(third.publicId, 1);
  expect(await labels()).toEqual(["JSON · Third", "JSON · Second", "JSON · First"]);
});

test("the connection that is first is the one that is shown", async () => {
  const first = await connect("First");
  const second = await connect("Second");
  await push(first.id, { title: "One" });
  await push(second.id, { title: "Two" });
  await move(second.publicId, 1);
  await settle();
  expect((await cards()).map(reportedIn)).toEqual([["Two", "Shown now"], ["One"]]);
});

test("a connection is put at the place to which it was dragged", async () => {
  const { publicId } = await connect("First");
  await connect("Second");
  await connect("Third");
  expect(await (await move(publicId, 3)).text()).toContain("JSON · First is now number 3.");
  expect(await labels()).toEqual(["JSON · Second", "JSON · Third", "JSON · First"]);
  await move(publicId, 1);
  expect(await labels()).toEqual(["JSON · First", "JSON · Second", "JSON · Third"]);
  for (const position of ["", "0", "-7", "first"]) {
    const fields = { do: "connection move", id: String(publicId), position };
    expect((await browser.post(MUSIC, fields)).status).toBe(422);
  }
  expect(await labels()).toEqual(["JSON · First", "JSON · Second", "JSON · Third"]);
  await move(publicId, 99);
  expect(await labels()).toEqual(["JSON · Second", "JSON · Third", "JSON · First"]);
});

describe("why a connection is shown or not", () => {
  const { why } = languages.en.dashboard.music;
  const reasons = async () =>
    (await cards()).map((card) => {
      const [, text] = /<p class="hint why">(.*?)<\/p>/s.exec(card) ?? [];
      return text && unescapeHtml(text);
    });

  test("is not said of one connection alone", async () => {
    const { id } = await connect("First");
    await push(id, { title: "One" });
    await cards();
    expect(await reasons()).toEqual([undefined]);
  });

  test("is said of several that play, and of one that is paused meanwhile", async () => {
    const [first, second, third] = [
      await connect("First"),
      await connect("Second"),
      await connect("Third"),
    ];
    await connect("Silent");
    await push(third.id, { title: "Three", state: "paused" });
    await push(second.id, { title: "Two" });
    await cards();
    expect(await reasons()).toEqual([
      undefined,
      why.onlyPlaying,
      fill(why.isPaused, { source: "JSON · Second" }),
      undefined,
    ]);
    await push(first.id, { title: "One" });
    expect(await reasons()).toEqual([
      why.firstPlaying,
      fill(why.comesLater, { source: "JSON · First" }),
      fill(why.isPaused, { source: "JSON · First" }),
      undefined,
    ]);
  });

  test("is said of several that are paused", async () => {
    const first = await connect("First");
    const second = await connect("Second");
    await cards();
    await push(first.id, { title: "One", state: "paused" });
    await server.clock.advance(1_000);
    await push(second.id, { title: "Two", state: "paused" });
    expect(await reasons()).toEqual([
      fill(why.pausedEarlier, { source: "JSON · Second" }),
      why.lastPaused,
    ]);
  });
});

test("the first page has a line for each connection that does not work, and for no other", async () => {
  // A server that follows none of the stored connections: what is stored of them stays.
  server.close();
  server = await createTestServer();
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
  const { connections } = server.accounts;
  const lines = async () => {
    const html = await (await browser.get("/en/dashboard")).text();
    return [...html.matchAll(/<li class="status (\w+)"><span><span>(.*?)<\/span>/g)].map(
      ([, tone, text = ""]) => [tone, unescapeHtml(text).replace(/\. .*/, ".")],
    );
  };
  const first = await connect("First");
  const broken = await connections.connect(ada.user, "mpd", { address: "127.0.0.1:6600" });
  await connections.storeStatus(first.id, { state: "ok", since: 1 });
  expect(await lines()).toEqual([]);
  await connections.storeStatus(broken.id, { state: "retrying", since: 1, reason: "unreachable" });
  expect(await lines()).toEqual([["warn", "MPD can’t be reached."]]);
  const refused = await connections.connect(ada.user, "mpd", { address: "127.0.0.1" }, "Kitchen");
  await connections.markRefused(refused.id);
  expect((await lines()).map(([tone]) => tone)).toEqual(["warn", "bad"]);
});
