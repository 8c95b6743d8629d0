import { expect, test } from "bun:test";
import { wouldSendReports } from "../src/crash-reports.ts";

/** Says what it knows, and starts itself anew if it was not. */
const PROGRAM = `
  const { startAnew, wasStartedAnew, wouldSendReports } = await import(${JSON.stringify(`${import.meta.dir}/../src/crash-reports.ts`)});
  const [platform, ...words] = process.argv.slice(1);
  if (wouldSendReports(platform, process.env)) {
    await startAnew([process.execPath, "-e", process.env.PROGRAM, platform, ...words], platform, process.env);
  }
  console.log(JSON.stringify({
    words,
    pid: process.pid,
    wasStartedAnew: wasStartedAnew(process.env),
    reports: process.env.BUN_ENABLE_CRASH_REPORTING,
  }));
  process.exit(7);
`;

async function start(platform: string, environment: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, "-e", PROGRAM, platform, "serve", "two words"], {
    env: { PATH: process.env["PATH"], PROGRAM, ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  const told: unknown = JSON.parse(await new Response(child.stdout).text());
  return { told, pid: child.pid, code: await child.exited };
}

test("a process on macOS becomes one that sends no reports, with the same words", async () => {
  const { told, pid, code } = await start("darwin");
  const words = ["serve", "two words"];
  expect(told).toEqual({ words, pid, wasStartedAnew: false, reports: "0" });
  expect(code).toBe(7);
});

test("a process on Windows waits for another one, and ends as it does", async () => {
  const { told, pid, code } = await start("win32");
  const words = ["serve", "two words"];
  expect(told).toEqual({ words, pid: expect.any(Number), wasStartedAnew: true, reports: "0" });
  expect(told).not.toMatchObject({ pid });
  expect(code).toBe(7);
});

test("it is not started anew where nothing would be sent", () => {
  expect(wouldSendReports("linux", {})).toBe(false);
  expect(wouldSendReports("darwin", { BUN_ENABLE_CRASH_REPORTING: "0" })).toBe(false);
  expect(wouldSendReports("win32", { BUN_ENABLE_CRASH_REPORTING: "0" })).toBe(false);
  expect(wouldSendReports("win32", {})).toBe(true);
});
