import { beforeEach, describe, expect, test } from "bun:test";
import { SourceFailure } from "../../../src/sources/source.ts";
import {
  type AccountsService,
  createAccountsService,
  GrantRefused,
  type Tokens,
} from "../../../src/sources/kinds/spotify/accounts-service.ts";
import {
  type AccessTokens,
  createAccessTokens,
} from "../../../src/sources/kinds/spotify/tokens.ts";
import { createUpstream } from "../../../src/upstream/index.ts";
import {
  parseSpotifySettings,
  type SpotifySettings,
} from "../../../src/sources/kinds/spotify/settings.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";
import {
  createSharedConnection,
  type NodeConnection,
  type SharedConnection,
} from "../../fixtures/sources/stored-connection.ts";
import { idle } from "../../fixtures/spotify/listening.ts";
import { createSpotify, type StandInUser } from "../../fixtures/spotify/spotify.ts";
import { networkOf } from "../../fixtures/http/network.ts";

const APP = { clientId: "app", clientSecret: null };
const HOUR_MS = 3_600_000;

type Answer = Partial<Tokens> | Error;

let clock: FakeClock;
/** What happened, in order: refreshes with their token, and which refresh tokens were stored. */
let events: string[];
/** What the service answers next; afterwards an access token of an hour. */
let answers: (Answer | (() => Answer | Promise<Answer>))[];
let made: number;
let unstored: number;
let limited: (string | null)[];
let shared: SharedConnection;
let connection: NodeConnection;
let tokens: AccessTokens;

const SETTINGS: SpotifySettings = {
  clientId: APP.clientId,
  refreshToken: "refresh-1",
  consentedAt: 1,
  accountId: null,
  displayName: "Ada",
  product: null,
  access: null,
};

beforeEach(() => {
  clock = createFakeClock();
  events = [];
  answers = [];
  made = 0;
  unstored = 0;
  limited = [];
  shared = createSharedConnection(SETTINGS);
  connection = shared.on();
  tokens = startNode(connection);
});

const service: Pick<AccountsService, "refresh"> = {
  async refresh(_app, refreshToken) {
    events.push(`refresh with ${refreshToken}`);
    made += 1;
    const accessToken = `access-${made}`;
    const next = answers.shift() ?? {};
    const answer = typeof next === "function" ? await next() : next;
    if (answer instanceof Error) throw answer;
    return { accessToken, expiresInMs: HOUR_MS, refreshToken: undefined, ...answer };
  },
};

/** The tokens as a node that begins now has them. */
function startNode(on: NodeConnection): AccessTokens {
  return createAccessTokens({
    clock,
    service,
    app: async () => APP,
    settings: storedSettings(),
    connection: {
      readSettings: () => on.readSettings(),
      async changeSettings(change) {
        const before = shared.row;
        const stored = await on.changeSettings(change);
        if (shared.row !== before) events.push(`store ${storedSettings().refreshToken}`);
        return stored;
      },
    },
    onUnstored: () => {
      unstored += 1;
    },
    async onLimited(retryAfter, message) {
      limited.push(retryAfter);
      return new SourceFailure({ kind: "retryLater", afterMs: 1_000, reason: "limited" }, message);
    },
  });
}

const storedSettings = () => parseSpotifySettings(shared.row?.settings);
/** Somebody else stores settings. */
const storeElsewhere = (settings: Partial<SpotifySettings>, isRefused = false) => {
  shared.row = { settings: { ...storedSettings(), ...settings }, isRefused };
};
const refreshes = () => events.filter((event) => event.startsWith("refresh")).length;
const invalidGrant = () => new GrantRefused("invalid_grant", 400, "Refresh token revoked");

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

const meaningOf = async (call: Promise<unknown>) => {
  const error = await failureOf(call);
  return error instanceof SourceFailure ? error.meaning : error;
};

/** The same for a call that waits for another node. */
const meaningInTime = async (call: Promise<unknown>) => {
  const meaning = meaningOf(call);
  await clock.advance(10_000);
  return meaning;
};

