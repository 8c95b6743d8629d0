import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { Artwork } from "../../src/playback.ts";
import { blackPicture, noisePicture, patternPicture, pngOf } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createVault } from "../../src/vault/vault.ts";
import { createTestServer, TEST_KEY, type TestServer } from "../fixtures/servers/test-server.ts";

const { opaqueName } = createVault(TEST_KEY);
let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

/** Lets the source name a cover, as a look at the API makes it known; answers its name. */
async function named(load: Artwork["load"], key = "cover"): Promise<string> {
  const album = { name: "A", artworks: [{ key, load }] };
  await server.sourceOf(ada).says(aPlayback({ album }));
  await server.getAs(ada, "/api/v1/now-playing");
  // The API names none that has failed by now.
  return opaqueName(key);
}
const picture = (id: string, rendition: string) => server.get(`/art/${id}/${rendition}`);
const sizeOf = async (response: Response) =>
  new Bun.Image(new Uint8Array(await response.arrayBuffer())).metadata();

describe("a cover that a source has named", () => {
  test.each([
    ["256.webp", "image/webp", "webp", 256],
    ["512.webp", "image/webp", "webp", 512],
    ["640.jpg", "image/jpeg", "jpeg", 640],
  ] as const)("is served as %s", async (rendition, type, format, sidePx) => {
    const id = await named(() => patternPicture("png", 1_000));
    const response = await picture(id, rendition);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await sizeOf(response)).toMatchObject({ format, width: sidePx, height: sidePx });
  });

  test("may be kept for ever, shown anywhere, and taken for nothing else", async () => {
    const { headers } = await picture(await named(() => patternPicture("png", 8)), "256.webp");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("is whole and uncropped", async () => {
    const wide = await new Bun.Image(await patternPicture("png", 800))
      .resize(800, 400, { fit: "fill" })
      .png()
      .bytes();
    const size = await sizeOf(await picture(await named(async () => wide), "256.webp"));
    expect(size).toMatchObject({ width: 256, height: 128 });
  });

  test("is not enlarged", async () => {
    const size = await sizeOf(
      await picture(await named(() => patternPicture("jpeg", 50)), "640.jpg"),
    );
    expect(size).toMatchObject({ width: 50, height: 50 });
  });

  test.each(["256.webp", "512.webp"])(
    "is at most 60 KB as %s, even if it is noise",
    async (rendition) => {
      const id = await named(async () => noisePicture(512));
      const bytes = await (await picture(id, rendition)).arrayBuffer();
      expect(bytes.byteLength).toBeLessThanOrEqual(60 * 1024);
    },
  );

  test("carries nothing of the file that is not picture", async () => {
    const file = Buffer.concat([
      await patternPicture("png", 64),
      Buffer.from("<script>alert('planted')</script>"),
    ]);
    const id = await named(async () => file);
    for (const rendition of ["256.webp", "512.webp", "640.jpg"]) {
      expect(await (await picture(id, rendition)).text()).not.toContain("planted");
    }
  });

  test("is loaded once, however many ask at once", async () => {
    let loads = 0;
    const id = await named(() => {
      loads += 1;
      return patternPicture("png", 64);
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => picture(id, "256.webp")));
    for (const answer of answers) expect(answer.status).toBe(200);
    expect(loads).toBe(1);
  });

  test("keeps its address while the music changes", async () => {
    const id = await named(() => patternPicture("png", 8), "first");
    expect(await named(() => patternPicture("png", 8), "second")).not.toBe(id);
    expect((await picture(id, "256.webp")).status).toBe(200);
    expect(await named(() => patternPicture("png", 8), "first")).toBe(id);
  });

  test("has an address that shows nothing of where it is from", async () => {
    const id = await named(() => patternPicture("png", 8), "mpd:127.0.0.1:/home/ada/secret.flac");
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(Buffer.from(id, "base64url").toString("latin1")).not.toContain("ada");
  });
});

describe("404 answers", () => {
  test("an unknown name", async () => {
    await named(() => patternPicture("png", 8));
    expect((await picture("q0jT3yUuJ9m1cWm8k2v0nA", "256.webp")).status).toBe(404);
  });

  test("a picture that no source has named, although its name is right", async () => {
    const id = server.vault.opaqueName("cover");
    expect((await picture(id, "256.webp")).status).toBe(404);
    expect(await named(() => patternPicture("png", 8), "cover")).toBe(id);
    expect((await picture(id, "256.webp")).status).toBe(200);
  });

  test.each([
    "256.png",
    "257.webp",
    "1000000.webp",
    "256",
    "constructor",
    "__proto__",
    "..%2f256.webp",
  ])("a form that there is not: %s", async (rendition) => {
    const id = await named(() => patternPicture("png", 8));
    expect((await picture(id, rendition)).status).toBe(404);
  });

  test.each(["https:%2f%2fevil.example%2fx.png", "..%2f..%2fsecret.key", "%00", "__proto__"])(
    "a name that is an address or a path: %s",
    async (id) => expect((await picture(id, "256.webp")).status).toBe(404),
  );
});

describe("a file that is no picture we can show", () => {
  const expectNoPicture = async (load: Artwork["load"], key?: string) => {
    const id = await named(load, key);
    for (const rendition of ["256.webp", "640.jpg"]) {
      expect((await picture(id, rendition)).status).toBe(404);
    }
    // Everything else goes on.
    expect((await server.getAs(ada, "/api/v1/now-playing")).status).toBe(200);
  };

  test.each([
    ["nothing", async () => new Uint8Array()],
    ["zeros", async () => new Uint8Array(10_000)],
    ["text", async () => Buffer.from("not a picture")],
    ["a page", async () => Buffer.from("<!doctype html><script>alert(1)</script>")],
    [
      "a drawing with a script",
      async () =>
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    ],
    ["a picture's first half", async () => (await patternPicture("png", 64)).slice(0, 60)],
    ["a picture of 60,000 by 60,000", async () => pngOf(60_000, 60_000)],
    ["a picture of 2³¹ by 1", async () => pngOf(2 ** 31 - 1, 1)],
    ["a picture of no size", async () => pngOf(0, 0)],
    ["an animation's beginning", async () => Buffer.from("GIF89a\xff\xff\xff\xff", "latin1")],
  ])("is answered 404: %s", async (_, load) => {
    await expectNoPicture(load);
  });

  test("is a small file of a huge picture, while one of a large picture is shown", async () => {
    expect(blackPicture(7_000, 7_000).length).toBeLessThan(10_000);
    await expectNoPicture(async () => blackPicture(7_000, 7_000));
    const id = await named(async () => blackPicture(2_000, 2_000), "large");
    expect((await picture(id, "256.webp")).status).toBe(200);
  });

  test("is answered 404 when it cannot be loaded", async () => {
    await expectNoPicture(() => Promise.reject(new Error("the file is gone")));
    await expectNoPicture(() => {
      throw new Error("the file is gone");
    }, "another");
    expect(server.logged.some((line) => line.includes("the file is gone"))).toBe(true);
  });

  test("is tried again when it is asked for again", async () => {
    let isThere = false;
    const id = await named(async () => (isThere ? patternPicture("png", 8) : new Uint8Array()));
    expect((await picture(id, "256.webp")).status).toBe(404);
    isThere = true;
    expect((await picture(id, "256.webp")).status).toBe(200);
  });

  test("never ends in anything but a picture or 404, whatever its bytes", async () => {
    const real = await patternPicture("png", 32);
    const broken = fc
      .record({ at: fc.nat({ max: real.length - 1 }), byte: fc.nat({ max: 255 }) })
      .map(({ at, byte }) => real.with(at, byte));
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), broken), async (bytes) => {
        files += 1;
        const id = await named(async () => bytes, `file ${files}`);
        const response = await picture(id, "256.webp");
        expect([200, 404]).toContain(response.status);
        if (response.status === 200) expect((await sizeOf(response)).format).toBe("webp");
      }),
      { numRuns: 60 },
    );
  });
});
