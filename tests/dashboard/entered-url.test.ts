import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const MUSIC = "/en/dashboard/music";

let server: TestServer;
let grace: AddedUser;
let owner: SignedIn;
let member: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ settings: { playerHosts: "music.example,192.0.2.7" } });
  owner = await signIn(server, await server.addUser("ada", false));
  grace = await server.addUser("grace", false);
  member = await signIn(server, grace);
});
afterEach(() => server.close());

const connectVlc = (browser: SignedIn, url: string) =>
  browser.post(MUSIC, { do: "connect", source: "vlc", "option-url": url, "option-password": "" });
const settingsOfGrace = async () => server.accounts.connections.allOf(grace.user.id)[0]?.settings;

describe("the address of a player's web interface", () => {
  test("is any for the owner", async () => {
    expect((await connectVlc(owner, "http://127.0.0.1:8080")).status).toBe(303);
  });

  test.each(["http://MUSIC.example:8080/", "https://music.example/vlc", "192.0.2.7:8080"])(
    "is %s for a member, whom --player-hosts allows it",
    async (url) => {
      expect((await connectVlc(member, url)).status).toBe(303);
    },
  );

  test.each([
    "http://127.0.0.1:8080",
    "http://2130706433/",
    "http://music.example.evil.example",
    "http://music.example@evil.example",
    "http://[::ffff:192.0.2.7]",
    "",
  ])("is not %j for a member", async (url) => {
    const refused = await connectVlc(member, url);
    expect(refused.status).toBe(422);
    expect(await textOf(refused, "#option-url-vlc-mistake")).not.toBe("");
    expect(await settingsOfGrace()).toBe(undefined);
  });
});