describe("an access token", () => {
  test("is used again until shortly before it expires", async () => {
    expect(await tokens.current()).toBe("access-1");
    await clock.advance(3_600_000 - 120_001);
    expect(await tokens.current()).toBe("access-1");
    expect(refreshes()).toBe(1);
  });

  test("is renewed ahead of its expiry", async () => {
    await tokens.current();
    await clock.advance(3_600_000 - 120_000);
    expect(await tokens.current()).toBe("access-2");
  });

  test("counts its time from when it was asked for, on no wall clock", async () => {
    await tokens.current();
    clock.setWallMs(clock.wallMs() + 86_400_000);
    expect(await tokens.current()).toBe("access-1");
    clock.setWallMs(clock.wallMs() - 10 * 86_400_000);
    await clock.advance(3_600_000);
    expect(await tokens.current()).toBe("access-2");
  });

  test("that was refused is renewed", async () => {
    tokens.forget(await tokens.current());
    expect(await tokens.current()).toBe("access-2");
  });

  test("is not forgotten on account of an older one", async () => {
    const first = await tokens.current();
    tokens.forget(first);
    await tokens.current();
    tokens.forget(first);
    expect(await tokens.current()).toBe("access-2");
    expect(refreshes()).toBe(2);
  });
});

describe("a refresh", () => {
  test("is made once for fifty who ask at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => tokens.current()));
    expect(new Set(all)).toEqual(new Set(["access-1"]));
    expect(refreshes()).toBe(1);
  });

  test("is made once for fifty whose token has just been refused", async () => {
    const refused = await tokens.current();
    const all = await Promise.all(
      Array.from({ length: 50 }, () => {
        tokens.forget(refused);
        return tokens.current();
      }),
    );
    expect(new Set(all)).toEqual(new Set(["access-2"]));
    expect(refreshes()).toBe(2);
  });

  test("that fails fails for all who wait, and the next one asks anew", async () => {
    answers.push(new GrantRefused("server_error", 503, "Spotify answered 503"));
    const all = await Promise.all(Array.from({ length: 50 }, () => meaningOf(tokens.current())));
    expect(new Set(all.map((meaning) => JSON.stringify(meaning)))).toEqual(
      new Set(['{"kind":"unavailable"}']),
    );
    expect(refreshes()).toBe(1);
    expect(await tokens.current()).toBe("access-2");
  });

  test("without another refresh token keeps the one there is", async () => {
    await tokens.current();
    await clock.advance(3_600_000);
    await tokens.current();
    const renewed = ["refresh with refresh-1", "store refresh-1"];
    expect(events).toEqual([...renewed, ...renewed]);
  });

  test("that repeats the refresh token is no rotation", async () => {
    answers.push({ refreshToken: "refresh-1" });
    connection.changeSettings = () => Promise.reject(new Error("the disk is full"));
    expect(await tokens.current()).toBe("access-1");
    expect(unstored).toBe(0);
  });

  test("is not made while what is stored cannot be read", async () => {
    connection.isCutOff = true;
    expect(await meaningOf(tokens.current())).toEqual({ kind: "unavailable" });
    expect(events).toEqual([]);
  });
});

describe("a rotated refresh token", () => {
  test("is stored before anybody gets the access token that came with it", async () => {
    answers.push({ refreshToken: "refresh-2" });
    await tokens.current().then((token) => events.push(`use ${token}`));
    expect(events).toEqual(["refresh with refresh-1", "store refresh-2", "use access-1"]);
  });

  /** The database goes away while Spotify answers. */
  const rotateWithoutDatabase = () => {
    answers.push(() => {
      connection.isCutOff = true;
      return { refreshToken: "refresh-2" };
    });
    return tokens.current();
  };

  test("is stored before it is used, even when storing failed at first", async () => {
    expect(await rotateWithoutDatabase()).toBe("access-1");
    expect(unstored).toBe(1);
    connection.isCutOff = false;
    await clock.advance(HOUR_MS);
    await tokens.current();
    expect(events.slice(0, 3)).toEqual([
      "refresh with refresh-1",
      "store refresh-2",
      "refresh with refresh-2",
    ]);
  });

  test("is not lost and not used while it cannot be stored", async () => {
    await rotateWithoutDatabase();
    await clock.advance(HOUR_MS);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await meaningOf(tokens.current())).toEqual({ kind: "unavailable" });
    }
    expect(refreshes()).toBe(1);
    connection.isCutOff = false;
    expect(await tokens.current()).toBe("access-2");
    expect(events.slice(1, 3)).toEqual(["store refresh-2", "refresh with refresh-2"]);
  });

  test("is stored by itself once the database is back, though nobody asks", async () => {
    await rotateWithoutDatabase();
    connection.isCutOff = false;
    await connection.retry();
    expect(storedSettings()).toMatchObject({
      refreshToken: "refresh-2",
      access: { token: "access-1" },
    });
  });
});

