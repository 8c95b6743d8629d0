import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { textOf } from "../fixtures/http/html.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let ada: AddedUser;
beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
});
afterEach(() => server.close());

test("the first steps show the address of an overlay, not of a widget of another kind", async () => {
  const { widgets } = server.accounts;
  const browser = await signIn(server, ada);
  const main = await widgets.first(ada.user);
  await widgets.add(ada.user, { name: "Text", kind: "text" });
  const page = async () => (await browser.get("/en/dashboard")).text();
  expect(await page()).toContain(`/en/widget/${ada.widgetToken}`);
  await widgets.remove(ada.user, main.id);
  expect(await page()).toContain('class="first-steps"');
  expect(await page()).not.toContain("mqw_");
});

test("the first steps are shown until their user ends them", async () => {
  const browser = await signIn(server, ada);
  const shown = await browser.submit("/en/dashboard", { do: "user welcome" });
  expect(await textOf(shown.clone(), ".notice p")).toBe(languages.en.dashboard.firstSteps.over);
  expect(await shown.text()).not.toContain('class="first-steps"');
});
