import { describe, expect, test } from "bun:test";
import { addressOf, parseServerUrl } from "../../src/sources/entered-server.ts";

describe("the address of a server", () => {
  test.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    [" https://Music.Example/navidrome/ ", "https://music.example/navidrome"],
    ["localhost:4533", "http://localhost:4533"],
    ["192.168.1.20", "http://192.168.1.20"],
    ["http://[::1]:8000/", "http://[::1]:8000"],
  ])("%j is understood as %s", (typed, url) => {
    expect(parseServerUrl(typed)).toBe(url);
  });

  test.each([
    ...["", "http://", "file:///etc/passwd", "http://ada:secret@host", "http://h/#a", "a b"],
    ...["http://music.example@evil.example", "http://host/?token=1", "ftp://host"],
  ])("%j is refused", (typed) => {
    expect(parseServerUrl(typed)).toBe(undefined);
  });

  test.each([
    ["http://Player.local", { scheme: "http", host: "player.local", port: 80 }],
    ["https://player.local/a", { scheme: "https", host: "player.local", port: 443 }],
    ["http://[::1]:8080", { scheme: "http", host: "::1", port: 8080 }],
    ["http://0x7f000001:1", { scheme: "http", host: "127.0.0.1", port: 1 }],
    ["http://2130706433/", { scheme: "http", host: "127.0.0.1", port: 80 }],
    ["http://[::ffff:192.0.2.7]", { scheme: "http", host: "::ffff:c000:207", port: 80 }],
    ["192.0.2.7:8080", { scheme: "http", host: "192.0.2.7", port: 8080 }],
  ])("%s is checked as scheme, host and port", (url, address) => {
    expect(addressOf({ url: parseServerUrl(url) ?? "" })).toEqual(address);
  });
});
