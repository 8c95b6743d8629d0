import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LARGEST_PICTURE } from "../../src/artwork/uploaded-picture.ts";
import type { StateMessage } from "../../widget/state.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { attributeOf } from "../fixtures/http/html.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { uploadFile } from "../fixtures/http/upload.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const PAGE = "/en/dashboard/widget";
const UPLOAD = `${PAGE}/cover`;

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

const upload = (bytes: Uint8Array) =>
  uploadFile(port, browser, bytes, { do: "cover set" }, { path: UPLOAD });
const remove = (by: SignedIn) =>
  by.post(PAGE, { do: "cover remove" }, { headers: { accept: "application/json" } });
const idOf = ({ user }: AddedUser) => server.accounts.standInCovers.idOf(user.id);
const picture = () => patternPicture("png", 300);
const ofLength = async (length: number) => {
  const file = new Uint8Array(length);
  file.set(await picture());
  return file;
};
const plays = (changes = {}) =>
  server.sourceOf(ada).says(aPlayback({ observedAtMs: server.clock.monotonicMs(), ...changes }));
const artOf = async (query = "") =>
  attributeOf(await server.get(`/en/widget/${ada.widgetToken}${query}`), ".np-art-img", "src");

describe("an upload", () => {
  test("of a whole megabyte becomes the user's picture", async () => {
    const answer = await upload(await ofLength(LARGEST_PICTURE));
    expect([answer.status, await answer.json()]).toEqual([200, { id: idOf(ada) }]);
  });

  test.each([
    ["cover.noPicture", async () => new TextEncoder().encode("no picture")],
    ["cover.tooLarge", () => ofLength(LARGEST_PICTURE + 1)],
    ["cover.tooLarge", () => ofLength(LARGEST_PICTURE + 5_000)],
  ])("that cannot be used is refused: %s", async (reason, make) => {
    const answer = await upload(await make());
    expect([answer.status, await answer.json()]).toMatchObject([422, { reason }]);
    expect(idOf(ada)).toBe(undefined);
  });

  test("is not read beyond what a request may be", async () => {
    expect((await upload(new Uint8Array(1_100_000))).status).toBe(413);
    expect(idOf(ada)).toBe(undefined);
  });
});

describe("a picture", () => {
  let address: string;
  beforeEach(async () => {
    await upload(await picture());
    address = `/covers/${idOf(ada)}.webp`;
  });

  test("is served for good at its own address, and nothing is beside it", async () => {
    const answer = await server.get(address);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    for (const file of ["x.webp", ".webp", `${idOf(ada)}.png`, "..%2f.webp"]) {
      expect([file, (await server.get(`/covers/${file}`)).status]).toEqual([file, 404]);
    }
  });

  test("is the cover of a track that has none, on its user's overlays alone", async () => {
    await plays();
    expect(await artOf()).toBe(address);
    expect(await artOf("?demo=coverless")).toBe(address);
    expect(await artOf("?art=0")).not.toBe(address);
    const grace = await server.addUser("grace");
    await server.sourceOf(grace).says(aPlayback());
    const theirs = await server.get(`/en/widget/${grace.widgetToken}`);
    expect(await theirs.text()).not.toContain("/covers/");
    expect(await (await server.get("/en/demo?demo=coverless")).text()).not.toContain(address);
  });

  test("does not stand in for a cover that is there", async () => {
    const bytes = await patternPicture("png", 64);
    const artworks = [{ key: "red", load: async () => bytes }];
    await plays({ album: { name: "Slow Weather", artworks } });
    expect(await artOf()).toMatch(/^\/art\//);
  });

  test("reaches and leaves open pages, and is then gone from its address", async () => {
    await plays();
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    const nextTrack = async () => {
      const { state } = (await overlay.next()) as StateMessage;
      return "track" in state ? state.track : undefined;
    };
    expect(await nextTrack()).toMatchObject({ art: address, accent: null });
    await upload(await patternPicture("jpeg", 200));
    const other = `/covers/${idOf(ada)}.webp`;
    expect(other).not.toBe(address);
    expect(await nextTrack()).toMatchObject({ art: other });
    expect((await server.get(address)).status).toBe(404);
    await remove(browser);
    expect(await nextTrack()).toMatchObject({ art: null });
    expect((await server.get(other)).status).toBe(404);
    expect(await (await remove(browser)).json()).toMatchObject({ reason: "cover.none" });
  });

  test("leaves by no API, card or export", async () => {
    await plays();
    const card = await addWidget(server, ada, "card");
    const said = await Promise.all(
      [
        server.get("/api/v1/now-playing", { headers: { "x-api-key": ada.key } }),
        server.get(`/en/card/${card.token}.svg`),
        browser.get("/en/dashboard/account/export"),
      ].map(async (answer) => {
        const response = await answer;
        expect(response.status).toBe(200);
        return response.text();
      }),
    );
    for (const text of said) {
      expect(text).not.toContain(String(idOf(ada)));
      expect(text).not.toMatch(/data:image|\/covers\//);
    }
    expect(said[2]).toContain('"has_stand_in_cover": true');
  });
});
