import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CoverNamer, createCovers } from "../../src/upstream/covers.ts";
import type { Fetch, Network } from "../../src/upstream/index.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { networkOf, NO_NETWORK } from "../fixtures/http/network.ts";

const LISTED = "nas.lan";
const NAMER: CoverNamer = { origin: "json 1" };
const HOME = "http://10.0.0.5:8123";
const AT_HOME: CoverNamer & { server: { url: string; headers: Record<string, string> } } = {
  origin: "homeassistant 1",
  server: { url: HOME, headers: { Authorization: "Bearer t" } },
};

const coversOn = (network: Network = NO_NETWORK) =>
  createCovers({ clock: createFakeClock(), playerHosts: [LISTED, "::1"], network });
const covers = coversOn();

const PICTURE = Buffer.from("not really a picture >>>???").toString("base64");

describe("a cover may be loaded", () => {
  test.each([
    "https://covers.example/1.png",
    "//covers.example/1.png",
    `http://${LISTED}:8096/1.png`,
    `https://${LISTED}/1.png`,
    "http://[::1]/1.png",
    `data:image/png;base64,${PICTURE}`,
    `data:image/png;charset=utf-8;base64,${PICTURE}`,
    `data:image/jpeg;name="a b.jpg";charset=utf-8;base64,${PICTURE}`,
    `DATA:IMAGE/PNG;BASE64,${PICTURE}`,
    `data:image/avif;base64,${PICTURE}`,
    `data:image/png;base64,${encodeURIComponent(PICTURE)}`,
    `data:image/png;base64,${PICTURE.slice(0, 8)}\r\n ${PICTURE.slice(8)}`,
  ])("from %s", (text) => {
    expect(covers.allows(text)).toBe(true);
    expect(covers.named(text, NAMER)).toBeDefined();
  });

  test.each([
    "",
    "/1.png",
    "cover.png",
    "http://covers.example/1.png",
    "http://127.0.0.1/1.png",
    `ftp://${LISTED}/1.png`,
    "file:///etc/passwd",
    "https://user:secret@covers.example/1.png",
    `https://covers.example/${"a".repeat(2_048)}`,
    "data:image/png,abc",
    `data:text/html;base64,${PICTURE}`,
    `data:image/svg+xml;base64,${PICTURE}`,
    "data:image/png;base64,",
    "data:image/png;base64,<svg>",
    `data:image/png;base64,${"A".repeat(49_152)}`,
    "data:image/png;base64",
  ])("not from %s", (text) => {
    expect(covers.allows(text)).toBe(false);
    expect(covers.named(text, NAMER)).toBeUndefined();
  });

  test("from the server that its user has entered, who may use http there alone", () => {
    expect(covers.named(`${HOME}/a.png`, AT_HOME)).toBeDefined();
    expect(covers.named("http://10.0.0.5:8124/a.png", AT_HOME)).toBeUndefined();
    expect(covers.named(`${HOME}/a.png`, NAMER)).toBeUndefined();
  });

  test("whatever the text is: it is one of these, or none", () => {
    const pieces = fc.constantFrom(
      ...["data:", "image/png", ";", ",", "base64", "charset=utf-8", "https:", "//", "@", PICTURE],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join("")),
        ),
        (text) => {
          expect(covers.named(text, NAMER) !== undefined).toBe(covers.allows(text));
        },
      ),
    );
  });
});

test.each([
  `data:image/png;charset=utf-8;base64,${PICTURE}`,
  `data:image/png;base64,${encodeURIComponent(PICTURE)}`,
])("a picture in %s is decoded, and is nobody else's", async (text) => {
  const artwork = covers.named(text, NAMER);
  expect(Buffer.from((await artwork?.load()) ?? []).toString("base64")).toBe(PICTURE);
  expect(artwork).not.toHaveProperty("url");
});

