import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { isServerRunning } from "../../src/control/folder-lock.ts";
import { exitOf, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { BUILD_WITHIN_MS, buildExecutable, executableFor } from "../fixtures/servers/executable.ts";

/** Many starts at once on one data folder, again and again, whose server is killed in each state. */
const ROUNDS = 100;
const STARTS = 12;
const ENDS = ["killed while it starts", "killed while it serves", "killed while it stops"] as const;
const GIVES_UP = /already runs/;

let folder: TempFolder;
const seen = { served: 0, gaveUp: 0, killed: 0 };

beforeAll(async () => {
  await buildExecutable();
  folder = createTempFolder();
}, BUILD_WITHIN_MS);
afterAll(() => {
  folder.remove();
  console.log(`${ROUNDS} rounds of ${STARTS} starts:`, seen);
});

const data = () => join(folder.path, "data");
const start = () => {
  const child = Bun.spawn(
    [executableFor().path, "serve", "--json", "--port", "0", "--data", data()],
    { cwd: folder.path, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const started = { child, isReady: false, errors: "" };
  void (async () => {
    for await (const _ of child.stdout) started.isReady = true;
  })();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) started.errors += decoder.decode(bytes);
  })();
  return started;
};

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  "round %i has at most one server, and leaves the folder free",
  async (round) => {
    const end = ENDS[round % ENDS.length];
    const all = Array.from({ length: STARTS }, start);
    const ready = () => all.filter(({ isReady }) => isReady);
    if (end === "killed while it starts") {
      // Any moment of a start: the first rounds kill at once, later ones when it nearly serves.
      await Bun.sleep(round * 2);
    } else {
      await until(() => (ready().length > 0 ? true : undefined));
      if (end === "killed while it stops") {
        ready()[0]?.child.kill("SIGTERM");
        await Bun.sleep(round % 7);
      } else {
        await until(() =>
          all.filter(({ child }) => child.exitCode === null).length === 1 ? true : undefined,
        );
      }
    }
    expect(ready().length).toBeLessThanOrEqual(1);
    for (const { child } of all) if (child.exitCode === null) child.kill("SIGKILL");
    await Promise.all(all.map(({ child }) => exitOf(child)));
    for (const { child, isReady, errors } of all) {
      if (isReady) seen.served += 1;
      else if (child.exitCode === 1) {
        expect(errors).toMatch(GIVES_UP);
        seen.gaveUp += 1;
      } else seen.killed += 1;
    }
    expect(isServerRunning(data())).toBe(false);
  },
);

test("the folder still serves", async () => {
  const last = start();
  await until(() => (last.isReady ? true : undefined));
  last.child.kill("SIGTERM");
  expect(await exitOf(last.child)).toBe(0);
});
