import { afterAll, beforeAll, describe, expect, type Mock, spyOn, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { describedSources } from "../../src/sources/index.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { formsIn, type PageForm } from "../fixtures/http/forms.ts";
import { textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const SENT_BY_PAGE = ["token", "do", "target", "id", "user"];
/** What a browser sends with line breaks. */
const SEVERAL_LINES = /^(titles|artists|look|brackets|dash|anywhere)$/;
/** What the other fields of a form hold, so that the form is refused for one field alone. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/url$/, "https://example.org/songs"],
  [/address$/, "127.0.0.1:6600"],
  [/entity$/, "media_player.kitchen"],
  [/token$/, "abcdef"],
  [/client[-_]id$/, "0123456789abcdef0123456789abcd"],
  [/^names$/, "ada"],
  [/(name|Name|user|station|mount|player|password|words)$/, "usual"],
];
/** Actions that end what other forms are about. */
const ENDS_SOMETHING = /remove|rotate|stop|disconnect/;
const LONG = "Q".repeat(60_000);

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;
/** Everything that was sealed to be stored. */
const sealed: string[] = [];
let seal: Mock<Vault["seal"]>;
beforeAll(async () => {
  server = await createTestServer({ realSources: true });
  seal = spyOn(server.vault, "seal");
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
  await server.accounts.widgets.add(ada.user, { name: "Line", kind: "text" });
  await server.accounts.widgets.add(ada.user, { name: "Card", kind: "card" });
});
afterAll(() => {
  server.close();
});

/** All texts that the database holds, what was sealed included. */
function storedTexts(): string[] {
  for (const [purpose, , text] of seal.mock.calls.splice(0)) {
    if (purpose !== "notice") sealed.push(text);
  }
  const { queries } = server.store;
  const tables = queries.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  const rows = tables.flatMap(({ name }) => queries.all<object>(`SELECT * FROM "${name}"`));
  return [...rows.flatMap((row) => Object.values(row).map(String)), ...sealed];
}

/** The form with this text in one field, and usual ones where it holds nothing. */
function filled({ fields, buttons }: PageForm, spoilt: string, text: string) {
  const [button] = buttons;
  const usual = Object.entries(fields).map(([name, value]) => [
    name,
    value === "" ? (USUAL.find(([pattern]) => pattern.test(name))?.[1] ?? value) : value,
  ]);
  return Object.fromEntries([
    ...usual,
    ...(button && button[0] !== "" ? [button] : []),
    [spoilt, text],
  ]) as Record<string, string>;
}

describe("a form of the dashboard", () => {
  const overlay = async () => (await server.accounts.widgets.first(ada.user)).id;
  const pages = [
    ...SECTION_NAMES.map((name): [string, () => Promise<string>] => [
      name,
      async () => `/en/${sectionPath(name)}`,
    ]),
    ...describedSources()
      .all.filter(({ options }) => Object.keys(options).length > 0)
      .map(({ id }): [string, () => Promise<string>] => [
        `adding ${id}`,
        async () => `/en/dashboard/music?add=other&choose=${id}`,
      ]),
    ...(["overlay", "text", "card"] as const).map((kind): [string, () => Promise<string>] => [
      `the editor of a ${kind}`,
      async () => {
        const widgets = server.accounts.widgets.allOf(ada.user);
        return `/en/dashboard/widget?id=${widgets.find((widget) => widget.kind === kind)?.id}`;
      },
    ]),
  ];
  let tried = 0;
  let pagesTried = 0;

  test.each(pages)(
    "is stored with no text that is too long or has control characters: %s",
    async (_, pathOf) => {
      const path = await pathOf();
      for (const form of await formsIn(await browser.get(path))) {
        if (form.method !== "post" || ENDS_SOMETHING.test(form.fields["do"] ?? "")) continue;
        for (const name of Object.keys(form.fields)) {
          if (SENT_BY_PAGE.includes(name)) continue;
          const lines = SEVERAL_LINES.test(name) ? [] : ["Q\nQ"];
          for (const text of [LONG, "Q\u0007Q", "Q\u009bQ", ...lines]) {
            const answer = await browser.post(form.action || path, filled(form, name, text));
            const stored = storedTexts().filter((one) => /Q[\u0007\u009b\n]Q|Q{2049}/.test(one));
            const what = `${form.fields["do"]} ${name} ${JSON.stringify(text.slice(0, 9))}`;
            const seen = [what, answer.status < 500, stored.map((one) => one.slice(0, 80))];
            expect(seen).toEqual([what, true, []]);
            tried += 1;
          }
        }
      }
      pagesTried += 1;
    },
  );

  // Whichever order they ran in; where only some did, there is nothing to count.
  afterAll(() => {
    // As many fields as there were when this was written.
    if (pagesTried !== pages.length) return;
    expect(tried).toBeGreaterThan(300);
    expect(sealed.length).toBeGreaterThan(0);
  });

  test("keeps what was typed into a field of several lines, and says what is wrong", async () => {
    const rules = { do: "privacy rules", titles: "one\nt\u0007wo", artists: "" };
    const answer = await browser.post("/en/dashboard/settings/privacy", rules);
    expect(answer.status).toBe(422);
    expect(await textOf(answer.clone(), ".mistake")).toStartWith("Type this again: it has");
    expect(await answer.text()).toContain("one\nt");
  });

  test("takes no CSS with control characters out of a shared look either", async () => {
    const look = JSON.stringify({ marquee: 1, name: "Look", options: {}, css: "a{}/*Q\u0007Q*/" });
    const answer = await browser.post("/en/dashboard/widget", { do: "make", look, name: "Made" });
    expect(answer.status).toBeLessThan(500);
    expect(storedTexts().filter((text) => text.includes("Q\u0007Q"))).toEqual([]);
  });

  test("says which field was refused, and why", async () => {
    const fields = { do: "save", id: String(await overlay()), basedOn: "1", idleText: LONG };
    const answer = await browser.submit("/en/dashboard/widget", fields);
    expect(await textOf(answer, ".notice p")).toBe(
      "The field “idleText” was refused. Shorten this: it may have at most 2048 characters.",
    );
  });
});
