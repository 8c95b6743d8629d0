/** What a command does is in force at a running server when it returns, as what a form does is. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../src/cli/run.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";

const folder = createDataFolder();
const data = join(folder.path, "data");
let server: MarqueeProcess;

type Document = Record<string, string>;

/** Carries a command out, and returns the documents that it prints. */
async function marquee(...words: string[]): Promise<Document[]> {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await run([...words, "--json"], {
    environment: { MARQUEE_DATA: data },
    out: (line) => void out.push(line),
    error: (line) => void errors.push(line),
  });
  if (code !== 0) throw new Error(`marquee ${words.join(" ")}: ${errors.join(" ")}`);
  return out.map((line): Document => JSON.parse(line));
}
async function one(...words: string[]): Promise<Document> {
  const [document = {}] = await marquee(...words);
  return document;
}

const statusOf = async (url = "", init: RequestInit = {}): Promise<number> => {
  const response = await fetch(url, { redirect: "manual", ...init });
  await response.text();
  return response.status;
};
const api = (path: string, key = "") =>
  fetch(`${server.url}/api/v1/${path}`, { headers: { "X-Api-Key": key } });
const keyStatus = async (key = "") => (await api("user", key)).status;
const titleFor = async (key = "") => {
  const response = await api("now-playing", key);
  return response.status === 200 ? (await response.json()).data?.track.name : undefined;
};
const push = (url: string | undefined, title: string) =>
  statusOf(url, {
    method: "POST",
    body: JSON.stringify({ title, artist: "Juniper Vale", duration_ms: 600_000, position_ms: 0 }),
  });

beforeAll(async () => {
  server = await startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--data", data, "--owner", "owner", "--rate-limit-seconds", "0"],
  });
});
afterAll(async () => {
  await server.kill();
  folder.remove();
});

let users = 0;
/** The user of one test, as added. */
let user: Document;
let name: string;
beforeEach(async () => {
  name = `u${(users += 1)}`;
  user = await one("user", "add", name);
});

describe("at once,", () => {
  test("a connection takes what is pushed, and no longer when its secret or it is gone", async () => {
    const connected = await one("connect", name, "json");
    expect(await push(connected["url"], "Glass Harbour")).toBe(200);
    expect(await titleFor(user["api_key"])).toBe("Glass Harbour");
    const rotated = await one("connection", "rotate", name, String(connected["id"]));
    expect(await push(connected["url"], "Paper Lanterns")).toBe(401);
    expect(await push(rotated["url"], "Paper Lanterns")).toBe(200);
    expect(await titleFor(user["api_key"])).toBe("Paper Lanterns");
    await marquee("disconnect", name);
    expect(await push(rotated["url"], "Slow Weather")).toBe(401);
    expect(await titleFor(user["api_key"])).toBeUndefined();
  });
});

test("fifty commands beside requests are each carried out once", async () => {
  let isOver = false;
  const statuses = new Set<number>();
  const asking = (async () => {
    while (!isOver) statuses.add(await keyStatus(user["api_key"]));
  })();
  const names = Array.from({ length: 50 }, (_, at) => `many-${at}`);
  let next = 0;
  const working = Array.from({ length: 10 }, async () => {
    for (let at = next++; at < names.length; at = next++) {
      const made = names[at] ?? "";
      if (at % 2 === 0) await marquee("user", "add", made);
      else await marquee("key", "add", at % 4 === 1 ? name : "owner", "--name", made);
    }
  });
  await Promise.all(working);
  isOver = true;
  await asking;
  const listed = [
    ...(await marquee("user", "list")).map(({ username }) => username),
    ...(await marquee("key", "list", name)).map((key) => key["name"]),
    ...(await marquee("key", "list", "owner")).map((key) => key["name"]),
  ].filter((made) => made?.startsWith("many-"));
  expect(listed.toSorted()).toEqual(names.toSorted());
  expect([...statuses]).toEqual([200]);
});
