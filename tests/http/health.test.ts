import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { createHealthFeature } from "../../src/http/health.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

const statusOf = async (path: string) => (await server.get(path)).status;
/** As a full disk or a read-only one would. */
const refuseWrites = (refuse: boolean) =>
  server.store.queries.run(refuse ? sql`PRAGMA query_only = ON` : sql`PRAGMA query_only = OFF`);

describe("/livez and /readyz", () => {
  test("answer plainly while all is well", async () => {
    for (const path of ["/livez", "/readyz"]) {
      const response = await server.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.text()).toBe("ok\n");
    }
  });

  test("part when the database takes no writes, and agree again once it does", async () => {
    refuseWrites(true);
    expect(await statusOf("/readyz")).toBe(503);
    expect(await statusOf("/livez")).toBe(200);
    refuseWrites(false);
    await server.clock.advance(1_000);
    expect(await statusOf("/readyz")).toBe(200);
  });

  test("part when the server is about to stop", async () => {
    server.app.stop();
    expect(await statusOf("/readyz")).toBe(503);
    expect(await statusOf("/livez")).toBe(200);
  });

  test("tell nothing of what failed", async () => {
    refuseWrites(true);
    expect(await (await server.get("/readyz")).text()).not.toContain("query_only");
  });
});

test("the database is written to once a second, however often anybody asks", async () => {
  const clock = createFakeClock();
  let writes = 0;
  const { plugin } = createHealthFeature({ clock, probeWrite: () => void (writes += 1) });
  const ready = () => plugin?.handle(new Request("http://127.0.0.1/readyz"));
  for (let asked = 0; asked < 100; asked++) await ready();
  expect(writes).toBe(1);
  await clock.advance(999);
  await ready();
  expect(writes).toBe(1);
  await clock.advance(1);
  await ready();
  expect(writes).toBe(2);
});
