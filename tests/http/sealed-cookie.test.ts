import { describe, expect, test } from "bun:test";
import { createSealedCookie } from "../../src/http/sealed-cookie.ts";
import { createVault } from "../../src/vault/vault.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";

const USER = 7;
const LIFETIME_MS = 60_000;

const clock = createFakeClock();
const deps = { vault: createVault(TEST_KEY), clock };
const cookie = createSealedCookie<string>(deps, "notice", LIFETIME_MS);

describe("what a browser keeps sealed", () => {
  test("shows nothing, and opens to what it was", () => {
    const value = cookie.seal(USER, "a fresh key");
    expect(value).toMatch(/^[\w-]+$/);
    expect(Buffer.from(value, "base64url").toString("latin1")).not.toContain("fresh");
    expect(cookie.open(USER, value)).toBe("a fresh key");
  });

  test("is nothing once it was changed, nor where it was never sealed", () => {
    const bytes = Buffer.from(cookie.seal(USER, "a fresh key"), "base64url");
    for (const [at, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes.with(at, byte ^ 1)).toString("base64url");
      expect(cookie.open(USER, changed)).toBe(undefined);
    }
    for (const value of [undefined, "", "x", "AAAA", "A".repeat(3_000)]) {
      expect(cookie.open(USER, value)).toBe(undefined);
    }
  });

  test("is nothing to another user, nor for another use", () => {
    const value = cookie.seal(USER, "a fresh key");
    expect(cookie.open(USER + 1, value)).toBe(undefined);
    const other = createSealedCookie(deps, "pending-authorization", LIFETIME_MS);
    expect(other.open(USER, value)).toBe(undefined);
  });

  test("ends with its time", async () => {
    const value = cookie.seal(USER, "a fresh key");
    await clock.advance(LIFETIME_MS - 1);
    expect(cookie.open(USER, value)).toBe("a fresh key");
    await clock.advance(1);
    expect(cookie.open(USER, value)).toBe(undefined);
  });

  test("is pushed out by no number of others", () => {
    const value = cookie.seal(USER, "a fresh key");
    for (let other = 0; other < 20_000; other++) cookie.seal(USER + 1, "another");
    expect(cookie.open(USER, value)).toBe("a fresh key");
  });
});
