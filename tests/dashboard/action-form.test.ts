import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

describe("a form with a field for several texts", () => {
  let server: TestServer;
  let browser: SignedIn;
  beforeAll(async () => {
    server = await createTestServer();
    browser = await signIn(server, await server.addUser("ada"));
  });
  afterAll(() => server.close());

  async function answerTo(action: string, fields: readonly (readonly [string, string])[]) {
    const body = new URLSearchParams({ token: browser.formToken, do: action });
    for (const [name, text] of fields) body.append(name, text);
    const answer = await browser.get("/en/dashboard/settings/programs", {
      method: "POST",
      headers: { origin: "http://127.0.0.1:4747", accept: "application/json" },
      body,
    });
    return { status: answer.status, body: await answer.json() };
  }

  test.each([
    ["user add", "names"],
    ["connection order", "ids"],
    ["widget set", "assignments"],
  ])("is refused where nothing was entered: %s", async (action, field) => {
    for (const texts of [[""], ["", " "]]) {
      const fields = texts.map((text) => [field, text] as const);
      expect(await answerTo(action, [["id", "1"], ...fields])).toMatchObject({
        status: 422,
        body: { field },
      });
    }
  });

  test("leaves out those that are empty beside others", async () => {
    const fields = ["", "grace", " ", "linus"].map((name) => ["names", name] as const);
    expect(await answerTo("user add", fields)).toMatchObject({
      status: 200,
      body: [{ username: "grace" }, { username: "linus" }],
    });
  });
});
