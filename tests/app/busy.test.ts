import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { signIn, type SignedIn } from "../fixtures/http/signed-in.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let folder: ReturnType<typeof createDataFolder>;
let foreign: Database;
let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  folder = createDataFolder();
  server = await createTestServer({ dataFolder: folder.path });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
  server.store.queries.run("PRAGMA busy_timeout = 0");
  foreign = new Database(join(folder.path, "marquee.db"));
  foreign.run("BEGIN IMMEDIATE");
});
afterEach(() => {
  foreign.close(true);
  server.close();
  folder.remove();
});

describe("while another program writes to the database,", () => {
  test("a form is answered 503 in French, with when to try again", async () => {
    const language = "fr";
    const answer = await browser.post(`/${language}/dashboard/settings/programs`, {
      do: "key add",
      name: "bot",
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toContain(Bun.escapeHTML(languages[language].unstored.title));
  });

  test("the same form works once it lets go", async () => {
    const add = () =>
      browser.post("/en/dashboard/settings/programs", { do: "key add", name: "bot" });
    expect((await add()).status).toBe(503);
    foreign.run("COMMIT");
    expect((await add()).status).toBeLessThan(400);
    const names = server.accounts.keys.list(ada.user).map(({ name }) => name);
    expect(names).toEqual(["first key", "bot"]);
  });

  test("pages and the API that only read go on", async () => {
    // Long enough for the session to be noted as seen.
    await server.clock.advance(3_600_000);
    expect((await server.getAs(ada, "/api/v1/now-playing")).status).toBe(200);
    // The page of the keys shows the use of one that was just now, which cannot be stored.
    for (const path of [
      "",
      "/music",
      "/widget",
      "/settings/programs",
      "/settings/account",
      "/settings/server",
    ]) {
      expect((await browser.get(`/en/dashboard${path}`)).status).toBe(200);
    }
    expect((await server.getAs(ada, "/api/v1/user")).status).toBe(200);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(200);
  });

  test("it is ready no more, and once it lets go it is", async () => {
    expect((await server.get("/readyz")).status).toBe(503);
    expect((await server.get("/livez")).status).toBe(200);
    foreign.run("COMMIT");
    await server.clock.advance(1_000);
    expect((await server.get("/readyz")).status).toBe(200);
  });
});

describe("while statuses of connections cannot be stored,", () => {
  const about = () => server.logged.filter((line) => line.includes("statuses"));
  let listeners: readonly AddedUser[];

  /** Each user's source is followed for the first time while another program writes. */
  beforeEach(async () => {
    foreign.run("COMMIT");
    listeners = [await server.addUser("bob"), await server.addUser("cleo")];
    foreign.run("BEGIN IMMEDIATE");
    for (const user of listeners) {
      void server.getAs(user, "/api/v1/now-playing");
      await settle();
      await server.sourceOf(user).says(aPlayback());
    }
  });

  test("the log says so once, and music is followed", async () => {
    expect(about()).toHaveLength(1);
    expect(about()[0]).toMatch(/ error .*cannot be stored .*locked/);
    await server.clock.advance(5_000);
    for (const user of listeners) {
      const answer = await server.getAs(user, "/api/v1/now-playing");
      expect(await answer.json()).toMatchObject({ data: { is_playing: true } });
    }
  });

  test("they wait, and the log says once that they are stored, and how many waited", async () => {
    foreign.run("COMMIT");
    await server.accounts.retryWrites();
    await server.sourceOf(listeners[0] ?? ada).fails(new Error("it is gone"));
    expect(about()).toHaveLength(2);
    expect(about()[1]).toMatch(/ info .*stored again waited=2/);
  });
});

test.each([
  "SQLITE_BUSY",
  "SQLITE_FULL",
  "SQLITE_READONLY",
  "SQLITE_IOERR_READ",
  "SQLITE_CANTOPEN",
  "ENOSPC",
  "EROFS",
])("a call of the API that meets %s is answered 503 in the envelope", async (code) => {
  const holderOf = spyOn(server.accounts.keys, "holderOf").mockImplementation(() => {
    throw Object.assign(new Error("not now"), { code });
  });
  const answer = await server.getAs(ada, "/api/v1/now-playing");
  holderOf.mockRestore();
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(await answer.json()).toEqual({ success: false, error: "The server is busy: try again" });
});

describe("while the disk is full,", () => {
  /** SQLite's own limit on pages stands for the disk's. */
  const fill = () => {
    foreign.run("COMMIT");
    server.store.queries.run("PRAGMA max_page_count = 1");
  };
  const titles = Array.from({ length: 100 }, (_, at) => `${"no song ".repeat(11)}${at}`).join("\n");
  const save = (language: string) =>
    browser.post(`/${language}/dashboard/settings/privacy`, { do: "privacy rules", titles });

  test("a form is answered 503 in French, says that nothing was changed, and works once there is room", async () => {
    const language = "fr";
    fill();
    const answer = await save(language);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(await answer.text()).toContain(Bun.escapeHTML(languages[language].unstored.title));
    expect(server.logged.join("\n")).toMatch(/the database cannot be used .*disk is full/);
    expect((await browser.get("/en/dashboard/settings/privacy")).status).toBe(200);
    server.store.queries.run("PRAGMA max_page_count = 1000000");
    expect((await save(language)).status).toBeLessThan(400);
  });
});
