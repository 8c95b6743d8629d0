import { beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { newSecretKey } from "../../src/vault/secret-key-files.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

const keyFile = () => path("data", "secret.key");
const readKey = (file = keyFile()) => readFileSync(file, "utf8").trim();
/** Writes a key that the operator keeps elsewhere, and answers its file. */
function writeKey(name: string, key = newSecretKey()): string {
  writeFileSync(path(name), `${key}\n`, { mode: 0o600 });
  return path(name);
}
const widgetUrl = () => documentsOf("widget", "url", "ada");

describe("marquee secret rotate", () => {
  beforeEach(() => marquee("user", "add", "ada", "--source", "demo"));

  test("prints one line of JSON that says what was done", async () => {
    const done = { rotated: true, resealed: 2 };
    expect(await documentsOf("secret", "rotate")).toEqual([done]);
  });

  test("prints no key, neither the old one nor the new one", async () => {
    const oldKey = readKey();
    for (const words of [[], ["--json"]]) {
      const { out, errors } = await marquee("secret", "rotate", ...words);
      for (const key of [oldKey, readKey()]) expect(out + errors).not.toContain(key);
    }
  });

  test("says what a new key does not mend: older backups, and what has leaked", async () => {
    const { out } = await marquee("secret", "rotate");
    expect(out).toContain("marquee backup");
    expect(out).toContain("old copy of the database");
  });

  test("leaves a backup made before to the old key alone", async () => {
    const before = await widgetUrl();
    mkdirSync(path("restored"));
    await marquee("backup", path("restored", "marquee.db"));
    copyFileSync(keyFile(), path("old.key"));
    await marquee("secret", "rotate");

    copyFileSync(keyFile(), path("restored", "secret.key"));
    const refused = await marquee("user", "list", "--data", path("restored"));
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.errors).toContain("another key");
    copyFileSync(path("old.key"), path("restored", "secret.key"));
    expect(await documentsOf("widget", "url", "ada", "--data", path("restored"))).toEqual(before);
  });

  test("takes no old key where the key is the data folder's own", async () => {
    const [before, file] = [readKey(), writeKey("some.key")];
    const { code, errors } = await marquee("secret", "rotate", "--old-key-file", file);
    expect(code).toBe(2);
    expect(errors).toContain("MARQUEE_SECRET_KEY_FILE");
    expect(readKey()).toBe(before);
  });
});

describe("marquee secret rotate with keys that the operator gives", () => {
  let oldFile: string;
  let newFile: string;
  beforeEach(async () => {
    oldFile = writeKey("old.key");
    newFile = writeKey("new.key");
    environment["MARQUEE_SECRET_KEY_FILE"] = oldFile;
    await marquee("user", "add", "ada", "--source", "demo");
  });

  /** Rotates as an operator who has put the new key into the setting. */
  const rotate = (...words: string[]) => {
    environment["MARQUEE_SECRET_KEY_FILE"] = newFile;
    return marquee("secret", "rotate", "--old-key-file", oldFile, ...words);
  };

  test("goes over from the file's to the setting's, and says that the server needs it at its next start", async () => {
    const before = await widgetUrl();
    const { code, out } = await rotate();
    expect(code).toBe(0);
    expect(out).toContain("From its next start on, the server needs the new key");
    expect(await widgetUrl()).toEqual(before);
    environment["MARQUEE_SECRET_KEY_FILE"] = oldFile;
    expect(await marquee("widget", "url", "ada")).toMatchObject({ code: 1 });
    expect(readdirSync(path("data"))).not.toContain("secret.key");
  });

  test("goes over from the data folder's own key to the setting's", async () => {
    delete environment["MARQUEE_SECRET_KEY_FILE"];
    await marquee("user", "add", "ada", "--data", path("own"));
    environment["MARQUEE_DATA"] = path("own");
    oldFile = path("own", "secret.key");
    expect((await rotate()).code).toBe(0);
    expect((await marquee("widget", "url", "ada")).code).toBe(0);
  });

  test("made again after its end went unseen says that nothing was left to do", async () => {
    expect((await rotate("--json")).documents()).toEqual([{ rotated: true, resealed: 2 }]);
    const again = await rotate("--json");
    expect(again.code).toBe(0);
    expect(again.documents()).toEqual([{ rotated: false, resealed: 0 }]);
  });

  test("prints neither key", async () => {
    const { out, errors } = await rotate();
    for (const file of [oldFile, newFile]) expect(out + errors).not.toContain(readKey(file));
  });

  test("fails with another old key, and changes nothing", async () => {
    const before = await widgetUrl();
    const rightFile = oldFile;
    oldFile = writeKey("wrong.key");
    const { code, errors } = await rotate();
    expect(code).toBe(1);
    expect(errors).toContain("another key");
    environment["MARQUEE_SECRET_KEY_FILE"] = rightFile;
    expect(await widgetUrl()).toEqual(before);
  });

  test("is wrong usage without the old key, which it says how to give", async () => {
    const { code, errors } = await marquee("secret", "rotate");
    expect(code).toBe(2);
    expect(errors).toContain("--old-key-file");
  });

  test("is wrong usage with the same key twice", async () => {
    newFile = oldFile;
    expect((await rotate()).code).toBe(2);
  });

  test.each(["a file that is not there", "a file without a key in it"])(
    "is wrong usage with %s",
    async (kind) => {
      oldFile = path("no.key");
      if (kind.includes("without")) writeFileSync(oldFile, "no key", { mode: 0o600 });
      const { code, errors } = await rotate();
      expect(code).toBe(2);
      expect(errors).toContain("--old-key-file");
    },
  );
});
