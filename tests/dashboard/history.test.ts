import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { languages } from "../../src/i18n/index.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { MOST_COMPARED } from "../../src/music/page/find-songs.ts";
import * as tables from "../../src/db/schema.ts";

const PATH = "/en/dashboard/history";
const { history: t } = languages.en;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

const keep = (time: string, streams = "0") =>
  browser.submit(PATH, { do: "history keep", time, streams });
const page = async (query = "") => (await browser.get(PATH + query)).text();
const choice = () => server.accounts.history.of(ada.user.id);
const play = (secondsAgo: number, title: string, user = ada) =>
  server.accounts.history.note(
    user.user.id,
    aKeptSong({ startedAt: server.clock.wallMs() - secondsAgo * 1_000 }, title),
  );

describe("the page of the history", () => {
  test("shows that nothing is kept, what keeping is, and how to begin", async () => {
    const html = await page();
    expect(html).toContain(t.off);
    expect(html).toContain(t.limits);
    expect(html).toContain(t.keep);
    expect(html).not.toContain('type="search"');
    expect(await page("?settings")).not.toContain(t.clear);
  });

  test.each(["day", "month", "always"] as const)("keeps songs: %s", async (period) => {
    const shown = await keep(period);
    expect(await textOf(shown, ".notice p")).toBe(t.saved);
    expect(choice()).toEqual({ keeps: period, followsStreams: false });
    const settings = await browser.get(`${PATH}?settings`);
    expect(await attributeOf(settings, "input[checked]", "value")).toBe(period);
  });

  test("forgets all songs when nothing is to be kept any more", async () => {
    await keep("always");
    await play(60, "A");
    expect(await textOf(await keep("off"), ".notice p")).toBe(t.savedOff);
    expect(choice().keeps).toBe(null);
    await keep("always");
    expect(await page()).toContain(t.none);
  });

  test.each([{ time: "constructor" }, { time: "" }, {}])(
    "changes nothing, and deletes no song, for %j",
    async (fields) => {
      await keep("always");
      await play(60, "A");
      expect((await browser.post(PATH, { do: "history keep", ...fields })).status).toBe(422);
      expect(choice().keeps).toBe("always");
      expect(server.accounts.history.songsOf(ada.user)).toHaveLength(1);
    },
  );

  test("leaves what overlays may report where that is not named", async () => {
    await keep("day", "1");
    await browser.post(PATH, { do: "history keep", time: "month" });
    expect(choice()).toEqual({ keeps: "month", followsStreams: true });
    await keep("month", "0");
    expect(choice().followsStreams).toBe(false);
  });

  test("lists songs with their time and their cover, harmlessly", async () => {
    await keep("always");
    await play(600, "<b>Bold</b>");
    await server.accounts.history.note(
      ada.user.id,
      aKeptSong({ startedAt: server.clock.wallMs() - 1_000, coverPath: "/art/x" }, "B"),
    );
    const html = await page();
    expect(html).toContain("&lt;b&gt;Bold&lt;/b&gt;");
    expect(html.indexOf(">B<")).toBeLessThan(html.indexOf("Bold"));
    expect(html).toContain('src="/art/x/256.webp"');
    expect(html).toContain('datetime="2026-11-21T11:50:00.000Z"');
  });

  test("shows how long a song was played only where that is not its length", async () => {
    await keep("always");
    const at = server.clock.wallMs() - 60_000;
    const playedFor = (startedAt: number, playedMs: number, durationMs: number | null) =>
      server.accounts.history.note(ada.user.id, {
        ...aKeptSong({ startedAt, playedMs }),
        track: { id: "x", title: "A", durationMs, explicit: false },
      });
    await playedFor(at, 195_000, 200_000);
    await playedFor(at - 1, 195_000, null);
    expect(await page()).not.toContain("3:15");
    await playedFor(at - 2, 65_000, 200_000);
    expect(await page()).toContain("1:05 of 3:20");
  });

  test("groups songs by the day", async () => {
    await keep("always");
    for (const days of [0, 1, 2]) await play(days * 86_400, `Song ${days}`);
    const days = [...(await page()).matchAll(/<h2 class="day">([^<]*)/g)].map(([, day]) => day);
    expect(days).toEqual(["today", "yesterday", "Thursday, November 19"]);
  });

  test("shows twenty songs at a time, and leads to the others", async () => {
    await keep("always");
    for (let index = 0; index < 41; index++) await play(6_000 - index * 60, `Song ${index}.`);
    const first = await browser.get(PATH);
    const older = await attributeOf(first.clone(), 'a[rel="next"]', "href");
    const html = await first.text();
    expect(html).toContain("Song 21.");
    expect(html).not.toContain("Song 20.");
    expect(html).not.toContain(t.newest);
    const second = await browser.get(older ?? "");
    const last = await attributeOf(second.clone(), 'a[rel="next"]', "href");
    const secondHtml = await second.text();
    expect(secondHtml).toContain("Song 20.");
    expect(secondHtml).not.toContain("Song 21.");
    expect(secondHtml).toContain(t.newest);
    const lastHtml = await (await browser.get(last ?? "")).text();
    expect(lastHtml).toContain("Song 0.");
    expect(lastHtml).not.toContain(t.older);
    for (const until of ["", "-1", "x", "9".repeat(20)]) {
      expect(await page(`?until=${until}`)).toContain("Song 40.");
    }
  });

  test("never shows a song again from its row, which the notice takes back", async () => {
    await keep("always");
    for (let index = 0; index < 30; index++) await play(6_000 - index * 60, `Song ${index}.`);
    await play(60, "Guilty <pleasure>");
    const row = { do: "privacy hide", title: "Guilty <pleasure>" };
    const shown = await browser.submit(`${PATH}?find=guilty`, row);
    const html = await shown.text();
    // It is still the list of what was searched for.
    expect(html).not.toContain("Song 29.");
    expect(html).toContain(t.hidden);
    expect(html).not.toContain(`${t.hide}: Guilty`);
    const { privacy } = server.accounts;
    expect(privacy.of(ada.user.id).hiddenTitles).toEqual(["Guilty <pleasure>"]);
    const undo = await attributeOf(new Response(html), ".undo [name=do]", "value");
    const back = await attributeOf(new Response(html), "form.undo", "action");
    expect(back).toBe(`${PATH}?find=guilty`);
    await browser.submit(back ?? "", { ...row, do: undo ?? "" });
    expect(privacy.of(ada.user.id).hiddenTitles).toEqual([]);
    expect(await page()).toContain(`${t.hide}: Guilty`);
  });

  test("is in the export of the user's data", async () => {
    await keep("month", "1");
    await play(60, "A");
    const exported = await (await browser.get("/en/dashboard/account/export")).json();
    expect(exported.history).toMatchObject({
      kept_for: "month",
      overlays_tell_of_streams: true,
      songs: [{ title: "A", started_at: "2026-11-21T11:59:00.000Z", artists: ["Juniper Vale"] }],
    });
  });

  test.each([0, 100, 250])("is whole in the export with %d songs", async (count) => {
    await keep("always");
    for (let at = 0; at < count; at += 1) await play(at, `"songs": [] ${at}`);
    const { history } = await (await browser.get("/en/dashboard/account/export")).json();
    const titles = history.songs.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(Array.from({ length: count }, (_, at) => `"songs": [] ${at}`));
  });

  test("is read for the export only as fast as the client takes it", async () => {
    await keep("always");
    for (let at = 0; at < 1_000; at += 1) await play(at, `Song ${at}`);
    const reads = spyOn(server.accounts.history, "songsOf");
    const answer = await browser.get("/en/dashboard/account/export");
    const reader = answer.body?.getReader();
    await reader?.read();
    await settle();
    expect(reads.mock.calls.length).toBeLessThan(4);
    await reader?.cancel();
    expect(reads.mock.calls.length).toBeLessThan(4);
  });
});

