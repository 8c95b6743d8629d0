import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { readChatOptions } from "../../src/chat/options.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

const damage = (table: string, column: string, value: string) =>
  server.store.queries.run(
    sql`UPDATE ${sql.identifier(table)} SET ${sql.identifier(column)} = ${value}`,
  );

describe.each(["{", "5", "null", "[1]", '{"theme":5}'])("where a row has %s for JSON", (value) => {
  test("an overlay looks as at first, and can be edited", async () => {
    damage("widgets", "options", value);
    damage("widget_revisions", "options", value);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(200);
    for (const page of ["", "/widget", "/chat", "/settings/programs"]) {
      expect((await browser.get(`/en/dashboard${page}`)).status).toBe(200);
    }
    expect(await server.accounts.widgets.allOf(ada.user)).toMatchObject([{ options: {} }]);
  });

  test("a kept song has no artist", async () => {
    await server.accounts.history.change(ada.user, { keeps: "always", followsStreams: false });
    await server.accounts.history.note(ada.user.id, aKeptSong());
    damage("songs", "artists", value);
    const { data } = await (await server.getAs(ada, "/api/v1/recently-played")).json();
    expect(data).toMatchObject([{ track: { name: "Paper Lanterns" }, artist_name: "" }]);
    expect((await browser.get("/en/dashboard/history")).status).toBe(200);
  });

  test("a linked chat answers as at first", async () => {
    const { chat } = server.accounts;
    await chat.link(ada.user, { service: "twitch", login: "ada", channel: "ada", settings: {} });
    damage("chat_accounts", "options", value);
    const [account] = chat.allOf();
    expect(readChatOptions(account?.options)).toEqual(readChatOptions({}));
  });
});