describe("a refusal", () => {
  test("of the grant asks the user to link again", async () => {
    answers.push(invalidGrant());
    expect(await meaningInTime(tokens.current())).toEqual({ kind: "unauthorized" });
    expect(refreshes()).toBe(1);
    expect(shared.row).toMatchObject({
      settings: { refreshToken: null, access: null },
      isRefused: true,
    });
  });

  test("that cannot be stored is told all the same, and stored later", async () => {
    answers.push(invalidGrant());
    const told = meaningOf(tokens.current());
    await clock.advance(7_999);
    connection.readSettings = async () => shared.row?.settings;
    connection.isCutOff = true;
    await clock.advance(1);
    expect(await told).toEqual({ kind: "unauthorized" });
    connection.isCutOff = false;
    await connection.retry();
    expect(shared.row?.isRefused).toBe(true);
  });

  for (const code of ["invalid_client", "unauthorized_client"]) {
    test(`by ${code} is the operator's to end, and no user has to link again`, async () => {
      answers.push(new GrantRefused(code, 400, "Invalid client"));
      expect(await meaningOf(tokens.current())).toMatchObject({
        kind: "retryLater",
        reason: "appRefused",
      });
    });
  }

  test("by too many calls is handed on with its Retry-After", async () => {
    answers.push(new GrantRefused("", 429, "too many", "17"));
    expect(await meaningOf(tokens.current())).toMatchObject({
      kind: "retryLater",
      reason: "limited",
    });
    expect(limited).toEqual(["17"]);
  });

  test("of another kind is a passing trouble", async () => {
    for (const status of [400, 403, 500, 502, 503]) {
      answers.push(new GrantRefused("server_error", status, `Spotify answered ${status}`));
      expect(await meaningOf(tokens.current())).toEqual({ kind: "unavailable" });
    }
  });
});

describe("a stored access token", () => {
  const restarted = () => startNode(shared.on());

  test("costs a restart or another node no refresh", async () => {
    await tokens.current();
    await clock.advance(HOUR_MS / 2);
    expect(await restarted().current()).toBe("access-1");
    expect(refreshes()).toBe(1);
  });

  test("is used until shortly before it expires, on no wall clock", async () => {
    await tokens.current();
    await clock.advance(HOUR_MS / 2);
    const another = restarted();
    clock.setWallMs(clock.wallMs() - 10 * 86_400_000);
    await clock.advance(HOUR_MS / 2 - 120_001);
    expect(await another.current()).toBe("access-1");
    await clock.advance(1);
    expect(await another.current()).toBe("access-2");
  });

  test("is believed only if its times can be true by the wall clock", async () => {
    await tokens.current();
    const givenAtMs = clock.wallMs();
    for (const [afterMs, token] of [
      [-60_000, "access-2"],
      [-59_999, "access-1"],
      [HOUR_MS - 120_001, "access-1"],
      [HOUR_MS - 120_000, "access-2"],
    ] as const) {
      made = 1;
      storeElsewhere({
        access: { token: "access-1", askedAt: givenAtMs, expiresAt: givenAtMs + HOUR_MS },
      });
      clock.setWallMs(givenAtMs + afterMs);
      expect([afterMs, await restarted().current()]).toEqual([afterMs, token]);
    }
  });

  test("that the Web API refuses is renewed, and not taken from there again", async () => {
    await tokens.current();
    const another = restarted();
    another.forget(await another.current());
    expect(await another.current()).toBe("access-2");
    expect(storedSettings().access?.token).toBe("access-2");
  });

  test("of another node takes the place of a refused one without a refresh", async () => {
    await tokens.current();
    const another = restarted();
    another.forget(await another.current());
    await another.current();
    tokens.forget("access-1");
    expect(await tokens.current()).toBe("access-2");
    expect(refreshes()).toBe(2);
  });

  test("of another node takes the place of an expired one without a refresh", async () => {
    await tokens.current();
    await clock.advance(HOUR_MS);
    await restarted().current();
    expect(await tokens.current()).toBe("access-2");
    expect(refreshes()).toBe(2);
  });

  test("is not replaced by an older one that comes late", async () => {
    const late = Promise.withResolvers<Answer>();
    answers.push(() => late.promise);
    const first = tokens.current();
    await clock.advance(4_000);
    await restarted().current();
    late.resolve({});
    expect(await first).toBe("access-1");
    expect(storedSettings().access?.token).toBe("access-2");
  });

  test("is dropped by the version before, which reads the rest, and that costs a refresh", async () => {
    await tokens.current();
    // What that version takes from the settings, and stores again.
    const { clientId, refreshToken, consentedAt, accountId, displayName, product } = Object(
      shared.row?.settings,
    );
    const known = { clientId, refreshToken, consentedAt, accountId, displayName, product };
    const { access: _, ...expected } = SETTINGS;
    expect(known).toEqual(expected);
    shared.row = { settings: known, isRefused: false };
    expect(await restarted().current()).toBe("access-2");
  });

  for (const [what, access] of Object.entries({
    "a text": "access-1",
    "times that are none": { token: "access-1", askedAt: "soon", expiresAt: null },
    "no token": { askedAt: 1, expiresAt: 2 },
  })) {
    test(`that is ${what} is ignored`, async () => {
      shared.row = { settings: { ...SETTINGS, access }, isRefused: false };
      expect(storedSettings().access).toBe(null);
      expect(await restarted().current()).toBe("access-1");
    });
  }
});

