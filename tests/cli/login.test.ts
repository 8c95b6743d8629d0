import { beforeEach, describe, expect, test } from "bun:test";
import { parseMagicLinkSecret } from "../../src/accounts/credential.ts";
import { connectPurpose, SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { withAccounts } from "../fixtures/data/accounts-of-folder.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

beforeEach(async () => {
  await marquee("user", "add", "ada", "grace");
});

const secretIn = (text: string) => {
  const secret = parseMagicLinkSecret(/\/sign-in\/(mql_\w+)$/m.exec(text)?.[1] ?? "");
  if (!secret) throw new Error(`there is no secret in ${text}`);
  return secret;
};

describe("marquee login USER", () => {
  test("prints a link to open, and how long it works", async () => {
    const { code, out, errors } = await marquee("login", "grace");
    expect(code).toBe(0);
    expect(out).toMatch(/^ +http:\/\/127\.0\.0\.1:4747\/sign-in\/mql_\w{38}$/m);
    expect(out).toContain("signed in as grace");
    expect(out).toContain("works once, within half an hour");
    expect(errors).toBe("");
  });

  test("prints one line of JSON with exactly the link", async () => {
    expect(await documentsOf("login", "grace")).toEqual([
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4747\/sign-in\/mql_\w{38}$/) },
    ]);
  });

  test("signs that user in, and links nothing", async () => {
    const secret = secretIn((await marquee("login", "grace")).out);
    await withAccounts(path("data"), async ({ magicLinks }) => {
      expect(magicLinks.use(secret, connectPurpose("spotify"))).toBe(undefined);
      expect(magicLinks.use(secret, SIGN_IN_PURPOSE)).toMatchObject({ name: "grace" });
    });
  });

  test("leads below the base URL that is set, else where the server was last reached", async () => {
    await withAccounts(path("data"), async (accounts) =>
      accounts.rememberBaseUrl("http://127.0.0.1:9999"),
    );
    expect((await marquee("login", "ada")).out).toContain("http://127.0.0.1:9999/sign-in/");
    environment["MARQUEE_BASE_URL"] = "https://example.org/music/";
    expect((await marquee("login", "ada")).out).toContain("https://example.org/music/sign-in/mql_");
  });
});
