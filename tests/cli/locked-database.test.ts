import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { holdLock, type LockHolder } from "../fixtures/data/locked-database.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { inTime } from "../fixtures/clock/waiting.ts";

let folder: ReturnType<typeof createDataFolder>;
let server: MarqueeProcess;
let holder: LockHolder;

beforeEach(async () => {
  folder = createDataFolder();
  server = await startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--rate-limit-seconds", "0"],
  });
});
afterEach(async () => {
  await holder.release();
  await server.kill();
  folder.remove();
});

const databaseFile = () => join(folder.path, "marquee-data", "marquee.db");
const hold = async (...statements: string[]) => {
  holder = await holdLock(databaseFile(), statements);
};

const get = (path: string) =>
  fetch(server.url + path, { headers: { "X-Api-Key": server.ready["api_key"] ?? "" } });

/** The statuses of some paths, each of which has to be answered while the lock is held. */
async function statusesOf(...paths: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) {
    statuses.push((await inTime(path, get(path))).status);
  }
  return statuses;
}

describe("while another program reads the database,", () => {
  beforeEach(() => hold("BEGIN", "SELECT count(*) FROM users"));

  test("a command ends all the same, and so does the server", async () => {
    const added = await runMarquee({
      folder: folder.path,
      arguments: ["user", "add", "grace", "--json"],
    });
    expect(added.code).toBe(0);
    expect(await statusesOf("/readyz", "/livez", "/api/v1/now-playing")).toEqual([200, 200, 200]);
    expect(await server.stop()).toBe(0);
  });
});

describe("while another program writes to the database,", () => {
  const paths = ["/readyz", "/livez", "/api/v1/now-playing", "/api/v1/user"];

  beforeEach(() => hold("BEGIN IMMEDIATE"));

  test("the server answers all the same, and says that it is not ready", async () => {
    expect(await statusesOf(...paths, ...paths)).toEqual([503, 200, 200, 200, 503, 200, 200, 200]);
  });

  test("a stop gives up writing, says so and succeeds", async () => {
    await get("/api/v1/now-playing");
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain("not everything could be stored before the stop");
  });
});
