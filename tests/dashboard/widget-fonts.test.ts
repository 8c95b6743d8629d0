import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { anotherFont, fontOfSize, wideFont } from "../fixtures/fonts/fonts.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const ORIGIN = "http://127.0.0.1:4747";
const PAGE = "/en/dashboard/widget";
const UPLOAD = `${PAGE}/fonts`;
const { fonts: words } = languages.en.dashboard.widget.editor;
const { font: refused } = languages.en.refused;

let server: TestServer;
let port: RealPort;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer();
  port = openPort(server);
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(async () => {
  await port.end();
  server.close();
});

const form = (bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) => {
  const body = new FormData();
  const all = {
    token: browser.formToken,
    do: "add-font",
    fontName: "Wide",
    editorQuery: "id=1",
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) body.set(name, value);
  body.set("fontFile", new Blob([bytes]), "wide.woff2");
  return body;
};
/** Sends a form over the network, as a browser does. */
const send = (
  body: FormData,
  { path = UPLOAD, cookie = browser.cookie, origin = ORIGIN } = {},
): Promise<Response> =>
  fetch(port.origin + path, {
    method: "POST",
    headers: { origin, cookie, host: "127.0.0.1:4747" },
    body,
    redirect: "manual",
  });
/** What the page that a form leads to says. */
const told = async (answer: Response) => {
  const [notice = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  const page = await server.get(answer.headers.get("location") ?? "", {
    headers: { cookie: `${browser.cookie}; ${notice}` },
  });
  return textOf(page, ".notice p");
};
const fontsOf = ({ user }: AddedUser) => server.accounts.fonts.allOf(user);

describe("an upload", () => {
  test("makes a font that the page offers, and keeps the draft", async () => {
    const editorQuery = "id=1&draft=1&theme=bar";
    const answer = await send(form(wideFont(), { editorQuery }));
    expect(answer.headers.get("location")).toBe(`${PAGE}?${editorQuery}`);
    expect(await told(answer)).toBe(words.added);
    const page = await browser.get(`${PAGE}?id=1`);
    expect(await attributeOf(page.clone(), "datalist option", "value")).toBe("Wide");
    expect(await attributeOf(page.clone(), "#option-font", "list")).toBe("own-fonts");
  });

  test("of a whole megabyte goes through", async () => {
    expect(await told(await send(form(fontOfSize(LARGEST_FONT))))).toBe(words.added);
  });

  test.each([
    [refused.name, () => form(wideFont(), { fontName: 'x"}' })],
    [refused.notWoff2, () => form(new TextEncoder().encode("x".repeat(400)))],
    [refused.notWoff2, () => form(new Uint8Array())],
    [refused.tooLarge, () => form(fontOfSize(LARGEST_FONT + 1))],
  ])("that cannot be used is told so: %s", async (sentence, make) => {
    expect(await told(await send(make()))).toBe(sentence);
    expect(fontsOf(ada)).toEqual([]);
  });

  test("of what is there already is told so", async () => {
    await send(form(wideFont()));
    expect(await told(await send(form(wideFont(), { fontName: "B" })))).toBe(
      fill(refused.thereAlready, { name: "Wide" }),
    );
    expect(await told(await send(form(anotherFont())))).toBe(refused.taken);
    for (const name of "bcdefgh") await send(form(anotherFont(), { fontName: name }));
    expect(await told(await send(form(anotherFont(), { fontName: "i" })))).toBe(
      fill(refused.tooMany, { most: "8" }),
    );
    expect(fontsOf(ada)).toHaveLength(8);
  });

  test("needs a session, our origin and the form's token", async () => {
    const large = fontOfSize(LARGEST_FONT);
    expect((await send(form(large), { cookie: "" })).status).toBe(401);
    expect((await send(form(large), { origin: "https://elsewhere.example" })).status).toBe(403);
    expect((await send(form(large, { token: "" }))).status).toBe(403);
    expect(fontsOf(ada)).toEqual([]);
  });

  test("is the only form that may be larger than 64 KiB", async () => {
    const large = form(fontOfSize(100_000));
    for (const path of [PAGE, `${UPLOAD}/x`, "/en/dashboard/account", "/livez"]) {
      expect([path, (await send(large, { path })).status]).toEqual([path, 413]);
    }
    expect((await send(form(new Uint8Array(1_100_000)))).status).toBe(413);
    expect(fontsOf(ada)).toEqual([]);
  });
});

test("the form for fonts is the same with a slash at the end", async () => {
  const large = form(fontOfSize(100_000));
  expect((await send(large, { path: `${UPLOAD}/` })).status).toBe((await send(large)).status);
});

describe("a font", () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await server.accounts.fonts.add(ada.user, "Wide", wideFont()));
  });

  test("is served for good at its own address, and nothing is beside it", async () => {
    const answer = await server.get(`/fonts/${id}.woff2`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "font/woff2",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    expect(Buffer.from(await answer.bytes())).toEqual(Buffer.from(wideFont()));
    const head = await fetch(`${port.origin}/fonts/${id}.woff2`, { method: "HEAD" });
    expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
    for (const file of [id, `${id}.ttf`, "x.woff2", ".woff2", "..%2f.woff2"]) {
      expect([file, (await server.get(`/fonts/${file}`)).status]).toEqual([file, 404]);
    }
  });

  test("is known to its user's overlays before the widget's CSS, and to no others", async () => {
    await server.sourceOf(ada).says(null);
    const { widgets } = server.accounts;
    const look = { options: {}, css: ".np{color:lime}", size: null };
    await widgets.save(ada.user, 1, look, { basedOn: 1 });
    const page = await server.get(`/en/widget/${ada.widgetToken}`);
    expect(page.headers.get("content-security-policy")).toContain("font-src 127.0.0.1:4747/fonts/");
    expect(await textOf(page, "style.np-widget-styles")).toBe(
      `@font-face{font-family:"Wide";src:url("/fonts/${id}.woff2") format("woff2");font-weight:1 1000;font-display:swap}\n.np{color:lime}`,
    );
    const grace = await server.addUser("grace");
    await server.sourceOf(grace).says(null);
    const theirs = await server.get(`/en/widget/${grace.widgetToken}`);
    expect(await theirs.text()).not.toContain(id);
  });

  test("reaches and leaves open pages, but not drafts", async () => {
    await server.sourceOf(ada).says(null);
    const live = `${port.origin}/en/widget/${ada.widgetToken}/live`;
    const [overlay, draft] = [await openOverlay(live), await openOverlay(`${live}?draft=1`)];
    await overlay.next();
    await draft.next();
    const other = await server.accounts.fonts.add(ada.user, "Other", anotherFont());
    expect(await overlay.next()).toMatchObject({
      type: "look",
      css: expect.stringContaining(`/fonts/${other.id}.woff2`),
    });
    await browser.post(`${PAGE}?id=1`, { do: "remove-font", target: other.id });
    const look = await overlay.next();
    expect(JSON.stringify(look)).toContain(id);
    expect(JSON.stringify(look)).not.toContain(other.id);
    expect(draft.unread()).toBe(0);
  });

  test("is removed by its user only, and then gone from its address", async () => {
    const grace = await server.addUser("grace");
    const hers = await signIn(server, grace);
    await hers.post(`${PAGE}?id=2`, { do: "remove-font", target: id });
    expect((await server.get(`/fonts/${id}.woff2`)).status).toBe(200);
    const sent = await browser.post(`${PAGE}?id=1`, { do: "remove-font", target: id });
    expect(await told(sent)).toBe(words.removed);
    expect((await server.get(`/fonts/${id}.woff2`)).status).toBe(404);
  });

  test("is in its user's export by name", async () => {
    const file = await browser.get("/en/dashboard/account/export");
    const text = await file.text();
    expect(JSON.parse(text)).toMatchObject({ fonts: ["Wide"] });
    expect(text).not.toContain(id);
  });
});