describe("two nodes", () => {
  const otherNode = () => startNode(shared.on());

  test("do not take a refresh token for refused that the other is replacing", async () => {
    const slow = Promise.withResolvers<Answer>();
    answers.push(() => slow.promise, invalidGrant());
    const first = tokens.current();
    await settle();
    const second = otherNode().current();
    await clock.advance(4_000);
    slow.resolve({ refreshToken: "refresh-2" });
    expect(await first).toBe("access-1");
    await clock.advance(8_000);
    expect(await second).toBe("access-1");
    expect(refreshes()).toBe(2);
    expect(shared.row?.isRefused).toBe(false);
  });

  test("refresh once more with the other's token if its access token is of no use", async () => {
    answers.push(() => {
      storeElsewhere({ refreshToken: "refresh-2" });
      return invalidGrant();
    });
    const current = tokens.current();
    await clock.advance(0);
    expect(await current).toBe("access-2");
    expect(events.slice(0, 2)).toEqual(["refresh with refresh-1", "refresh with refresh-2"]);
  });

  test("keep the other's token when both were given one", async () => {
    answers.push(() => {
      storeElsewhere({ refreshToken: "refresh-2" });
      return { refreshToken: "refresh-3" };
    });
    expect(await tokens.current()).toBe("access-1");
    expect(storedSettings().refreshToken).toBe("refresh-2");
    await clock.advance(HOUR_MS);
    await tokens.current();
    expect(events).toContain("refresh with refresh-2");
    expect(unstored).toBe(0);
  });

  test("keep a rotated token that comes after the other has given up", async () => {
    answers.push(() => {
      connection.isCutOff = true;
      return { refreshToken: "refresh-2" };
    }, invalidGrant());
    await tokens.current();
    expect(await meaningInTime(otherNode().current())).toEqual({ kind: "unauthorized" });
    expect(shared.row).toMatchObject({ settings: { refreshToken: null }, isRefused: true });
    connection.isCutOff = false;
    await connection.retry();
    expect(shared.row).toMatchObject({ settings: { refreshToken: "refresh-2" }, isRefused: false });
    expect(await otherNode().current()).toBe("access-1");
  });

  test("leave a refusal that came after a refresh without a rotation", async () => {
    answers.push(() => {
      storeElsewhere({ refreshToken: null }, true);
      return {};
    });
    await tokens.current();
    expect(shared.row).toMatchObject({ settings: { refreshToken: null }, isRefused: true });
    await clock.advance(HOUR_MS);
    expect(await meaningOf(tokens.current())).toEqual({ kind: "unauthorized" });
    expect(refreshes()).toBe(1);
  });

  test("are told of a refusal once: the second one asks Spotify no more", async () => {
    answers.push(invalidGrant());
    await meaningInTime(tokens.current());
    expect(await meaningOf(otherNode().current())).toEqual({ kind: "unauthorized" });
    expect(refreshes()).toBe(1);
  });

  test("refuse nothing that was stored at the last moment", async () => {
    answers.push(invalidGrant());
    const { changeSettings } = connection;
    connection.changeSettings = (change) => {
      storeElsewhere({ refreshToken: "refresh-2" });
      connection.changeSettings = changeSettings;
      return changeSettings(change);
    };
    const current = tokens.current();
    await clock.advance(8_000);
    expect(await current).toBe("access-2");
    expect(shared.row?.isRefused).toBe(false);
  });

  test("store nothing for a connection that was linked again meanwhile", async () => {
    answers.push(() => {
      shared.row = undefined;
      return { refreshToken: "refresh-2" };
    });
    expect(await tokens.current()).toBe("access-1");
    expect(shared.row).toBe(undefined);
    expect(unstored).toBe(0);
  });
});

