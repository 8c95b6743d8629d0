import { expect, test } from "bun:test";
import { createCredentialCache } from "../../src/accounts/credential-cache.ts";

const ada = { userId: 1 };
const bob = { userId: 2 };
const createCache = () => createCredentialCache<string, { userId: number }>((it) => it.userId);

test("a credential is looked up once and then known", () => {
  const cache = createCache();
  expect(cache.lookUp("a", () => ada)).toBe(ada);
  expect(cache.get("a")).toBe(ada);
});

test("a credential that nobody has is not kept", () => {
  const cache = createCache();
  expect(cache.lookUp("a", () => undefined)).toBeUndefined();
  expect(cache.lookUp("a", () => ada)).toBe(ada);
});

test("forgetting a user leaves the others known", () => {
  const cache = createCache();
  cache.lookUp("a", () => ada);
  cache.lookUp("b", () => bob);
  cache.forget(1);
  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, bob]);
  cache.forget();
  expect(cache.get("b")).toBeUndefined();
});

test("holds 100,000 and drops the oldest first", () => {
  const cache = createCache();
  for (let number = 0; number <= 100_000; number++) cache.lookUp(`${number}`, () => ada);
  expect([cache.get("0"), cache.get("1"), cache.get("100000")]).toEqual([undefined, ada, ada]);
});
