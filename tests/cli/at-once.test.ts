import { afterAll, beforeAll, expect, test } from "bun:test";
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

const keyStatus = async (key = "") => {
  const headers = { "X-Api-Key": key };
  const response = await fetch(`${server.url}/api/v1/user`, { headers });
  await response.text();
  return response.status;
};

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

test("fifty commands beside requests are each carried out once", async () => {
  const [ada] = await marquee("user", "add", "ada");
  let isOver = false;
  const statuses = new Set<number>();
  const asking = (async () => {
    while (!isOver) statuses.add(await keyStatus(ada?.["api_key"]));
  })();
  const names = Array.from({ length: 50 }, (_, at) => `many-${at}`);
  let next = 0;
  const working = Array.from({ length: 10 }, async () => {
    for (let at = next++; at < names.length; at = next++) {
      const made = names[at] ?? "";
      if (at % 2 === 0) await marquee("user", "add", made);
      else await marquee("key", "add", at % 4 === 1 ? "ada" : "owner", "--name", made);
    }
  });
  await Promise.all(working);
  isOver = true;
  await asking;
  const listed = [
    ...(await marquee("user", "list")).map(({ username }) => username),
    ...(await marquee("key", "list", "ada")).map((key) => key["name"]),
    ...(await marquee("key", "list", "owner")).map((key) => key["name"]),
  ].filter((made) => made?.startsWith("many-"));
  expect(listed.toSorted()).toEqual(names.toSorted());
  expect([...statuses]).toEqual([200]);
});