describe("the accounts service", () => {
  const ACCOUNTS_URL = "https://accounts.spotify.com";

  /** The service before a stand-in Spotify. */
  function withStandIn(options: { rotatesTokens?: boolean; secret?: "right" | "wrong" } = {}) {
    const spotify = createSpotify({ clock });
    const user: StandInUser = spotify.addUser({ listening: idle, ...options });
    const upstream = createUpstream({
      clock,
      trustedOrigins: [],
      network: networkOf(spotify.fetch),
    });
    const service = createAccountsService(ACCOUNTS_URL, upstream);
    const clientSecret =
      options.secret === undefined
        ? null
        : options.secret === "right"
          ? spotify.clientSecret
          : "not the secret";
    const refresh = (token = user.refreshToken) =>
      service.refresh({ clientId: spotify.clientId, clientSecret }, token);
    return { spotify, user, refresh };
  }

  test("answers an hour's access and usually no refresh token", async () => {
    const { refresh } = withStandIn();
    expect(await refresh()).toMatchObject({ expiresInMs: 3_600_000, refreshToken: undefined });
  });

  test("answers the refresh token that takes the other's place", async () => {
    const { refresh, user } = withStandIn({ rotatesTokens: true });
    const first = user.refreshToken;
    const { refreshToken } = await refresh();
    expect(refreshToken).toBe(user.refreshToken);
    expect(refreshToken).not.toBe(first);
  });

  test("takes an app with its secret, and refuses a wrong one", async () => {
    expect(await withStandIn({ secret: "right" }).refresh()).toHaveProperty("accessToken");
    const error = await failureOf(withStandIn({ secret: "wrong" }).refresh());
    expect(error).toMatchObject({ code: "invalid_client" });
  });

  test("refuses a revoked grant by its code", async () => {
    const { refresh, user } = withStandIn();
    user.revoke();
    const error = await failureOf(refresh());
    expect(error).toBeInstanceOf(GrantRefused);
    expect(error).toMatchObject({ code: "invalid_grant", status: 400 });
  });

  test("asks for a pause with its Retry-After", async () => {
    const { refresh, spotify } = withStandIn();
    spotify.script({ status: 429, retryAfter: "12", target: "token" });
    expect(await failureOf(refresh())).toMatchObject({ status: 429, retryAfter: "12" });
  });

  const strange: Record<string, object> = {
    "no JSON": { answer: "garbage" },
    "an empty object": { body: {} },
    null: { body: null },
    "a list": { body: [] },
    "an access token that is no text": { body: { access_token: 7, token_type: "Bearer" } },
    "an expiry that is no time": {
      body: { access_token: "a", token_type: "Bearer", expires_in: "soon" },
    },
  };
  for (const [what, step] of Object.entries(strange)) {
    test(`that answers ${what} is an error that holds no token`, async () => {
      const { refresh, spotify, user } = withStandIn();
      spotify.script({ ...step, target: "token" });
      const error = await failureOf(refresh());
      expect(error).toBeInstanceOf(Error);
      expect(Bun.inspect(error)).not.toContain(user.refreshToken);
    });
  }

  test("that does not answer is given up", async () => {
    const { refresh, spotify } = withStandIn();
    spotify.script({ answer: "hang", target: "token" });
    const failure = failureOf(refresh());
    await settle();
    await clock.advance(5_000);
    expect(await failure).toBeInstanceOf(Error);
  });
});
