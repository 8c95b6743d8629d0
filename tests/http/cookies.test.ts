import { describe, expect, test } from "bun:test";
import { createCookies } from "../../src/http/cookies.ts";
import { createCookieJar } from "../fixtures/http/cookie-jar.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";

const PLACE = { baseUrl: "https://music.example", listeningAddress: "127.0.0.1:4747" };
const cookies = createCookies(PLACE);
const session = cookies.forHost("session");
const nameOf = (setCookie: string) => setCookie.split("=", 1)[0] ?? "";
const NAME = nameOf(session.set("x", 1));

const asking = (cookie: string) => new Request("http://127.0.0.1/", { headers: { cookie } });

describe("a request's cookie", () => {
  test("is its value, whatever stands around it", () => {
    expect(session.of(asking(`a=1;  ${NAME}=x_-9;b=2`))).toBe("x_-9");
  });

  test.each([
    ["none", "a=1"],
    ["an empty one", `${NAME}=`],
    ["two, which differ", `${NAME}=1; ${NAME}=2`],
    ["two, which are equal", `${NAME}=1; a=1; ${NAME}=1`],
    ["two, one of which is empty", `${NAME}=1; ${NAME}=`],
  ])("is none where there is %s", (_, header) => {
    expect(session.of(asking(header))).toBe(undefined);
  });

  // Browsers let only this very host, over https, set a name with the prefix: others may look like it.
  test.each([
    NAME.replace("__Host-", "__Host%2D"),
    NAME.replace("__Host-", "__host-"),
    NAME.replace("__Host-", ""),
    `a,${NAME}`,
  ])("is not the one named %s", (name) => {
    expect(session.of(asking(`${name}=1`))).toBe(undefined);
  });

  test("without a request's header there is none", () => {
    expect(session.of(new Request("http://127.0.0.1/"))).toBe(undefined);
  });
});

test("cookies are found by how their use begins, in the order they are sent", () => {
  const sent = ["link-b", "other", "link-a"].map((use) => cookies.forHost(use).set("1", 1));
  const pairs = sent.map((line) => line.split(";", 1)[0]);
  expect(cookies.usesOf(asking(pairs.join("; ")), "link-")).toEqual(["link-b", "link-a"]);
});

describe("a cookie that is set", () => {
  test("is out of reach of scripts and of foreign forms, and of http where there is https", () => {
    expect(session.set("x_-9", 600)).toMatch(
      /^__Host-marquee-session-[0-9a-f]{8}=x_-9; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    );
  });

  test("is taken away below its own path", () => {
    const plain = createCookies({ ...PLACE, baseUrl: "http://nas.lan" });
    expect(plain.forPath("a", "/en/keys").drop()).toMatch(
      /^marquee-a-[0-9a-f]{8}=; Path=\/en\/keys; Max-Age=0; HttpOnly; SameSite=Lax$/,
    );
  });
});

describe("two servers that a browser reaches by one host name", () => {
  test.each([
    [
      "ports",
      { baseUrl: "http://127.0.0.1:4747", listeningAddress: "127.0.0.1:4747" },
      { baseUrl: "http://127.0.0.1:4748", listeningAddress: "127.0.0.1:4748" },
    ],
    [
      "ports over https",
      { baseUrl: "https://localhost:4747", listeningAddress: "127.0.0.1:4747" },
      { baseUrl: "https://localhost:4748", listeningAddress: "127.0.0.1:4748" },
    ],
    [
      "base paths",
      { baseUrl: "https://music.example/ada", listeningAddress: "127.0.0.1:4747" },
      { baseUrl: "https://music.example/ben", listeningAddress: "127.0.0.1:4748" },
    ],
    [
      "ports, with one base URL written for both",
      { baseUrl: "http://127.0.0.1:4747", listeningAddress: "127.0.0.1:4747" },
      { baseUrl: "http://127.0.0.1:4747", listeningAddress: "127.0.0.1:4748" },
    ],
  ])("keep their sessions, notices and links apart by their %s", async (_, one, other) => {
    // Of one user in one browser: the jar keeps all cookies of the host name together.
    const jar = createCookieJar();
    const servers = await Promise.all([one, other].map(createTestServer));
    try {
      for (const [at, server] of servers.entries()) {
        const { baseUrl } = [one, other][at] ?? one;
        const { cookie } = await signIn(server, await server.addUser("ada"), baseUrl);
        jar.take(new Response(null, { headers: { "set-cookie": `${cookie}; Path=/` } }));
      }
      for (const server of servers) {
        const headers = { cookie: jar.headerFor("/en/dashboard/settings/programs") };
        expect((await server.get("/en/dashboard/settings/programs", { headers })).status).toBe(200);
      }
      const [names, others] = [one, other].map((place) => {
        const own = createCookies(place);
        const all = [
          own.forHost("session"),
          own.forHost("link-x"),
          own.forPath("notice-keys", "/"),
        ];
        return all.map((cookie) => nameOf(cookie.drop()));
      });
      expect(names?.filter((name) => others?.includes(name))).toEqual([]);
    } finally {
      for (const server of servers) server.close();
    }
  });
});
