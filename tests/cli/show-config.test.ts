import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

const KEY = Buffer.alloc(32, 7).toString("base64");

describe("marquee config", () => {
  test("shows each setting with where it came from", async () => {
    environment["MARQUEE_LOG_LEVEL"] = "debug";
    const documents = await documentsOf("config", "--port", "8080");
    const shown = new Map(documents.map((document) => [document["setting"], document]));
    expect(shown.get("port")).toMatchObject({ value: 8080, origin: "--port" });
    expect(shown.get("log-level")).toMatchObject({ value: "debug", origin: "MARQUEE_LOG_LEVEL" });
    expect(shown.get("data")).toMatchObject({ value: path("data"), origin: "MARQUEE_DATA" });
    expect(shown.get("host")).toMatchObject({ value: "127.0.0.1", origin: "default" });
  });

  test("shows them in columns for people", async () => {
    const { code, out } = await marquee("config", "--port", "8080");
    expect(code).toBe(0);
    expect(out).toMatch(/^port +8080 +--port$/m);
  });

  test("shows the whole path of a folder that was named by a relative one", async () => {
    environment["MARQUEE_FILES"] = "songs";
    const { out } = await marquee("config", "--data", "./here");
    expect(out).toMatch(new RegExp(`^data +${resolve("here")} +--data$`, "m"));
    expect(out).toMatch(new RegExp(`^files +${resolve("songs")} +MARQUEE_FILES$`, "m"));
  });

  test("masks a secret, wherever it came from", async () => {
    const flag = await marquee("config", "--secret-key", KEY);
    expect(flag.out).toMatch(/^secret-key +\(secret\) +--secret-key$/m);
    writeFileSync(path("key"), KEY);
    environment["MARQUEE_SECRET_KEY_FILE"] = path("key");
    const file = await marquee("config", "--json");
    expect(file.documents()).toContainEqual(
      expect.objectContaining({ setting: "secret-key", origin: "MARQUEE_SECRET_KEY_FILE" }),
    );
    expect(flag.out + flag.errors + file.out + file.errors).not.toContain(KEY);
  });

  test("touches no data folder", async () => {
    await marquee("config");
    expect(existsSync(path("data"))).toBe(false);
  });

  test("names every mistake at once and shows nothing", async () => {
    environment["MARQUEE_HOST"] = "a b";
    const { code, out, errors } = await marquee("config", "--port", "x", "--json");
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(errors).toContain("--port");
    expect(errors).toContain("MARQUEE_HOST");
  });
});
