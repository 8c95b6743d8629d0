import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import { openPostgresStore } from "../../../src/db/postgres/open.ts";
import { SERVER_VARIABLE, TEMPLATE } from "../../fixtures/data/test-store.ts";
import {
  type Cluster,
  isPostgresThere,
  startCluster,
  testWithPostgres,
} from "../../fixtures/postgres/cluster.ts";

/** Suites that hold for every database; those of the data folder's files are not among them. */
const SUITES = [
  "accounts/changes",
  "accounts/found-covers",
  "accounts/keys",
  "accounts/magic-links",
  "accounts/privacy",
  "accounts/sessions",
  "accounts/upstreams",
  "accounts/users",
  "cli/connection",
  "cli/key",
  "cli/user",
  "looks/fonts",
  "looks/widgets",
  "music/connection-status",
  "music/connections",
  "music/history",
  "music/inboxes",
].map((name) => `./tests/${name}.test.ts`);
/** Tests that hold for files alone. */
const OF_FILES = [
  // A server tells of the change that this test makes behind the back.
  "is answered from memory until that is forgotten",
  "a database holds no more of its changes than its users",
  "several users' changes are each told once",
  "another process writes at that moment",
  "no file of the data folder",
  "creates the data folder",
  "another program held a lock",
  "songs that wait, the newest",
];

const root = join(import.meta.dir, "../../..");
let cluster: Cluster;

beforeAll(async () => {
  if (!isPostgresThere) return;
  cluster = await startCluster({ authentication: "trust" });
  await cluster.run(`CREATE DATABASE ${TEMPLATE}`);
  const store = await openPostgresStore(cluster.urlOf(TEMPLATE), {
    whenMissing: "create",
    most: 1,
  });
  await store.close();
});
afterAll(() => cluster?.remove());

describe("accounts and commands on PostgreSQL", () => {
  testWithPostgres(
    "keep the promises that they keep on SQLite",
    async () => {
      const names = `^(?!.*(${OF_FILES.join("|")})).*$`;
      const tests = Bun.spawn(
        [process.execPath, "test", "--timeout", "20000", "--test-name-pattern", names, ...SUITES],
        {
          cwd: root,
          env: { ...process.env, [SERVER_VARIABLE]: cluster.urlOf("postgres") },
          stdout: "ignore",
          stderr: "pipe",
        },
      );
      const said = await new Response(tests.stderr).text();
      const failed = said.split("\n").filter((line) => line.startsWith("(fail)"));
      expect(failed).toEqual([]);
      // A path that matches no file is passed over in silence.
      expect(said).toContain(`across ${SUITES.length} files`);
      if ((await tests.exited) !== 0) throw new Error(said);
    },
    300_000,
  );
});
