import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { KeptSong } from "../../src/music/kept-song.ts";
import { FontError, MOST_FONTS } from "../../src/looks/fonts.ts";
import { MOST_WORKING_KEYS, TooManyKeysError } from "../../src/accounts/keys.ts";
import { MOST_WIDGETS, WidgetError } from "../../src/looks/widget-error.ts";
import { SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { anotherFont } from "../fixtures/fonts/fonts.ts";
import { createCookieJar } from "../fixtures/http/cookie-jar.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import {
  type Cluster as PostgresServer,
  isPostgresThere,
  startCluster,
  testWithPostgres,
} from "../fixtures/postgres/cluster.ts";
import {
  type PostgresNode,
  type PostgresNodeOptions,
  share,
  startPostgresNode,
} from "../fixtures/servers/postgres-node.ts";
import { LISTENER } from "../fixtures/servers/linking-server.ts";
import { playingForEver } from "../fixtures/spotify/listening.ts";
import { createSpotify, type StandInSpotify } from "../fixtures/spotify/spotify.ts";
import { systemClock } from "../../src/clock.ts";

/** Two servers that have nothing in common but a real PostgreSQL, and what users do on either. */

const ORIGIN = "http://127.0.0.1:4747";

let postgres: PostgresServer;
let nodes: PostgresNode[];

beforeAll(async () => {
  if (isPostgresThere) postgres = await startCluster({ authentication: "trust" });
}, 60_000);
afterAll(async () => {
  if (isPostgresThere) await postgres.remove();
});
beforeEach(() => {
  nodes = [];
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.end()));
}, 30_000);

async function startTwo(options: PostgresNodeOptions = {}): Promise<[PostgresNode, PostgresNode]> {
  const url = await postgres.createDatabase();
  const first = await startPostgresNode(url, options);
  nodes.push(first);
  const second = await startPostgresNode(url, options);
  nodes.push(second);
  await share(nodes);
  return [first, second];
}

const addTo = async (
  node: PostgresNode,
  name: string,
  connection?: { source: string; settings: unknown },
): Promise<AddedUser> => {
  const [added] = await node.accounts.add([name], connection);
  if (!added) throw new Error("no user was added");
  return added;
};

/** One call after the other on both nodes in turns, all at once. */
const fiftyTimes = <Answer>(call: (node: PostgresNode) => Promise<Answer>) =>
  Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const node = nodes[index % nodes.length];
      if (!node) throw new Error("there are no nodes");
      return call(node);
    }),
  );

/** Ignores an error of this kind. */
const onlyOf = (kind: new (...given: never[]) => Error) => (error: unknown) => {
  if (!(error instanceof kind)) throw error;
};

/** How long it takes until the answer has this status, in milliseconds. */
async function msUntil(status: number, ask: () => Promise<Response>): Promise<number> {
  const fromMs = performance.now();
  await until(async () => (await ask()).status === status || undefined);
  return performance.now() - fromMs;
}

describe("a link that works once", () => {
  testWithPostgres(
    "signs one of fifty browsers in, on whichever node they are",
    async () => {
      const [first] = await startTwo();
      const { user } = await addTo(first, "ada");
      const secret = await first.accounts.magicLinks.issue(user, SIGN_IN_PURPOSE);
      const answers = await fiftyTimes((node) =>
        node.get(`/en/sign-in/${secret}`, { method: "POST", headers: { origin: ORIGIN } }),
      );
      expect(answers.filter(({ headers }) => headers.has("set-cookie"))).toHaveLength(1);
      expect(await first.accounts.sessions.list(user)).toHaveLength(1);
    },
    30_000,
  );

  testWithPostgres(
    "is used up once by fifty claims",
    async () => {
      const [first] = await startTwo();
      const { user } = await addTo(first, "ada");
      const secret = await first.accounts.magicLinks.issue(user, "connect spotify");
      const claims = await fiftyTimes(({ accounts }) =>
        accounts.magicLinks.use(secret, "connect spotify"),
      );
      expect(claims.filter((claimed) => claimed !== undefined)).toMatchObject([{ name: "ada" }]);
    },
    30_000,
  );
});

