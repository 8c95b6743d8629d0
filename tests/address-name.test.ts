import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  holdsAddress,
  nameOfAddress,
  withoutAddresses,
  withoutSecrets,
} from "../src/address-name.ts";

describe("the name of an address", () => {
  test.each([
    ["http://host.example/rest/stream?u=ada&t=1a2b", "stream"],
    ["http://host.example/A%20B/01%20Lanterns.flac", "01 Lanterns"],
    ["http://ada:secret@radio.example:8000/", "radio.example:8000"],
    ["https://ada:se/cret@radio.example/live.mp3", "live"],
    ["rtsp://radio.example/live;session=1#secret", "live"],
    ["http://proxy.example/http%3A%2F%2Fada%3Asecret%40host%2Flive.mp3%3Fkey%3D1", "live"],
    ["http://host.example/live%3Fkey%3Dsecret", "live"],
    [`http://host.example/live%3F${"secret".repeat(50)}%26key%3D1`, "live"],
    ["file:///music/What%3F%20Now.flac", "What? Now"],
    ["file:///What%3F%20Now.flac", "What? Now"],
    ["stream.mp3?secret", "stream"],
    ["rest/stream?u=ada", "stream"],
    ["Music/What? Now.flac", "What? Now"],
    ["Music/100%25.flac", "100%25"],
    ["C:\\Music\\Lanterns.flac", "Lanterns"],
    ["Music/Symphony No. 9", "Symphony No. 9"],
    ["http://host.example/%E0%A4%A", "%E0%A4%A"],
  ])("%s is %s", (address, name) => {
    expect(nameOfAddress(address)).toBe(name);
  });

  test("never has the user, the password, the query or the fragment in it", () => {
    const part = fc.stringMatching(/^[a-z0-9.~-]{1,12}$/);
    const secret = fc.stringMatching(/^[a-z0-9]{6,12}$/).map((text) => `SECRET${text}`);
    fc.assert(
      fc.property(
        part,
        fc.array(part),
        secret,
        fc.webQueryParameters(),
        (host, path, key, query) => {
          const address = `http://${key}:${key}@${host}.example/${path.join("/")}?${query}${key}#${key}`;
          for (const shown of [nameOfAddress, withoutAddresses, withoutSecrets]) {
            expect(shown(address)).not.toContain("SECRET");
          }
          expect(withoutAddresses(`Live at ${address}`)).not.toContain("SECRET");
        },
      ),
    );
  });
});

describe("a text without addresses", () => {
  test.each([
    "What's up? 2+2=4",
    "Who? What? Where?",
    "Who?What?Where?",
    "AC/DC - T.N.T.",
    "1 / 2",
    "Why?!",
    "12:30",
    "¿Qué?",
  ])("is the same where it is only a title: %s", (title) => {
    expect(withoutAddresses(title)).toBe(title);
    expect(holdsAddress(title)).toBe(false);
  });

  test.each([
    ["http://host.example/my song.mp3?name=a b&key=secret", "my song"],
    ["Radio - http://ada:secret@host.example/live?key=1", "Radio - http://host.example/live"],
    ["My Radio - stream?key=secret", "My Radio - stream"],
  ])("%s is %s", (text, shown) => {
    expect(withoutAddresses(text)).toBe(shown);
  });
});

test("a text without an end is read in time, whatever it holds", () => {
  const texts = [
    `http://host.example/${"%3f".repeat(100_000)}`,
    `http://host.example/${"%3".repeat(150_000)}%3f`,
    `${"ab+".repeat(100_000)}?`,
    `${"a".repeat(300_000)} ://`,
    `http://host.example/${";a".repeat(150_000)}`,
    "?a".repeat(150_000),
    ".a1".repeat(100_000),
  ];
  for (const text of texts) {
    for (const read of [withoutSecrets, withoutAddresses, nameOfAddress]) {
      expect(read(text).length).toBeLessThanOrEqual(text.length);
    }
  }
  // An expression that reads on from each sign takes minutes: the runner ends the wait.
}, 60_000);
