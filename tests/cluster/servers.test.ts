import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createVault } from "../../src/vault/vault.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { openCluster, type SharedCluster } from "../../src/cluster/postgres/open-cluster.ts";
import { migrate } from "../../src/db/postgres/migrations.ts";
import { createPool } from "../../src/db/postgres/pool.ts";
import { createLog } from "../../src/log.ts";
import type { Playback } from "../../src/playback.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { openOverlay, type Overlay } from "../fixtures/http/overlay-socket.ts";
import {
  type Cluster as PostgresServer,
  isPostgresThere,
  startCluster,
  testWithPostgres,
} from "../fixtures/postgres/cluster.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { assembleTestServer, TEST_KEY, type TestServer } from "../fixtures/servers/test-server.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/** Three servers that share a database of accounts and a real PostgreSQL. */

const clock = systemClock;
const log = createLog({ level: "error", format: "text", write: () => {}, wallMs: clock.wallMs });

let postgres: PostgresServer;
let clusters: SharedCluster[];
let servers: TestServer<Clock>[];
let ports: RealPort[];
let overlays: Overlay[];
let ada: AddedUser;

beforeAll(async () => {
  if (isPostgresThere) postgres = await startCluster();
}, 60_000);
afterAll(async () => {
  if (isPostgresThere) await postgres.remove();
});

beforeEach(async () => {
  [clusters, servers, ports, overlays] = [[], [], [], []];
  if (!isPostgresThere) return;
  const url = await postgres.createDatabase();
  const pool = createPool(url, 1);
  await migrate(pool);
  await pool.close();
  for (let count = 0; count < 3; count++) {
    const cluster = openCluster({ clock, log, url, vault: createVault(TEST_KEY) });
    const [beside] = servers;
    clusters.push(cluster);
    const settings = { metricsToken: "a-token-for-metrics" };
    const server = await assembleTestServer(clock, {
      settings,
      cluster,
      ...(beside && { beside }),
    });
    servers.push(server);
    ports.push(openPort(server));
  }
  ada = await at(servers, 0).addUser("ada");
  await until(() => clusters.every(({ bus }) => bus.up) || undefined);
  for (let beat = 0; beat < 30; beat++) {
    await Promise.all(clusters.map(({ leases }) => leases.beat()));
  }
}, 30_000);
afterEach(async () => {
  for (const overlay of overlays) overlay.close();
  for (const port of ports) await port.end();
  for (const server of servers.toReversed()) server.close();
  await Promise.all(clusters.map((cluster) => cluster.close()));
}, 30_000);

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no ${index}`);
  return item;
}

const song = (title: string, changes: Partial<Playback> = {}) =>
  aPlayback({
    track: { id: title, title, durationMs: 200_000, explicit: false },
    observedAtMs: clock.monotonicMs(),
    ...changes,
  });
const says = (playback: Playback) => at(servers, 0).sourceOf(ada).says(playback);
const openOn = async (node: number) => {
  const overlay = await openOverlay(`${at(ports, node).origin}/en/widget/${ada.widgetToken}/live`);
  overlays.push(overlay);
  return overlay;
};
/** The first state that shows this title. */
const shows = async (overlay: Overlay, title: string) => {
  for (;;) {
    const message = await overlay.next();
    if (message.type !== "state" || message.state.kind === "idle") continue;
    if ("track" in message.state && message.state.track.title === title) return message.state;
  }
};

describe("servers that share a database", () => {
  testWithPostgres("show a change on the overlays of all", async () => {
    const all = await Promise.all([0, 1, 2].map((node) => openOn(node)));
    await says(song("one"));
    for (const overlay of all) await shows(overlay, "one");
    expect(at(servers, 0).sourceOf(ada).listeners()).toBe(1);
    await says(song("two"));
    for (const overlay of all) await shows(overlay, "two");
  });

  testWithPostgres("serve a cover that only one of them has loaded, on all", async () => {
    const picture = await patternPicture("png", 300);
    const cover = { key: "player 1", origin: "player", load: async () => picture };
    // The others do not even know of it.
    const overlay = await openOn(0);
    await says(song("one", { album: { name: "An album", artworks: [cover] } }));
    await shows(overlay, "one");
    const path = `/art/${at(servers, 0).vault.opaqueName(cover.key)}/640.jpg`;
    for (const server of servers) {
      const answer = await until(async () => {
        const got = await server.get(path);
        return got.status === 200 ? got : undefined;
      });
      expect(answer.headers.get("content-type")).toBe("image/jpeg");
    }
  });

  testWithPostgres("serve a cover that one of them has found elsewhere, on all", async () => {
    const picture = await patternPicture("png", 300);
    const cover = { key: "found:elsewhere", load: async () => picture };
    at(clusters, 0).keepArtwork(ada.user.id, cover);
    const path = `/art/${at(servers, 0).vault.opaqueName(cover.key)}/640.jpg`;
    for (const server of servers) {
      await until(async () => ((await server.get(path)).status === 200 ? true : undefined));
    }
  });

  testWithPostgres("admit one of many calls with one key", async () => {
    await says(song("one"));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, call) =>
        at(servers, call % 3).getAs(ada, "/api/v1/now-playing"),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(49);
  });

  testWithPostgres("are not ready while they do not play each other", async () => {
    const [server] = servers;
    expect((await server?.get("/readyz"))?.status).toBe(200);
    await postgres.stop();
    await until(async () => ((await server?.get("/readyz"))?.status === 503 ? true : undefined));
    await postgres.start();
    await until(async () => ((await server?.get("/readyz"))?.status === 200 ? true : undefined));
  });

  testWithPostgres("count what they share", async () => {
    await openOn(1);
    await until(() => at(servers, 0).sourceOf(ada).listeners() || undefined);
    const headers = { authorization: "Bearer a-token-for-metrics" };
    const texts = await Promise.all(
      servers.map(async (server) => (await server.get("/metrics", { headers })).text()),
    );
    const sumOf = (name: string) =>
      texts.reduce(
        (sum, text) => sum + Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]),
        0,
      );
    expect(sumOf("marquee_shards")).toBe(256);
    expect(sumOf("marquee_relayed_channels")).toBe(1);
    expect(sumOf("marquee_watched_users")).toBe(1);
    expect(sumOf("marquee_bus_delay_seconds")).toBeGreaterThan(0);
  });
});