describe("the search", () => {
  /** Songs of a user, a minute apart, stored without waiting for each. */
  const store = async (count: number, { user }: AddedUser, title: (index: number) => string) => {
    await server.accounts.history.change(user, { keeps: "always", followsStreams: false });
    const songs = Array.from({ length: count }, (_, index) => ({
      ...{ userId: user.id, startedAt: server.clock.wallMs() - index * 60_000, playedMs: 60_000 },
      ...{ source: "", trackId: "", title: title(index), explicit: false },
      ...{ artists: '["Björk"]', albumName: "Vespertine" },
    }));
    for (let at = 0; at < count; at += 1_000) {
      await server.store.queries.insert(tables.songs).values(songs.slice(at, at + 1_000));
    }
  };
  const titlesIn = (html: string) =>
    [...html.matchAll(/<strong dir="auto">([^<]*)/g)].map(([, title]) => title);
  const find = async (text: string) => titlesIn(await page(`?find=${encodeURIComponent(text)}`));

  test.each([
    ["a part of the title", "Lant"],
    ["another case, without accents", "bJORK lanterns"],
    ["the album", "vespertine paper"],
    ["a name before it was cleaned", "official"],
  ])("finds songs by %s", async (_, text) => {
    await keep("always");
    await server.accounts.history.note(ada.user.id, {
      ...aKeptSong({ artists: ["Björk"], albumName: "Vespertine" }),
      given: { title: "Paper Lanterns (Official Video)", artists: ["Björk"] },
    });
    await play(60, "Glass Harbour");
    expect(await find(text)).toEqual(["Paper Lanterns"]);
  });

  test("names what it has not found, harmlessly, and shows all again", async () => {
    await keep("always");
    await play(60, "A");
    const html = await page(`?find=${encodeURIComponent('"><b>x')}`);
    expect(html).not.toContain('"><b>x');
    expect(html).toContain("&lt;b&gt;x");
    expect(html).toContain(t.all);
    expect(titlesIn(html)).toEqual([]);
    expect(await find("  ")).toEqual(["A"]);
  });

  test("compares at most so many songs for a page, and offers to go on", async () => {
    await store(MOST_COMPARED + 100, ada, (index) => (index > MOST_COMPARED ? "old" : "new"));
    const reads = spyOn(server.accounts.history, "songsOf");
    const shown = await browser.get(`${PATH}?find=old`);
    const compared = reads.mock.calls.reduce((sum, [, range]) => sum + (range?.most ?? 1e9), 0);
    expect(compared).toBe(MOST_COMPARED);
    const older = await attributeOf(shown.clone(), 'a[rel="next"]', "href");
    expect(await shown.text()).toContain(t.searchedUntil.replace("{time}", ""));
    expect(titlesIn(await (await browser.get(older ?? "")).text())).toHaveLength(20);
  });

  test("of one user is one at a time, however many are asked for, and holds up nobody else", async () => {
    await store(20_000, ada, (index) => `Song ${index}`);
    const grace = await server.addUser("grace");
    await store(10, grace, (index) => `Of Grace ${index}`);
    const others = await signIn(server, grace);
    const reads = spyOn(server.accounts.history, "songsOf");
    const flood = Array.from({ length: 100 }, (_, index) =>
      browser.get(`${PATH}?find=nothing${index}`),
    );
    const answered = await others.get(`${PATH}?find=grace`);
    expect(titlesIn(await answered.text())).toHaveLength(10);
    const readsOf = (user: AddedUser) =>
      reads.mock.calls.filter(([{ id }]) => id === user.user.id).length;
    // Not a search of hers is through, as each would take a hundred reads.
    expect(readsOf(ada)).toBeLessThan(300);
    await server.clock.advance(60_000);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set([...statuses, 200, 429])).toEqual(new Set([200, 429]));
    // One search to its end, and the first part of each that a newer one ended.
    expect(readsOf(ada)).toBeLessThan(MOST_COMPARED / 50 + 2 * flood.length);
  });
});

