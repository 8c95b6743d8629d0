import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { withAccounts } from "../fixtures/data/accounts-of-folder.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const { marquee, documentsOf, path } = useCommandLine();

/** A port of the machine itself that nobody listens on. */
const NOBODY = "127.0.0.1:1";
const PASSWORD = "swordfish";

beforeEach(async () => {
  await marquee("user", "add", "ada");
});

const source = async () => (await documentsOf("user", "list"))[0]?.["source"];

/** The settings that ada's connection was stored with. */
const storedSettings = () =>
  withAccounts(path("data"), async ({ connections, users }) => {
    const connection = await onlyConnection(connections, users.named("ada").id);
    return connection?.settings;
  });

describe("marquee connect", () => {
  test("connects a user to the demo without a word of trouble", async () => {
    const { code, out, errors } = await marquee("connect", "ada", "demo");
    expect(code).toBe(0);
    expect(out).toBe("Demo was added.");
    expect(errors).toBe("");
    expect(await source()).toBe("demo");
  });

  test("connects to a player that does not answer, and notes that", async () => {
    const ran = await marquee("connect", "ada", "mpd", "--address", NOBODY, "--json");
    expect(ran.code).toBe(0);
    expect(ran.documents()).toEqual([{ id: expect.any(Number), source: "mpd", name: "" }]);
    expect(ran.errors).toContain(NOBODY);
    expect(await source()).toBe("mpd");
  });

  test("names the setting of a key that a service needs and Marquee does not have", async () => {
    const { code, errors } = await marquee("connect", "ada", "lastfm", "--user", "ada");
    expect([code, errors]).toEqual([0, expect.stringContaining("start it with --lastfm-api-key")]);
  });

  test("stores the options, and never prints the password", async () => {
    const options = ["--address", NOBODY, "--password", PASSWORD];
    const { code, out, errors } = await marquee("connect", "ada", "mpd", ...options);
    expect(code).toBe(0);
    expect(out + errors).not.toContain(PASSWORD);
    expect(await storedSettings()).toEqual({ address: NOBODY, password: PASSWORD });
  });

  test("changes a connection, whose password is forgotten when that is asked for", async () => {
    const connect = (password: string) =>
      marquee("connect", "ada", "mpd", "--address", NOBODY, "--password", password);
    await connect(PASSWORD);
    expect((await connect("")).out).toContain("were saved");
    expect(await storedSettings()).toMatchObject({ password: "" });
  });

  test("takes a relative path from where it was called, and no path for none", async () => {
    await marquee("connect", "ada", "file", "--path", "songs/now.txt");
    expect(await storedSettings()).toMatchObject({ path: resolve("songs/now.txt") });
    expect((await marquee("connect", "ada", "file", "--path", " ")).code).toBe(2);
  });

  test("takes the password from a file", async () => {
    writeFileSync(path("password"), `${PASSWORD}\n`);
    const options = ["--address", NOBODY, "--password-file", path("password")];
    expect((await marquee("connect", "ada", "mpd", ...options)).code).toBe(0);
    expect(await storedSettings()).toEqual({ address: NOBODY, password: PASSWORD });
  });

  test.each([
    { why: "a misspelt option", words: ["ada", "mpd", "--pasword", PASSWORD] },
    { why: "a misspelt option with =", words: ["ada", "mpd", `--pasword=${PASSWORD}`] },
    { why: "an apostrophe before it", words: ["ada", "mpd", `--pasword=it's${PASSWORD}`] },
    { why: "a word too many", words: ["ada", "mpd", "--password", "my", PASSWORD] },
    { why: "a line break in it", words: ["ada", "mpd", "--password", `${PASSWORD}\nx`] },
    {
      why: "a wrong address beside it",
      words: ["ada", "mpd", "--address=:", `--password=${PASSWORD}`],
    },
    { why: "a source that takes none", words: ["ada", "demo", "--password", PASSWORD] },
  ])("is called wrongly with $why, and does not show the password", async ({ words }) => {
    const { code, out, errors } = await marquee("connect", ...words);
    expect(code).toBe(2);
    expect(errors).not.toBe("");
    expect(out + errors).not.toContain(PASSWORD);
    expect(await source()).toBe(null);
  });

  test("names the option that is refused, and what it must be", async () => {
    const refused = async (password: string) => {
      const { code, errors } = await marquee("connect", "ada", "vlc", "--password", password);
      expect(code).toBe(2);
      return errors;
    };
    expect(await refused("Q".repeat(301))).toContain(
      "--password was refused. Shorten this: it may have at most 300 characters.",
    );
    expect(await refused("Q\u0007Q")).toContain(
      "--password was refused. Type this again: it has line breaks",
    );
  });

  test("says which options there are when one is wrong", async () => {
    const { code, errors } = await marquee("connect", "ada", "mpd", "--adress", NOBODY);
    expect(code).toBe(2);
    expect(errors).toContain("unknown option '--adress' (Did you mean --address?)");
    const other = await marquee("connect", "ada", "mpd", "--url", "http://127.0.0.1");
    expect(other.code).toBe(2);
    expect(other.errors).toContain("MPD has no option “url”. It has: address, password");
  });

  test("refuses a wrong address and says what is allowed", async () => {
    const { code, errors } = await marquee("connect", "ada", "mpd", "--address", "host:99999");
    expect(code).toBe(2);
    expect(errors).toContain("host:port");
    expect(await source()).toBe(null);
  });

  test("says which sources there are when one is wrong", async () => {
    const { code, errors } = await marquee("connect", "ada", "gramophone");
    expect(code).toBe(2);
    expect(errors).toMatch(/gramophone.*spotify, mpd, .*demo/);
  });

  test("lists the sources with their options in its help", async () => {
    const { code, out } = await marquee("connect", "--help");
    expect(code).toBe(0);
    for (const word of ["demo", "mpd", "--address", "--password"]) expect(out).toContain(word);
  });
});

describe("marquee disconnect", () => {
  test("is done, and says so, when there was nothing", async () => {
    const { code, out } = await marquee("disconnect", "ada");
    expect(code).toBe(0);
    expect(out).toBe("Nothing was connected.");
  });
});
