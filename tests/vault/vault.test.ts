import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createSecretKey, readSecretKey, secretKeyPath } from "../../src/vault/secret-key-files.ts";
import { createVault, SecretError, type SealPurpose } from "../../src/vault/vault.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const vault = createVault(keyOf(7));

const aText = fc.string({ unit: "grapheme" });
const aUserId = fc.integer({ min: 1 });
const aPurpose = fc.constantFrom<SealPurpose>("widget-token", "connection-settings");

describe("a sealed text", () => {
  test("opens to what it was, for its user and purpose", () =>
    fc.assert(
      fc.property(aPurpose, aUserId, aText, (purpose, userId, text) => {
        expect(vault.open(purpose, userId, vault.seal(purpose, userId, text))).toBe(text);
      }),
    ));

  test("shows nothing of itself", () => {
    const sealed = vault.seal("widget-token", 1, "a plain and simple text");
    expect(sealed.toString("latin1")).not.toContain("simple");
  });

  test("is an error with any one bit flipped", () =>
    fc.assert(
      fc.property(aPurpose, aUserId, aText, fc.nat(), (purpose, userId, text, place) => {
        const sealed = vault.seal(purpose, userId, text);
        const bit = place % (sealed.length * 8);
        sealed.writeUInt8(sealed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(() => vault.open(purpose, userId, sealed)).toThrow(SecretError);
      }),
      { numRuns: 500 },
    ));

  test("is an error cut short anywhere", () => {
    const sealed = vault.seal("widget-token", 1, "text");
    for (let length = 0; length < sealed.length; length++) {
      const part = sealed.subarray(0, length);
      expect(() => vault.open("widget-token", 1, part)).toThrow(SecretError);
    }
  });

  test("is an error for another user", () =>
    fc.assert(
      fc.property(aUserId, aUserId, (one, other) => {
        fc.pre(one !== other);
        const sealed = vault.seal("widget-token", one, "text");
        expect(() => vault.open("widget-token", other, sealed)).toThrow(SecretError);
      }),
    ));

  test("is an error for another purpose", () => {
    const sealed = vault.seal("widget-token", 1, "text");
    expect(() => vault.open("connection-settings", 1, sealed)).toThrow(SecretError);
  });

  test("is an error under another key, which says that the key is the wrong one", () => {
    const sealed = vault.seal("widget-token", 1, "text");
    const open = () => createVault(keyOf(8)).open("widget-token", 1, sealed);
    expect(open).toThrow(SecretError);
    expect(open).toThrow(/another key/);
  });

  test("differs each time, with a nonce of its own", () => {
    const sealed = Array.from({ length: 500 }, () => vault.seal("widget-token", 1, "text"));
    const nonces = new Set(sealed.map((bytes) => bytes.subarray(5, 17).toString("hex")));
    expect(nonces.size).toBe(500);
  });
});

describe("an opaque name", () => {
  test("is the same for the same thing and 128 bits long", () => {
    expect(vault.opaqueName("cover")).toBe(vault.opaqueName("cover"));
    expect(Buffer.from(vault.opaqueName("cover"), "base64url")).toHaveLength(16);
  });

  test("is another for another thing or key", async () => {
    expect(vault.opaqueName("a")).not.toBe(vault.opaqueName("b"));
    expect(vault.opaqueName("a")).not.toBe(createVault(keyOf(8)).opaqueName("a"));
  });
});

test.each(["", "short", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64")])(
  "a vault refuses %p as its key",
  async (key) => {
    expect(() => createVault(key)).toThrow(SecretError);
  },
);

describe("the key file", () => {
  let folder: ReturnType<typeof createDataFolder>;
  let path: string;
  beforeEach(() => {
    folder = createDataFolder();
    path = secretKeyPath(folder.path);
  });
  afterEach(() => folder.remove());

  test("is secret.key in the data folder", () => {
    expect(path).toBe(join(folder.path, "secret.key"));
  });

  test("holds 32 random bytes that only its owner can read", () => {
    const key = createSecretKey(path);
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readSecretKey(path)).toBe(key);
  });

  test("is not there before it is made", () => {
    expect(readSecretKey(path)).toBe(undefined);
  });

  test.each(["640", "604", "660", "755", "777"])(
    "is taken from others where it has the permissions %s",
    (mode) => {
      const key = createSecretKey(path);
      chmodSync(path, Number.parseInt(mode, 8));
      expect(readSecretKey(path)).toBe(key);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  test.each(["", "garbage", Buffer.alloc(16).toString("base64")])(
    "is refused with %p in it",
    (text) => {
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => readSecretKey(path)).toThrow(SecretError);
      expect(() => createSecretKey(path)).toThrow(SecretError);
      expect(readFileSync(path, "utf8")).toBe(text);
    },
  );

  test("is kept when it is made again", () => {
    const key = createSecretKey(path);
    expect(createSecretKey(path)).toBe(key);
  });

  test("is the same for processes that make it at the same moment", async () => {
    const files = JSON.stringify(join(import.meta.dir, "../../src/vault/secret-key-files.ts"));
    const script = `
      const { createSecretKey } = await import(${files});
      console.write("ready");
      await Bun.stdin.text();
      console.write(createSecretKey(${JSON.stringify(path)}));`;
    const makers = Array.from({ length: 3 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" }),
    );
    const outputs = makers.map((maker) => maker.stdout.getReader());
    const read = async (output: (typeof outputs)[number]) =>
      new TextDecoder().decode((await output.read()).value);
    for (const output of outputs) expect(await read(output)).toBe("ready");
    await Promise.all(makers.map((maker) => maker.stdin.end()));
    const keys = await Promise.all(outputs.map(read));
    expect(new Set(keys)).toEqual(new Set([readSecretKey(path) as string]));
  });

  test("leaves no draft behind", () => {
    createSecretKey(path);
    createSecretKey(path);
    expect(readdirSync(folder.path)).toEqual(["secret.key"]);
  });

  test("cannot be made where there is no folder, which is said", () => {
    const nowhere = secretKeyPath(join(folder.path, "missing"));
    expect(() => createSecretKey(nowhere)).toThrow(SecretError);
    expect(existsSync(nowhere)).toBe(false);
  });
});
