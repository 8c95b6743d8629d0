import { expect, test } from "bun:test";
import { ownFolders } from "../../src/overlay/own-folders.ts";

test("folders are named with the host that was asked and the public one, below the base path", () => {
  const own = ownFolders("10.0.0.5:4747", "https://example.org/music");
  expect(own("assets", "art")).toBe(
    "example.org/music/assets/ example.org/music/art/ 10.0.0.5:4747/music/assets/ 10.0.0.5:4747/music/art/",
  );
});

test.each(["localhost:8080", "my-pc", "Example.ORG", "192.168.1.20:4747"])(
  "a host such as %s is named once where it is the public one",
  (host) => {
    expect(ownFolders(host, `http://${host}`)("fonts")).toBe(
      host === "Example.ORG" ? "example.org/fonts/ Example.ORG/fonts/" : `${host}/fonts/`,
    );
  },
);

test("a request without a host is one of the public one", () => {
  expect(ownFolders(null, "http://127.0.0.1:4747")("art")).toBe("127.0.0.1:4747/art/");
});

test.each(["[::1]:4747", "my_pc:4747"])(
  "the whole server is allowed where a policy cannot name %s",
  (host) => {
    expect(ownFolders(host, "http://127.0.0.1:4747")("art")).toBe("'self'");
    expect(ownFolders("127.0.0.1", `http://${host}`)("art")).toBe("'self'");
  },
);