test("a cover is named to others where everybody may know its address", () => {
  const urlOf = (text: string, namer = NAMER) => covers.named(text, namer)?.url;
  expect(urlOf("https://covers.example/1.png")).toBe("https://covers.example/1.png");
  expect(urlOf("//covers.example/1.png")).toBe("https://covers.example/1.png");
  expect(urlOf("https://covers.example/1.png", AT_HOME)).toBe("https://covers.example/1.png");
  expect(urlOf("https://covers.example/1.png?token=1")).toBeUndefined();
  expect(urlOf(`https://${LISTED}/1.png`)).toBeUndefined();
  expect(urlOf(`${HOME}/1.png`, AT_HOME)).toBeUndefined();
  expect(covers.ofServer("a", "https://music.example/a", AT_HOME)).not.toHaveProperty("url");
});

/** A network in which addresses redirect or answer with the picture of their name. */
function withRedirects(redirects: Readonly<Record<string, string>>) {
  const called: { readonly url: string; readonly token: string | null }[] = [];
  const fetch: Fetch = async (url, { headers }) => {
    called.push({ url, token: new Headers(headers).get("authorization") });
    const location = redirects[url];
    if (location === undefined) return new Response(`picture of ${url}`);
    return new Response(null, { status: 302, headers: { location } });
  };
  const network: Network = networkOf(fetch);
  const load = async (url: string, namer: CoverNamer = NAMER) => {
    const bytes = await coversOn(network).named(url, namer)?.load();
    return Buffer.from(bytes ?? []).toString();
  };
  return { load, called };
}

describe("a cover that redirects", () => {
  const A = "https://coverartarchive.example/a";
  const B = "https://ia800.archive.example/b";
  const NAS = `http://${LISTED}:8096/a`;

  test("between public servers is followed, three times", async () => {
    const chain = { [A]: B, [B]: "/c", "https://ia800.archive.example/c": A.replace("/a", "/d") };
    const { load } = withRedirects(chain);
    expect(await load(A)).toBe("picture of https://coverartarchive.example/d");
    const longer = withRedirects({ ...chain, "https://coverartarchive.example/d": B });
    await expect(longer.load(A)).rejects.toThrow("redirects too often");
  });

  test("in a circle ends", async () => {
    const { load, called } = withRedirects({ [A]: B, [B]: A });
    await expect(load(A)).rejects.toThrow("redirects too often");
    expect(called).toHaveLength(4);
  });

  test.each([
    "http://ia800.archive.example/b",
    "https://127.0.0.1/b",
    "https://192.168.1.1/b",
    "https://router.local/b",
    NAS,
    `https://${LISTED}/b`,
    "https://user:secret@ia800.archive.example/b",
    "file:///etc/passwd",
    `data:image/png;base64,${PICTURE}`,
  ])("from a public server to %s is not followed", async (location) => {
    const { load, called } = withRedirects({ [A]: location });
    await expect(load(A)).rejects.toThrow("a cover answered 302");
    expect(called.map(({ url }) => url)).toEqual([A]);
  });

  test.each([`http://${LISTED}:9000/b`, `https://${LISTED}/b`, "/b", B])(
    "from a listed server to %s is followed",
    async (location) => {
      const { load } = withRedirects({ [NAS]: location });
      expect(await load(NAS)).toBe(`picture of ${new URL(location, NAS).href}`);
    },
  );

  test.each(["http://10.0.0.9/b", "http://covers.example/b"])(
    "from a listed server to %s is not followed",
    async (location) => {
      const { load } = withRedirects({ [NAS]: location });
      await expect(load(NAS)).rejects.toThrow("a cover answered 302");
    },
  );

  test("away from the server that a user has entered leaves its token there", async () => {
    const { load, called } = withRedirects({ [`${HOME}/a`]: "/b", [`${HOME}/b`]: B });
    expect(await load(`${HOME}/a`, AT_HOME)).toBe(`picture of ${B}`);
    expect(called.map(({ token }) => token)).toEqual(["Bearer t", "Bearer t", null]);
  });

  test("is judged by what its name leads to then", async () => {
    const lookUp = async (name: string) =>
      name === "ia800.archive.example" ? ["10.0.0.1"] : ["93.184.216.34"];
    const fetch: Fetch = async () => new Response(null, { status: 302, headers: { location: B } });
    const load = coversOn({ ...networkOf(fetch), lookUp })
      .named(A, NAMER)
      ?.load();
    await expect(load).rejects.toThrow("private address");
  });
});
