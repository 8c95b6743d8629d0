import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { newSecretKey } from "../../src/vault/secret-key-files.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";

const { documentsOf, environment, path } = useCommandLine();

let server: MarqueeProcess;
let name: string;
let browser: SignedIn;

async function start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await startMarquee({
    folder: path(),
    arguments: [
      "--port",
      "0",
      "--data",
      path("data"),
      "--owner",
      "ada",
      "--rate-limit-seconds",
      "0",
    ],
    environment: variables,
  });
}

/** A browser that is signed in to the server's dashboard. */
async function signedIn(): Promise<SignedIn> {
  const get = (address: string, init: RequestInit = {}) =>
    fetch(server.url + address, { redirect: "manual", ...init });
  const issue = async () => {
    const [link] = await documentsOf("login", name);
    return String(link?.["url"]).split("/").at(-1) ?? "";
  };
  return signIn(
    { get, accounts: { magicLinks: { issue } } },
    { user: { id: 1, name } },
    server.url,
  );
}

const askApi = (apiPath: string) =>
  fetch(server.url + apiPath, { headers: { "X-Api-Key": server.ready["api_key"] ?? "" } });
const rotateWidget = () => browser.post("/en/dashboard/widget", { do: "widget rotate", id: "1" });
const storedWidgetUrl = async () => (await documentsOf("widget", "url", name))[0]?.["widget_url"];

beforeEach(() => {
  name = "ada";
});
afterEach(() => server.kill());

describe("a running server whose key is the data folder's", () => {
  beforeEach(async () => {
    await start();
    browser = await signedIn();
  });

  test("answers and stores as before while the key is replaced again and again", async () => {
    const socket = new WebSocket(`${server.ready["widget_url"]?.replace("http", "ws")}/live`);
    const closed: number[] = [];
    await new Promise((opened) => {
      socket.onopen = opened;
      socket.onclose = ({ code }) => void closed.push(code);
    });
    const rotations = (async () => {
      for (let time = 0; time < 3; time++) await documentsOf("secret", "rotate");
    })();
    const statuses = new Set<number>();
    let isOver = false;
    void rotations.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const answers = await Promise.all([
        askApi("/api/v1/now-playing"),
        askApi("/api/v1/user"),
        fetch(String(server.ready["widget_url"])),
        browser.get("/en/dashboard/widget"),
        browser.post("/en/dashboard/music", { do: "connect", source: "demo" }),
      ]);
      for (const { status } of answers) statuses.add(status);
    }
    await rotations;
    expect([...statuses].toSorted()).toEqual([200, 303]);
    // The overlay was told nothing of it all.
    expect(closed).toEqual([]);
    socket.close();

    expect((await rotateWidget()).status).toBe(303);
    const shown = await (await browser.get("/en/dashboard/widget")).text();
    const stored = String(await storedWidgetUrl());
    expect(shown).toContain(stored.split("/").at(-1) ?? "nothing");
    expect((await fetch(stored)).status).toBe(200);
  });
});

test("a running server goes over to a key that was given, and needs it when it starts again", async () => {
  const [oldKey, newKey] = [newSecretKey(), newSecretKey()];
  writeFileSync(path("old.key"), oldKey, { mode: 0o600 });
  await start({ MARQUEE_SECRET_KEY: oldKey });
  environment["MARQUEE_SECRET_KEY"] = oldKey;
  browser = await signedIn();
  const before = await storedWidgetUrl();

  environment["MARQUEE_SECRET_KEY"] = newKey;
  const rotated = await documentsOf("secret", "rotate", "--old-key-file", path("old.key"));
  expect(rotated).toEqual([{ rotated: true, resealed: 2 }]);
  expect((await rotateWidget()).status).toBe(303);
  const after = await storedWidgetUrl();
  expect(after).not.toBe(before);
  for (const key of [oldKey, newKey]) expect(server.log()).not.toContain(key);

  await server.kill();
  await expect(start({ MARQUEE_SECRET_KEY: oldKey })).rejects.toThrow("another key");
  await start({ MARQUEE_SECRET_KEY: newKey });
  const token = String(after).split("/").at(-1);
  expect((await fetch(`${server.url}/en/widget/${token}`)).status).toBe(200);
});
