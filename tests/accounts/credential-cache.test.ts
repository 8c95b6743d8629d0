import { expect, test } from "bun:test";
import { createCredentialCache } from "../../src/accounts/credential-cache.ts";

const ada = { userId: 1 };
const bob = { userId: 2 };
const createCache = () => createCredentialCache<string, { userId: number }>((it) => it.userId);

test("a credential is looked up once and then known", async () => {
  const cache = createCache();
  expect(await cache.lookUp("a", async () => ada)).toBe(ada);
  expect(cache.get("a")).toBe(ada);
});

test("a credential that nobody has is not kept", async () => {
  const cache = createCache();
  expect(await cache.lookUp("a", async () => undefined)).toBeUndefined();
  expect(await cache.lookUp("a", async () => ada)).toBe(ada);
});

test("forgetting a user leaves the others known", async () => {
  const cache = createCache();
  await cache.lookUp("a", async () => ada);
  await cache.lookUp("b", async () => bob);
  cache.forget(1);
  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, bob]);
  cache.forget();
  expect(cache.get("b")).toBeUndefined();
});

test.each([
  { name: "its user", forgotten: 1, kept: undefined },
  { name: "everybody", forgotten: undefined, kept: undefined },
  { name: "another user", forgotten: 2, kept: ada },
])(
  "what is being looked up while $name changes is answered, and kept only if it is not concerned",
  async ({ forgotten, kept }) => {
    const cache = createCache();
    const found = Promise.withResolvers<{ userId: number }>();
    const lookUp = cache.lookUp("a", () => found.promise);
    cache.forget(forgotten);
    found.resolve(ada);
    expect(await lookUp).toBe(ada);
    expect(cache.get("a")).toBe(kept);
  },
);

test("a look-up that fails rejects, and the next one is kept", async () => {
  const cache = createCache();
  const failing = cache.lookUp("a", () => Promise.reject(new Error("no database")));
  cache.forget(1);
  await expect(failing).rejects.toThrow("no database");
  await cache.lookUp("a", async () => ada);
  expect(cache.get("a")).toBe(ada);
});

test("holds 20,000 and drops the oldest first", async () => {
  const cache = createCache();
  for (let number = 0; number <= 20_000; number++) await cache.lookUp(`${number}`, async () => ada);
  expect([cache.get("0"), cache.get("1"), cache.get("20000")]).toEqual([undefined, ada, ada]);
});