describe("what is revoked on one node", () => {
  testWithPostgres(
    "is refused by the other within a second: a key",
    async () => {
      const [first, second] = await startTwo();
      const ada = await addTo(first, "ada");
      const ask = () => second.getAs(ada, "/api/v1/user");
      await until(async () => (await ask()).status === 200 || undefined);
      const [key] = await first.accounts.keys.list(ada.user);
      await first.accounts.keys.revoke(ada.user, key?.id ?? "");
      expect(await msUntil(401, ask)).toBeLessThan(1_000);
    },
    30_000,
  );

  testWithPostgres(
    "is refused by the other within a second: a session",
    async () => {
      const [first, second] = await startTwo();
      const ada = await addTo(first, "ada");
      const { cookie } = await signIn(first, ada);
      const ask = () => second.get("/en/dashboard", { headers: { cookie } });
      expect((await ask()).status).toBe(200);
      const [session] = await first.accounts.sessions.list(ada.user);
      await first.accounts.sessions.close(ada.user, session?.id ?? "");
      expect(await msUntil(401, ask)).toBeLessThan(1_000);
    },
    30_000,
  );

  testWithPostgres(
    "is refused by the other within a second: a widget's address",
    async () => {
      const [first, second] = await startTwo();
      const ada = await addTo(first, "ada");
      const ask = () => second.get(`/en/widget/${ada.widgetToken}`);
      expect((await ask()).status).toBe(200);
      await first.accounts.widgets.rotate(ada.user);
      expect(await msUntil(404, ask)).toBeLessThan(1_000);
    },
    30_000,
  );
});

describe("limits that hold on one server", () => {
  testWithPostgres(
    "hold on two nodes at once: of widgets, fonts and keys",
    async () => {
      const [first] = await startTwo();
      const { user } = await addTo(first, "ada");
      await Promise.all([
        fiftyTimes(({ accounts }) =>
          accounts.widgets
            .add(user, { name: crypto.randomUUID(), kind: "overlay" })
            .catch(onlyOf(WidgetError)),
        ),
        fiftyTimes(({ accounts }) =>
          accounts.fonts.add(user, crypto.randomUUID(), anotherFont()).catch(onlyOf(FontError)),
        ),
        fiftyTimes(({ accounts }) =>
          accounts.keys.add(user, "key").catch(onlyOf(TooManyKeysError)),
        ),
      ]);
      expect(await first.accounts.widgets.allOf(user)).toHaveLength(MOST_WIDGETS);
      expect(await first.accounts.fonts.allOf(user)).toHaveLength(MOST_FONTS);
      expect(await first.accounts.keys.list(user)).toHaveLength(MOST_WORKING_KEYS);
    },
    30_000,
  );
});

describe("a history that is cleared on one node", () => {
  testWithPostgres(
    "begins again on the other, which may be the one that watches its user",
    async () => {
      const [first, second] = await startTwo();
      const { user } = await addTo(first, "ada");
      const cleared: number[] = [];
      second.accounts.history.onCleared((userId) => cleared.push(userId));
      const count = (many: number) => until(() => (cleared.length === many ? true : undefined));
      await first.accounts.history.change(user, { keeps: "day", followsStreams: false });
      await count(1);
      await first.accounts.history.clear(user);
      await count(2);
      await first.accounts.history.change(user, { keeps: "month", followsStreams: false });
      await until(() => (second.accounts.history.of(user.id).keeps === "month" ? true : undefined));
      expect(cleared).toEqual([user.id, user.id]);
    },
    30_000,
  );
});

describe("a song that two nodes have got", () => {
  const song = (title: string, startedAt: number, playedMs: number): KeptSong => ({
    startedAt,
    playedMs,
    source: "Test",
    track: { id: title, title, durationMs: 200_000, explicit: false },
    artists: ["Juniper Vale"],
    albumName: "",
    coverPath: null,
    coverUrl: null,
  });

  testWithPostgres(
    "is kept once, although they measured its start themselves",
    async () => {
      const [first, second] = await startTwo();
      const { user } = await addTo(first, "ada");
      const histories = [first.accounts.history, second.accounts.history];
      await first.accounts.history.change(user, { keeps: "always", followsStreams: false });
      await until(() => (second.accounts.history.of(user.id).keeps === null ? undefined : true));
      const kept = async () =>
        (await first.accounts.history.songsOf(user)).map(({ track, playedMs }) => [
          track.title,
          playedMs,
        ]);
      for (let turn = 0; turn < 6; turn++) {
        const beganAt = 1_000_000 + turn * 300_000;
        // The second began to follow later, and its clock is some milliseconds off.
        const notes = [30_000, 90_000, 150_000].flatMap((playedMs) =>
          histories.map((history, node) =>
            history.note(
              user.id,
              song(`song ${turn % 2}`, beganAt + node * (turn * 7_000 + 3), playedMs - node * 5),
            ),
          ),
        );
        await Promise.all(notes);
      }
      expect(await kept()).toEqual([1, 0, 1, 0, 1, 0].map((number) => [`song ${number}`, 150_000]));
    },
    30_000,
  );

  testWithPostgres(
    "goes on under its start when another node takes the user over",
    async () => {
      const [first, second] = await startTwo();
      const { user } = await addTo(first, "ada");
      await first.accounts.history.change(user, { keeps: "always", followsStreams: false });
      await until(() => (second.accounts.history.of(user.id).keeps === null ? undefined : true));
      await first.accounts.history.note(user.id, song("long", 1_000_000, 60_000));
      await second.accounts.history.note(user.id, song("long", 1_075_000, 90_000));
      expect(await second.accounts.history.songsOf(user)).toMatchObject([
        { startedAt: 1_000_000, playedMs: 90_000 },
      ]);
    },
    30_000,
  );
});

