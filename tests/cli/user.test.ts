import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { parseApiKey, parseWidgetToken } from "../../src/accounts/credential.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, path } = useCommandLine();

const names = async () => (await documentsOf("user", "list")).map(({ username }) => username);

describe("marquee user add", () => {
  test("prints a line of JSON a user, with exactly the credentials", async () => {
    const documents = await documentsOf("user", "add", "ada", "grace");
    expect(documents).toHaveLength(2);
    for (const [index, document] of documents.entries()) {
      const { username, api_key, widget_token, widget_url, ...others } = document;
      expect(others).toEqual({});
      expect(username).toBe(["ada", "grace"][index]);
      expect(parseApiKey(String(api_key))).toBeDefined();
      expect(parseWidgetToken(String(widget_token))).toBeDefined();
      expect(widget_url).toBe(`http://127.0.0.1:4747/en/widget/${widget_token}`);
    }
  });

  test("prints the key and the widget's address for people too", async () => {
    const { code, out, errors } = await marquee("user", "add", "ada");
    expect(code).toBe(0);
    expect(out).toMatch(/\bmq_\w{38}\b/);
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:4747\/en\/widget\/mqw_\w{38}$/m);
    expect(errors).toBe("");
  });

  test("creates the data folder with database and key", async () => {
    await marquee("user", "add", "ada");
    expect(existsSync(path("data", "marquee.db"))).toBe(true);
    expect(existsSync(path("data", "secret.key"))).toBe(true);
  });

  test("connects them to a source that needs no settings", async () => {
    await marquee("user", "add", "ada", "grace", "--source", "demo");
    const users = await documentsOf("user", "list");
    expect(users.map(({ source }) => source)).toEqual(["demo", "demo"]);
  });

  test("refuses a source that is none and adds nobody", async () => {
    const { code, errors, out } = await marquee("user", "add", "ada", "--source", "gramophone");
    expect(code).toBe(2);
    expect(errors).toContain("gramophone");
    expect(out).toBe("");
    expect(await names()).toEqual([]);
  });

  test.each([
    ["Bad!", 2],
    ["ada", 1],
  ])("adds nobody where one of the names is %s, and exits with %d", async (name, exitCode) => {
    await marquee("user", "add", "ada");
    const { code, out, errors } = await marquee("user", "add", "grace", name, "--json");
    expect([code, out]).toEqual([exitCode, ""]);
    expect(errors).toContain(name);
    expect(await names()).toEqual(["ada"]);
  });
});

describe("marquee user list", () => {
  test("shows each user, with role and source", async () => {
    await marquee("user", "add", "ada", "--source", "demo");
    await marquee("user", "add", "grace");
    expect(await documentsOf("user", "list")).toMatchObject([
      { username: "ada", role: "owner", source: "demo" },
      { username: "grace", role: "member", source: null },
    ]);
    const { out } = await marquee("user", "list");
    expect(out).toMatch(/^ada +owner +demo +not used yet$/m);
    expect(out).toMatch(/^grace +member/m);
  });

  test("prints no JSON when there is nobody", async () => {
    await marquee("user", "add", "ada");
    await marquee("user", "remove", "ada");
    expect(await documentsOf("user", "list")).toEqual([]);
  });

  test("shows no key and no token", async () => {
    await marquee("user", "add", "ada");
    const lists = [await marquee("user", "list"), await marquee("user", "list", "--json")];
    for (const { out } of lists) expect(out).not.toMatch(/mqw?_/);
  });
});

describe("marquee user covers", () => {
  test.each(["on", "off"])("stores the choice: %s", async (choice) => {
    await marquee("user", "add", "ada");
    expect(await documentsOf("user", "covers", "ada", choice)).toEqual([
      { username: "ada", covers: choice },
    ]);
    const { code, out } = await marquee("user", "covers", "ada", choice);
    expect(code).toBe(0);
    expect(out).toContain(choice === "on" ? "--cover-search" : "No covers are looked for.");
  });

  test("fails for a name that is not there, and for another choice", async () => {
    await marquee("user", "add", "ada");
    expect((await marquee("user", "covers", "nobody", "on")).code).toBe(1);
    const { code, errors } = await marquee("user", "covers", "ada", "perhaps");
    expect(code).toBe(2);
    expect(errors).toContain("<on|off> must be on or off");
  });
});

test("a browser that nobody has signed in with is not signed out", async () => {
  await marquee("user", "add", "ada");
  const { code, errors } = await marquee("session", "end", "ada", "abcdefgh");
  const said = "marquee: There is no such browser, or it was signed out already.";
  expect([code, errors]).toEqual([1, said]);
});
