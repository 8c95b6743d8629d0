import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createRequestPath, pathOf } from "../../src/http/request-path.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
const RESERVED = "%:/?#[]@!$&'()*+,;= \"<>\\^`{|}";

const encode = (character: string, lower: boolean) => {
  const code = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return lower ? code : code.toUpperCase();
};

const decoded = (path: string, basePath = "") => {
  const request = new Request(`http://127.0.0.1:4747${path}`);
  createRequestPath(basePath, ["/api/v1/user"]).respell(request);
  return request.url.slice("http://127.0.0.1:4747".length);
};

describe("a percent-encoded character of a path", () => {
  test("is the plain one where it needs no encoding, and stays as it is otherwise", () => {
    for (const lower of [true, false]) {
      for (const character of UNRESERVED) {
        // A dot alone would be a segment that clients remove.
        expect(decoded(`/a${encode(character, lower)}b`)).toBe(`/a${character}b`);
      }
      for (const character of `${RESERVED}\0`) {
        const path = `/a${encode(character, lower)}b`;
        expect(decoded(path)).toBe(path);
      }
    }
  });

  test.each([
    ["/%", "/%25"],
    ["/a%zz?%", "/a%25zz?%"],
    ["/%ff/%75", "/%25ff/u"],
    ["/%C3%A9", "/%C3%A9"],
  ])("in %j, where it may be broken, is %j", (path, spelling) => {
    expect(decoded(path)).toBe(spelling);
  });

  test("is decoded once, and never in the query", () => {
    expect(decoded("/%2575ser?a=%75&b=/%75?%75")).toBe("/%2575ser?a=%75&b=/%75?%75");
    expect(decoded("/%75ser?a=%75&b=/%75?%75")).toBe("/user?a=%75&b=/%75?%75");
  });

  test("is the plain one in a base path too", () => {
    expect(decoded("/m%75sic/%61pi", "/music")).toBe("/api");
  });
});

test("a path ends where a query or a fragment begins, which browsers do not send", () => {
  for (const url of ["http://127.0.0.1:4747/de", "/de", "http://x/de?a#b", "http://x/de#b?a"]) {
    expect(pathOf({ url })).toBe("/de");
  }
});

describe("a path in any spelling", () => {
  let server: TestServer;
  let ada: AddedUser;
  beforeEach(async () => {
    server = await createTestServer({
      baseUrl: "http://127.0.0.1:4747/music",
      settings: { rateLimitSeconds: "0" },
    });
    ada = await server.addUser("ada");
    await server.sourceOf(ada).says(aPlayback());
  });
  afterEach(() => server.close());

  test("that cannot be decoded is a wrong one like others", async () => {
    for (const broken of ["%", "%zz", "%ff"]) {
      for (const path of [
        `/show/${broken}`,
        `/en/widget/${broken}`,
        `/en/card/${broken}`,
        `/${broken}`,
      ]) {
        for (const method of ["GET", "POST"]) {
          await server.clock.advance(60_000);
          const { status } = await server.get(path, { method });
          const isPage = method === "POST" && path.startsWith("/en/");
          expect(`${method} ${path} ${status}`).toBe(`${method} ${path} ${isPage ? 405 : 404}`);
        }
      }
    }
  });

  test("is answered like the plain one", async () => {
    const paths = [
      "/api/v1/user",
      "/music/api/v1/user",
      "/livez",
      "/music/en/docs",
      "/en/demo",
      `/en/widget/${ada.widgetToken}`,
      `/music/de/text/${ada.widgetToken}`,
      "/en/dashboard/music",
      "/nothing/here",
      "/api/v1/nothing",
    ];
    const statusOf = async (path: string) => (await server.getAs(ada, path)).status;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.infiniteStream(fc.constantFrom("plain", "upper", "lower")),
        async (path, spellings) => {
          const spelt = path.replace(/[\w-]/g, (character) => {
            const spelling = spellings.next().value;
            return spelling === "plain" ? character : encode(character, spelling === "lower");
          });
          expect([spelt, await statusOf(spelt)]).toEqual([spelt, await statusOf(path)]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("opens sockets like the plain one", async () => {
    const port = openPort(server);
    const { promise, resolve } = Promise.withResolvers<string>();
    const spelt = `/m%75sic/en/widget/%6Dqw_${ada.widgetToken.slice(4)}/l%69ve`;
    const socket = new WebSocket(`${port.origin.replace("http", "ws")}${spelt}`);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
    expect(await promise).toBe("open");
    socket.close();
    await port.end();
  });
});