describe("the set list", () => {
  const stream = async () => {
    await keep("always", "1");
    await server.accounts.history.streamStarted(ada.user.id);
    await server.clock.advance(600_000);
    await play(550, "A");
    await play(300, "B");
    await play(100, "A secret");
  };
  const file = (form: string) => browser.get(`${PATH}/set-list?as=${form}`);

  test("names what is missing for it", async () => {
    await keep("always");
    const asked = await page("?as");
    expect(asked).toContain(t.notReported);
    expect(asked).toMatch(new RegExp(`\\?settings"[^>]*>${t.keepTitle}</a></p></section>`));
    await keep("always", "1");
    expect(await page("?as")).toContain(t.noStream);
    await server.accounts.history.streamStarted(ada.user.id);
    expect(await page("?as")).toContain(t.noSongsYet);
  });

  test("is shown and downloaded as text, CSV and chapters, without hidden songs", async () => {
    await stream();
    await server.accounts.privacy.change(ada.user, { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] });
    const text = "0:50 Juniper Vale – A\n5:00 Juniper Vale – B";
    expect(await textOf(await browser.get(`${PATH}?as`), ".set-list code")).toBe(text);
    const chapters = `0:00 Start\n${text}`;
    expect(await textOf(await browser.get(`${PATH}?as=chapters`), ".set-list code")).toBe(chapters);
    expect(await (await file("text")).text()).toBe(`${text}\n`);
    expect(await (await file("chapters")).text()).toBe(`${chapters}\n`);
    const csv = await file("csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe(
      'attachment; filename="marquee-set-list-2026-11-21.csv"',
    );
    expect((await csv.text()).split("\r\n")).toHaveLength(4);
  });

  test("warns that YouTube wants more chapters", async () => {
    await keep("always", "1");
    await server.accounts.history.streamStarted(ada.user.id);
    await server.clock.advance(100_000);
    await play(50, "A");
    expect(await page("?as=chapters")).toContain("at least 3 chapters");
  });

  test("is that of the last stream when it is over", async () => {
    await stream();
    expect(await page("?as")).toContain(t.thisStream);
    await server.accounts.history.streamStopped(ada.user.id, server.clock.wallMs());
    await server.clock.advance(86_400_000);
    await play(60, "Next day");
    expect(await page("?as")).toContain(t.lastStream);
    expect(await (await file("text")).text()).not.toContain("Next day");
  });

  test("has the last thousand songs of a stream, however many there were", async () => {
    await keep("always", "1");
    await server.accounts.history.streamStarted(ada.user.id);
    await server.clock.advance(86_400_000);
    const { queries } = server.store;
    const songs = Array.from({ length: 1_500 }, (_, index) => ({
      ...{
        userId: ada.user.id,
        startedAt: server.clock.wallMs() - index * 30_000,
        playedMs: 30_000,
      },
      ...{ source: "", trackId: "", title: `Song ${index}`, explicit: false },
      ...{ artists: "[]", albumName: "" },
    }));
    await queries.insert(tables.songs).values(songs);
    const lines = (await (await file("text")).text()).trim().split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([1_000, "24:00:00 Song 0"]);
    const onPage =
      (await textOf(await browser.get(`${PATH}?as`), ".set-list code"))?.split("\n") ?? [];
    expect([onPage.length, onPage.at(-1)]).toEqual([200, "24:00:00 Song 0"]);
    expect(await page("?as")).toContain("Here are the last 200 songs.");
  });

  test("is read once for all who ask for its file at the same time", async () => {
    await stream();
    const { history } = server.accounts;
    const read = spyOn(history, "shownOf");
    const files = await Promise.all([file("text"), file("csv"), file("text")]);
    expect(files.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });

  test("is an empty file where there is none", async () => {
    expect((await file("text")).status).toBe(200);
    expect(await (await file("chapters")).text()).toBe("");
  });
});
