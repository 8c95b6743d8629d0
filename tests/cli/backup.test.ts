import { beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, path } = useCommandLine();

let widget: Record<string, unknown>[];
beforeEach(async () => {
  await marquee("user", "add", "ada", "--source", "demo");
  widget = await documentsOf("widget", "url", "ada");
});

describe("marquee backup", () => {
  test("makes a copy that serves as a data folder's database, with the key", async () => {
    mkdirSync(path("restored"));
    expect((await marquee("backup", path("restored", "marquee.db"))).code).toBe(0);
    copyFileSync(path("data", "secret.key"), path("restored", "secret.key"));
    expect(await documentsOf("widget", "url", "ada", "--data", path("restored"))).toEqual(widget);
  });

  test("says that the key belongs with it, kept apart", async () => {
    const { out } = await marquee("backup", path("backup.db"));
    expect(out).toContain(path("backup.db"));
    expect(out).toContain(path("data", "secret.key"));
  });

  test("names no key's file where a setting gives the key", async () => {
    rmSync(path("data", "secret.key"));
    const { out } = await marquee("backup", path("backup.db"));
    expect(out).toContain("the secret key that a setting gives the server");
    expect(out).not.toContain("secret.key");
  });

  test("does not put the key's bytes into the copy", async () => {
    await marquee("backup", path("backup.db"));
    const key = readFileSync(path("data", "secret.key"), "utf8").trim();
    const copy = readFileSync(path("backup.db"));
    expect(copy.includes(key)).toBe(false);
    expect(copy.includes(Buffer.from(key, "base64"))).toBe(false);
    expect(copy.includes("ada")).toBe(true);
  });

  test("needs a file", async () => {
    expect((await marquee("backup")).code).toBe(2);
    expect((await marquee("backup", "")).code).toBe(2);
  });
});

describe("a restored backup", () => {
  test("brings back what was ended since, until the documented commands end it again", async () => {
    const [first] = await documentsOf("key", "list", "ada");
    const id = String(first?.["id"]);
    await marquee("user", "add", "grace");
    mkdirSync(path("restored"));
    await marquee("backup", path("restored", "marquee.db"));
    copyFileSync(path("data", "secret.key"), path("restored", "secret.key"));
    const commands = [
      ["key", "revoke", "ada", id],
      ["widget", "rotate", "ada"],
      ["disconnect", "ada"],
      ["user", "remove", "grace"],
    ];
    const end = async (folder: string) => {
      for (const words of commands) {
        expect((await marquee(...words, "--data", folder)).code).toBe(0);
      }
    };
    await end(path("data"));

    const restored = async () => ({
      key: (await documentsOf("key", "list", "ada", "--data", path("restored")))[0]?.["status"],
      isOldAddress: Bun.deepEquals(
        await documentsOf("widget", "url", "ada", "--data", path("restored")),
        widget,
      ),
      users: (await documentsOf("user", "list", "--data", path("restored"))).length,
    });
    expect(await restored()).toEqual({ key: "works", isOldAddress: true, users: 2 });
    await end(path("restored"));
    expect(await restored()).toEqual({ key: "revoked", isOldAddress: false, users: 1 });
  });
});

describe("a data folder", () => {
  test("without its key is not used, and no other key is made", async () => {
    mkdirSync(path("restored"));
    await marquee("backup", path("restored", "marquee.db"));
    const { code, errors } = await marquee("user", "list", "--data", path("restored"));
    expect(code).toBe(1);
    expect(errors).toContain(path("restored", "secret.key"));
    expect(errors).toContain("MARQUEE_SECRET_KEY_FILE");
    expect(() => readFileSync(path("restored", "secret.key"))).toThrow();
  });

  test("with another's key is not used", async () => {
    mkdirSync(path("restored"));
    await marquee("backup", path("restored", "marquee.db"));
    const key = Buffer.alloc(32, 9).toString("base64");
    writeFileSync(path("restored", "secret.key"), key, { mode: 0o600 });
    const { code, errors } = await marquee("key", "list", "ada", "--data", path("restored"));
    expect(code).toBe(1);
    expect(errors).toContain("another key");
    expect(errors).not.toContain(key);
  });
});
