import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { type UploadChanges, uploadFile } from "../fixtures/http/upload.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { anotherFont, fontOfSize, wideFont } from "../fixtures/fonts/fonts.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PAGE = "/en/dashboard/widget";
const UPLOAD = `${PAGE}/fonts`;

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

const upload = (
  bytes: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
  changes: UploadChanges = {},
) =>
  uploadFile(
    port,
    browser,
    bytes,
    { do: "font add", name: "Wide", ...fields },
    { path: UPLOAD, ...changes },
  );
const fontsOf = ({ user }: AddedUser) => server.accounts.fonts.allOf(user);
const remove = (by: SignedIn, id: string) =>
  by.post(PAGE, { do: "font remove", id }, { headers: { accept: "application/json" } });

describe("an upload", () => {
  test("of a whole megabyte makes a font", async () => {
    const answer = await upload(fontOfSize(LARGEST_FONT));
    const [font] = fontsOf(ada);
    expect([answer.status, await answer.json()]).toEqual([200, font]);
    expect(font).toMatchObject({ name: "Wide" });
  });

  test.each([
    ["font.name", { name: 'x"}' }, () => wideFont()],
    ["font.notWoff2", {}, () => new TextEncoder().encode("x".repeat(400))],
    ["font.tooLarge", {}, () => fontOfSize(LARGEST_FONT + 1)],
    ["font.tooLarge", {}, () => fontOfSize(LARGEST_FONT + 5_000)],
  ])("that cannot be used is refused: %s", async (reason, fields, make) => {
    const answer = await upload(make(), fields);
    expect([answer.status, await answer.json()]).toMatchObject([422, { reason }]);
    expect(fontsOf(ada)).toEqual([]);
  });

  test("needs a session, our origin and the form's token", async () => {
    const large = fontOfSize(LARGEST_FONT);
    expect((await upload(large, {}, { cookie: "" })).status).toBe(401);
    expect((await upload(large, {}, { origin: "https://elsewhere.example" })).status).toBe(403);
    expect((await upload(large, { token: "" })).status).toBe(403);
    expect(fontsOf(ada)).toEqual([]);
  });

  test("is the only form that may be larger than 64 KiB", async () => {
    const large = fontOfSize(100_000);
    for (const path of [PAGE, `${UPLOAD}/x`, "/en/dashboard/settings/account", "/livez"]) {
      expect([path, (await upload(large, {}, { path })).status]).toEqual([path, 413]);
    }
    expect((await upload(new Uint8Array(1_100_000))).status).toBe(413);
    expect(fontsOf(ada)).toEqual([]);
  });

  test("is the same with a slash at the end of its address", async () => {
    const answer = await upload(fontOfSize(100_000), {}, { path: `${UPLOAD}/` });
    expect(answer.status).toBe(200);
  });
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

  test("reaches and leaves open pages", async () => {
    await server.sourceOf(ada).says(null);
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    await overlay.next();
    const other = await server.accounts.fonts.add(ada.user, "Other", anotherFont());
    expect(await overlay.next()).toMatchObject({
      type: "look",
      css: expect.stringContaining(`/fonts/${other.id}.woff2`),
    });
    await remove(browser, other.id);
    const look = await overlay.next();
    expect(JSON.stringify(look)).toContain(id);
    expect(JSON.stringify(look)).not.toContain(other.id);
  });

  test("is removed by its user only, and then gone from its address", async () => {
    const grace = await server.addUser("grace");
    const hers = await signIn(server, grace);
    const refused = await remove(hers, id);
    expect(await refused.json()).toMatchObject({ reason: "font.unknown" });
    expect((await server.get(`/fonts/${id}.woff2`)).status).toBe(200);
    expect(await (await remove(browser, id)).json()).toEqual({ id, name: "Wide" });
    expect((await server.get(`/fonts/${id}.woff2`)).status).toBe(404);
  });

  test("is in its user's export by name", async () => {
    const file = await browser.get("/en/dashboard/account/export");
    const text = await file.text();
    expect(JSON.parse(text)).toMatchObject({ fonts: ["Wide"] });
    expect(text).not.toContain(id);
  });
});
