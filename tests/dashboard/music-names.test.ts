import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
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

const stored = async () =>
  server.accounts.connections.allOf(ada.user.id).map(({ source, name }) => [source, name]);
const add = (name: string, source = "json") =>
  browser.post(MUSIC, {
    ...{ do: "connect", source, id: "new", name },
    ...(source === "mpd" && { "option-address": "127.0.0.2" }),
  });
const rename = ({ publicId }: { publicId: number }, name: string, by = browser) =>
  by.post(MUSIC, { do: "connection rename", id: String(publicId), name });

describe("one more connection to a source", () => {
  beforeEach(async () => {
    await server.accounts.connections.connect(ada.user, "json", null);
    await server.accounts.connections.connect(ada.user, "mpd", { address: "127.0.0.1" });
  });

  test("has a name, and leaves the first as it is", async () => {
    expect((await add(" Deck ")).status).toBe(303);
    expect((await add("Kitchen", "mpd")).status).toBe(303);
    expect(await stored()).toEqual([
      ["json", ""],
      ["mpd", ""],
      ["json", "Deck"],
      ["mpd", "Kitchen"],
    ]);
    const all = server.accounts.connections.allOf(ada.user.id);
    expect(all.map(({ settings }) => settings)).toEqual([
      null,
      { address: "127.0.0.1" },
      null,
      { address: "127.0.0.2", password: "" },
    ]);
  });

  test("is refused beside its field without a name, and with one that is taken", async () => {
    await add("Deck");
    for (const [name, mistake] of [
      ["", "1 to 60 visible characters"],
      [" ", "1 to 60 visible characters"],
      ["a\u200bb", "1 to 60 visible characters"],
      ["x".repeat(61), "1 to 60 visible characters"],
      ["Deck", "Another connection to the same player has this name. Choose a different one."],
    ] as const) {
      const refused = await add(name);
      expect(refused.status).toBe(422);
      expect(await textOf(refused.clone(), "#name-json-new-mistake")).toContain(mistake);
      expect(await attributeOf(refused, "#name-json-new", "value")).toBe(name.trim() || undefined);
    }
    expect(await stored()).toHaveLength(3);
  });

  test("can be to Spotify only when the first has a name", async () => {
    const first = await server.accounts.connections.connect(ada.user, "spotify", {});
    const spotify = `${MUSIC}?add=spotify`;
    expect(await (await browser.get(spotify)).text()).toContain("name the first one");
    await rename(first, "Mine");
    expect(await (await browser.get(spotify)).text()).not.toContain("name the first one");
  });
});

describe("renaming a connection", () => {
  test("changes its name alone, also to none", async () => {
    const connection = await server.accounts.connections.connect(ada.user, "json", null);
    const secret = await server.accounts.connections.secretOf(connection.id);
    await rename(connection, "Deck & <b>");
    expect(await stored()).toEqual([["json", "Deck & <b>"]]);
    const page = await browser.get(MUSIC);
    expect(await textOf(page.clone(), ".connected h2")).toBe("JSON · Deck & <b>");
    const field = `#name-${connection.publicId}`;
    expect(await attributeOf(page, field, "value")).toBe("Deck & <b>");
    expect(await server.accounts.connections.secretOf(connection.id)).toBe(secret);
    await rename(connection, " ");
    expect(await stored()).toEqual([["json", ""]]);
  });

  test("names the buttons that move it as it is written", async () => {
    const connection = await server.accounts.connections.connect(ada.user, "json", null);
    await server.accounts.connections.connect(ada.user, "mpd", { address: "127.0.0.1" });
    await rename(connection, "R&amp;B");
    const label = await attributeOf(await browser.get(MUSIC), ".move button", "aria-label");
    expect(label).toContain("JSON · R&amp;B");
  });

  test("is refused beside its field when the name is not valid or taken", async () => {
    const { connections } = server.accounts;
    await connections.connect(ada.user, "json", null, "Deck");
    const other = await connections.connect(ada.user, "json", null);
    for (const name of ["Deck", "a\u0000b"]) {
      const refused = await rename(other, name);
      expect(refused.status).toBe(422);
      const mistake = await textOf(refused, `#name-${other.publicId}-mistake`);
      expect(mistake).toContain("name");
    }
    expect(await stored()).toEqual([
      ["json", "Deck"],
      ["json", ""],
    ]);
    await connections.connect(ada.user, "mpd", { address: "127.0.0.1" });
    const mpd = connections.allOf(ada.user.id).at(-1)!;
    expect((await rename(mpd, "Deck")).status).toBe(303);
  });
});
