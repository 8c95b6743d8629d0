import { describe, expect, test } from "bun:test";
import { cookieNames, cookieOf, setCookie } from "../../src/http/cookies.ts";

const asking = (cookie: string) => new Request("http://127.0.0.1/", { headers: { cookie } });
const HOST_COOKIE = "__Host-marquee-session";

describe("a request's cookie", () => {
  test("is its value, whatever stands around it", () => {
    expect(cookieOf(asking(`a=1;  ${HOST_COOKIE}=x_-9;b=2`), HOST_COOKIE)).toBe("x_-9");
  });

  test.each([
    ["none", "a=1"],
    ["an empty one", `${HOST_COOKIE}=`],
    ["two, which differ", `${HOST_COOKIE}=1; ${HOST_COOKIE}=2`],
    ["two, which are equal", `${HOST_COOKIE}=1; a=1; ${HOST_COOKIE}=1`],
    ["two, one of which is empty", `${HOST_COOKIE}=1; ${HOST_COOKIE}=`],
  ])("is none where there is %s", (_, header) => {
    expect(cookieOf(asking(header), HOST_COOKIE)).toBe(undefined);
  });

  // Browsers let only this very host, over https, set a name with the prefix: others may look like it.
  test.each(["__Host%2Dmarquee-session", "__host-marquee-session", "a,__Host-marquee-session"])(
    "is not the one named %s",
    (name) => {
      expect(cookieOf(asking(`${name}=1`), HOST_COOKIE)).toBe(undefined);
    },
  );

  test("without a request's header there is none", () => {
    expect(cookieOf(new Request("http://127.0.0.1/"), HOST_COOKIE)).toBe(undefined);
  });
});

test("names are found by how they begin, in the order they are sent", () => {
  const request = asking("link-b=1; other=1; link-a=2; link-b=3");
  expect(cookieNames(request, "link-")).toEqual(["link-b", "link-a", "link-b"]);
});

describe("a cookie that is set", () => {
  test("is out of reach of scripts and of foreign forms, and of http where there is https", () => {
    expect(setCookie(HOST_COOKIE, "x_-9", { secure: true, maxAgeSeconds: 600 })).toBe(
      "__Host-marquee-session=x_-9; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax",
    );
  });

  test("is taken away below its own path", () => {
    expect(setCookie("a", "", { secure: false, maxAgeSeconds: 0, path: "/en/keys" })).toBe(
      "a=; Path=/en/keys; Max-Age=0; HttpOnly; SameSite=Lax",
    );
  });
});
