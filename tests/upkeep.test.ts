import { afterEach, beforeEach, expect, test } from "bun:test";
import { createLog } from "../src/log.ts";
import { keepUp } from "../src/upkeep.ts";
import { until } from "./fixtures/clock/waiting.ts";
import { createTestServer, type TestServer } from "./fixtures/servers/test-server.ts";

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

test("work in the background that fails is named in the log, and the other work goes on", async () => {
  const lines: string[] = [];
  let songs = 0;
  const stop = keepUp({
    accounts: {
      ...server.accounts,
      history: { ...server.accounts.history, forgetOld: async () => void (songs += 1) },
    },
    store: server.store,
    log: createLog({
      level: "error",
      format: "json",
      write: (line) => void lines.push(line),
      wallMs: server.clock.wallMs,
    }),
    remindOfConsent() {
      throw new Error("no room");
    },
  });
  try {
    await until(() => lines.length > 0 && songs === 1);
  } finally {
    stop();
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { message: "background work failed", work: "remind of consent", reason: "no room" },
  ]);
});
