import { afterAll, beforeAll, expect } from "bun:test";
import { createNotifiedFeed } from "../../../src/db/postgres/change-feed.ts";
import { createPool } from "../../../src/db/postgres/pool.ts";
import {
  type Cluster,
  isPostgresThere,
  startCluster,
  testWithPostgres,
} from "../../fixtures/postgres/cluster.ts";

let server: Cluster;

beforeAll(async () => {
  if (isPostgresThere) server = await startCluster();
}, 60_000);
afterAll(async () => {
  if (isPostgresThere) await server.remove();
});

testWithPostgres("a flood of notices, forged ones too, is followed as few changes", async () => {
  const url = await server.createDatabase();
  const pool = createPool(url, 2);
  const feed = createNotifiedFeed(url, pool);
  const followed: (number | undefined)[] = [];
  const first = Promise.withResolvers<void>();
  feed.onChange(async ({ userId }) => {
    followed.push(userId);
    await first.promise;
  });
  try {
    const begun = feed.checkForChanges();
    // The first change is still being followed while all others come.
    await pool.query(
      `SELECT pg_notify('marquee_changes', text) FROM (
        SELECT (number % 3)::text || ' widgets' AS text FROM generate_series(1, 3000) AS number
        UNION ALL SELECT 'mark forged ' || number FROM generate_series(1, 1000) AS number
        UNION ALL SELECT '-1e9; nonsense ' || number FROM generate_series(1, 1000) AS number) AS forged`,
    );
    first.resolve();
    await begun;
    await feed.checkForChanges();
    expect(followed.length).toBeWithin(1, 10);
    expect(followed).toContain(undefined);
    await pool.query("SELECT pg_notify('marquee_changes', '7 fonts')");
    await feed.checkForChanges();
    expect(followed.at(-1)).toBe(7);
  } finally {
    await feed.close();
    await pool.close();
  }
});

testWithPostgres("a change that could not be followed is followed at the next check", async () => {
  const url = await server.createDatabase();
  const pool = createPool(url, 2);
  const feed = createNotifiedFeed(url, pool);
  const followed: (number | undefined)[] = [];
  let isFailing = false;
  feed.onChange(({ userId }) => {
    if (isFailing) throw new Error("a query was ended");
    followed.push(userId);
  });
  try {
    await feed.checkForChanges();
    followed.length = 0;
    isFailing = true;
    await pool.query("SELECT pg_notify('marquee_changes', '7 fonts')");
    // A write that is stored is not refused because of it.
    await feed.publishChanges();
    await expect(feed.checkForChanges()).rejects.toThrow("a query was ended");
    isFailing = false;
    await feed.checkForChanges();
    expect(followed).toEqual([7]);
    await feed.checkForChanges();
    expect(followed).toEqual([7]);
  } finally {
    await feed.close();
    await pool.close();
  }
});
