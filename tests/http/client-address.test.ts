import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createClientAddress, networkOf, untrustedProxyIn } from "../../src/http/client-address.ts";

const ipv6 = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const toText = (groups: readonly number[]) => groups.map((group) => group.toString(16)).join(":");

describe("createClientAddress", () => {
  test("believes nothing that is forwarded while no proxy is trusted", () => {
    const addressOf = createClientAddress([]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (forwarded) => {
        expect(addressOf("192.0.2.1", forwarded)).toBe("192.0.2.1");
      }),
    );
  });

  test("takes the right-most address that is no trusted proxy, else the left-most", () => {
    const trusted = fc.integer({ min: 0, max: 255 }).map((last) => `10.0.0.${last}`);
    const stranger = fc.integer({ min: 0, max: 255 }).map((last) => `203.0.113.${last}`);
    const chains = fc.array(fc.oneof(trusted, stranger), { minLength: 1, maxLength: 8 });
    const addressOf = createClientAddress(["10.0.0.0/24"]);
    fc.assert(
      fc.property(chains, (chain) => {
        const expected = chain.findLast((one) => !one.startsWith("10.")) ?? chain[0];
        const forwarded = chain.length > 1 ? chain.slice(0, -1).join(", ") : null;
        expect(addressOf(chain.at(-1), forwarded)).toBe(expected ?? "");
      }),
    );
  });

  test("answers an address for any header whatever, and never throws", () => {
    const addressOf = createClientAddress(["10.0.0.0/8", "::1"]);
    const peers = fc.constantFrom("10.0.0.1", "::1", "192.0.2.1");
    const pieces = fc.constantFrom(
      ",",
      " ",
      "10.0.0.2",
      "2001:db8::1",
      "[",
      "]:80",
      "unknown",
      "_a",
    );
    const headers = fc.oneof(
      fc.string(),
      fc.array(pieces).map((some) => some.join("")),
    );
    fc.assert(
      fc.property(peers, headers, (peer, forwarded) => {
        expect(addressOf(peer, forwarded)).toMatch(/^[0-9a-f.:]+(%.*)?$/);
      }),
    );
  });

  test.each([
    ["one address", ["10.0.0.1"], "203.0.113.5", "203.0.113.5"],
    ["no header", ["10.0.0.1"], null, "10.0.0.1"],
    ["a network of IPv4 as IPv6", ["::ffff:10.0.0.0/120"], "203.0.113.5", "203.0.113.5"],
    ["an empty header", ["10.0.0.1"], "", "10.0.0.1"],
    ["an address with a port", ["10.0.0.1"], "203.0.113.5:4711", "203.0.113.5"],
    ["an IPv6 address with a port", ["10.0.0.1"], "[2001:db8::5]:4711", "2001:db8::5"],
    ["an IPv4 address written as IPv6", ["10.0.0.1"], "::ffff:203.0.113.5", "203.0.113.5"],
    ["a word instead of an address", ["10.0.0.1"], "203.0.113.5, unknown", "10.0.0.1"],
  ])("understands %s from a trusted proxy", (_, proxies, forwarded, expected) => {
    expect(createClientAddress(proxies)("10.0.0.1", forwarded)).toBe(expected);
  });

  test("knows a trusted IPv4 proxy that connects over IPv6", () => {
    const addressOf = createClientAddress(["10.0.0.0/8"]);
    expect(addressOf("::ffff:10.0.0.1", "203.0.113.5")).toBe("203.0.113.5");
  });

  test("trusts a range of IPv6", () => {
    const addressOf = createClientAddress(["fd00::/8"]);
    expect(addressOf("fd00::1", "203.0.113.5")).toBe("203.0.113.5");
    expect(addressOf("fe00::1", "203.0.113.5")).toBe("fe00::1");
  });

  test("has a name for a peer without an address", () => {
    expect(createClientAddress(["10.0.0.1"])(undefined, "203.0.113.5")).toBe("unknown");
  });
});

describe("networkOf", () => {
  test("is the address itself for IPv4", () => {
    fc.assert(fc.property(fc.ipV4(), (address) => expect(networkOf(address)).toBe(address)));
  });

  test("is the same for two IPv6 addresses exactly when their first 64 bits are", () => {
    const flip = fc.option(fc.integer({ min: 0, max: 63 }), { nil: undefined });
    fc.assert(
      fc.property(ipv6, ipv6, flip, (one, other, flippedBit) => {
        // Outside ::/16, where an IPv4 address may hide.
        const network = [one[0]! | 0x2000, ...one.slice(1, 4)];
        const second = [...network, ...other.slice(4)];
        if (flippedBit !== undefined) {
          const group = Math.floor(flippedBit / 16);
          second[group] = second[group]! ^ (1 << (flippedBit % 16));
        }
        const same = networkOf(toText([...network, ...one.slice(4)])) === networkOf(toText(second));
        expect(same).toBe(flippedBit === undefined);
      }),
    );
  });
});

describe("untrustedProxyIn", () => {
  const trusted = ["10.0.0.0/24"];
  const addressOf = createClientAddress(trusted);
  const found = (peer: string, forwarded: string | null) =>
    untrustedProxyIn(addressOf(peer, forwarded), forwarded, trusted);

  test("is the peer that forwards and is not trusted", () => {
    expect(found("172.18.0.1", "203.0.113.7")).toBe("172.18.0.1");
    expect(found("172.18.0.1", "10.0.0.5, unknown")).toBe("172.18.0.1");
  });

  test("is nobody where all who forward are trusted, or nobody does", () => {
    expect(found("10.0.0.1", "203.0.113.7")).toBeUndefined();
    expect(found("10.0.0.1", "[2001:DB8::1]:443, 10.0.0.5")).toBeUndefined();
    expect(found("10.0.0.1", "unknown")).toBeUndefined();
    expect(found("192.0.2.1", null)).toBeUndefined();
  });
});