describe("Spotify on two nodes", () => {
  let spotify: StandInSpotify;
  /** Happens before Spotify's answer to a refresh arrives. */
  let beforeRefreshed: () => Promise<void>;

  const PLAYER = "/v1/me/player";
  const callsTo = (path: string) => spotify.calls.filter((call) => call.path === path);
  const refreshes = () => callsTo("/api/token").length;

  beforeEach(() => {
    spotify = createSpotify({ clock: systemClock });
    beforeRefreshed = async () => {};
  });

  const startWithSpotify = () =>
    startTwo({
      settings: { spotifyClientId: spotify.clientId },
      async fetch(url, init) {
        const answer = await spotify.fetch(url, init);
        if (new URL(url).pathname === "/api/token") await beforeRefreshed();
        return answer;
      },
    });
  const link = async (node: PostgresNode, rotatesTokens: boolean) => {
    const account = spotify.addUser({ listening: playingForEver([3_000_000]), rotatesTokens });
    const ada = await addTo(node, "ada", {
      source: "spotify",
      settings: {
        clientId: spotify.clientId,
        refreshToken: account.refreshToken,
        consentedAt: systemClock.wallMs(),
        accountId: account.id,
        displayName: "Ada",
        product: null,
      },
    });
    return { account, ada, userId: ada.user.id };
  };
  /** Who watches a user, and who does not. */
  const inRoles = (userId: number): { holder: PostgresNode; other: PostgresNode } => {
    const [holder, other] = nodes.toSorted(
      (a, b) => Number(b.cluster.leases.isOurs(userId)) - Number(a.cluster.leases.isOurs(userId)),
    );
    if (!holder || !other) throw new Error("there are two nodes");
    return { holder, other };
  };
  const connectionOf = async (node: PostgresNode, userId: number) => {
    const [connection] = await node.accounts.connections.allOf(userId);
    return connection;
  };

  testWithPostgres(
    "is taken over without a refresh",
    async () => {
      const [first] = await startWithSpotify();
      const { userId } = await link(first, true);
      const { holder, other } = inRoles(userId);
      other.hub.subscribe(userId, () => {});
      await until(() => other.hub.peek(userId)?.kind === "playback" || undefined);
      const looked = callsTo(PLAYER).length;
      nodes = [other];
      await holder.end();
      await until(() => other.cluster.leases.isOurs(userId) || undefined);
      await until(() => callsTo(PLAYER).length > looked || undefined);
      expect(refreshes()).toBe(1);
      expect(new Set(callsTo(PLAYER).map(({ status }) => status))).toEqual(new Set([200]));
    },
    60_000,
  );

  testWithPostgres(
    "goes on after the database went away in a refresh",
    async () => {
      const [first] = await startWithSpotify();
      const { account, userId } = await link(first, true);
      for (const node of nodes) node.hub.subscribe(userId, () => {});
      const { holder, other } = inRoles(userId);
      await until(() => holder.hub.peek(userId)?.kind === "playback" || undefined);
      const used = account.refreshToken;
      const stopped = Promise.withResolvers<void>();
      beforeRefreshed = async () => {
        beforeRefreshed = async () => {};
        await postgres.stop();
        stopped.resolve();
      };
      account.expireAccessTokens();
      await stopped.promise;
      expect(account.refreshToken).not.toBe(used);
      // The user goes to the other node, while this one still has the only token that works.
      await holder.cluster.leases.release();
      await postgres.start();
      await until(async () => {
        const connection = await connectionOf(first, userId).catch(() => undefined);
        const { refreshToken } = Object(connection?.settings);
        return refreshToken === account.refreshToken || undefined;
      });
      await until(() => other.cluster.leases.isOurs(userId) || undefined);
      const looked = callsTo(PLAYER).length;
      await until(
        () =>
          callsTo(PLAYER)
            .slice(looked)
            .some(({ status }) => status === 200) || undefined,
      );
      expect((await connectionOf(first, userId))?.refusedAt).toBe(null);
      const lines = nodes.flatMap(({ logged }) => logged).join("\n");
      expect(lines).not.toContain("connected again");
      expect(lines).not.toMatch(/\b(AQ|BQ)[0-9A-Za-z]{20}/);
    },
    60_000,
  );

  testWithPostgres(
    "is watched again when a token comes after its refusal was stored",
    async () => {
      const [first, second] = await startWithSpotify();
      const { account, userId } = await link(first, true);
      first.hub.subscribe(userId, () => {});
      await until(() => first.hub.peek(userId)?.kind === "playback" || undefined);
      const connection = await connectionOf(second, userId);
      if (!connection) throw new Error("ada is connected to nothing");
      const { connections } = second.accounts;
      // As a node does that has waited in vain for the other's token.
      await connections.changeSettings(connection.id, (settings) => ({
        settings: { ...Object(settings), refreshToken: null, access: null },
        isRefused: true,
      }));
      await until(() => first.hub.peek(userId)?.kind === "unlinked" || undefined);
      await connections.changeSettings(connection.id, (settings) => ({
        settings: { ...Object(settings), refreshToken: account.refreshToken },
        isRefused: false,
      }));
      await until(() => first.hub.peek(userId)?.kind === "playback" || undefined);
    },
    60_000,
  );

  testWithPostgres(
    "loses no change of its settings when both make fifty",
    async () => {
      const [first] = await startWithSpotify();
      const { userId } = await link(first, false);
      const connection = await connectionOf(first, userId);
      const id = connection?.id ?? 0;
      // A node stores the last of those that it has begun together, so each waits for the one before.
      await Promise.all(
        nodes.map(async ({ accounts }) => {
          for (let count = 0; count < 25; count++) {
            await accounts.connections.changeSettings(id, (settings) => ({
              settings: { ...Object(settings), count: Number(Object(settings).count ?? 0) + 1 },
              isRefused: false,
            }));
          }
        }),
      );
      expect(Object((await connectionOf(first, userId))?.settings).count).toBe(50);
    },
    60_000,
  );

  testWithPostgres(
    "warns of a consent's end once",
    async () => {
      const [first] = await startWithSpotify();
      for (const name of ["ada", "grace", "linus", "alan"]) {
        const account = spotify.addUser(LISTENER);
        await addTo(first, name, {
          source: "spotify",
          settings: {
            clientId: spotify.clientId,
            refreshToken: account.refreshToken,
            consentedAt: systemClock.wallMs() - 170 * 86_400_000,
          },
        });
      }
      for (const node of nodes) await node.remindOfConsent();
      const lines = nodes.flatMap(({ logged }) => logged);
      expect(lines.filter((line) => line.includes("linked again soon"))).toHaveLength(4);
    },
    60_000,
  );

  testWithPostgres(
    "links an account once that returns to both nodes at once",
    async () => {
      const [first, second] = await startWithSpotify();
      const ada = await addTo(first, "ada");
      spotify.addUser({ ...LISTENER, id: "ada-at-spotify" });
      const secret = await first.accounts.magicLinks.issue(ada.user, "connect spotify");
      const cookies = createCookieJar();
      const open = async (node: PostgresNode, path: string) => {
        const answer = await node.get(path, { headers: { cookie: cookies.headerFor(path) } });
        cookies.take(answer.clone());
        return answer;
      };
      const started = await open(first, `/en/connect/spotify/${secret}/start`);
      const returned = await spotify.consent(started.headers.get("location") ?? "");
      const path = returned.pathname + returned.search;
      const headers = { cookie: cookies.headerFor(path) };
      const answers = await fiftyTimes((node) => node.get(path, { headers }));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await second.accounts.connections.allOf(ada.user.id)).toHaveLength(1);
    },
    60_000,
  );
});
