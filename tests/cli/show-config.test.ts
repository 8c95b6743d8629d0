import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";

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

describe("while a server runs on the data folder", () => {
  let server: MarqueeProcess | undefined;
  afterEach(async () => {
    await server?.kill();
    server = undefined;
  });
  const start = async () => {
    server = await startMarquee({
      folder: path(),
      arguments: ["--port", "0", "--data", path("data"), "--files", "songs"],
      environment: { MARQUEE_RATE_LIMIT_SECONDS: "7", MARQUEE_METRICS_TOKEN: "hushhush-hushhush" },
    });
  };

  test("marquee config shows its settings, and not those of the command", async () => {
    await start();
    environment["MARQUEE_RATE_LIMIT_SECONDS"] = "9";
    const asJson = await marquee("config", "--port", "8080", "--json");
    const shown = new Map(asJson.documents().map((one) => [one["setting"], one]));
    expect(shown.get("port")).toMatchObject({ value: 0, origin: "--port" });
    expect(shown.get("files")).toMatchObject({ value: path("songs"), origin: "--files" });
    expect(shown.get("rate-limit-seconds")).toEqual({
      setting: "rate-limit-seconds",
      value: 7,
      origin: "MARQUEE_RATE_LIMIT_SECONDS",
      variable: "MARQUEE_RATE_LIMIT_SECONDS",
    });
    expect(shown.get("metrics-token")).toMatchObject({ value: "(secret)" });
    expect(asJson.errors).toContain("Note: --port had no effect");
    const { code, out, errors } = await marquee("config");
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toMatch(/^rate-limit-seconds +7 +MARQUEE_RATE_LIMIT_SECONDS$/m);
    expect(out).toMatch(/^player-hosts +– +default$/m);
    expect(out).not.toContain("hushhush");
  });

  test("marquee doctor names the settings that were chosen for it", async () => {
    await start();
    environment["MARQUEE_LOG_LEVEL"] = "debug";
    const [document] = await documentsOf("doctor");
    expect(document?.["settings"]).toEqual([
      { setting: "data", origin: "--data" },
      { setting: "port", origin: "--port" },
      { setting: "files", origin: "--files" },
      { setting: "rate-limit-seconds", origin: "MARQUEE_RATE_LIMIT_SECONDS" },
      { setting: "metrics-token", origin: "MARQUEE_METRICS_TOKEN" },
    ]);
  });
});
