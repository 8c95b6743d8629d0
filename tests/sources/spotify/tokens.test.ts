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
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import {
  createTestConnection,
  type TestConnection,
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
let connection: TestConnection;
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
  connection = createTestConnection(SETTINGS);
  tokens = start();
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

/** The tokens as a server that starts now has them. */
function start(): AccessTokens {
  return createAccessTokens({
    clock,
    service,
    app: () => APP,
    settings: storedSettings(),
    connection: {
      async storeSettings(settings) {
        await connection.storeSettings(settings);
        events.push(`store ${storedSettings().refreshToken}`);
      },
      expectSettings: connection.expectSettings,
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

const storedSettings = () => parseSpotifySettings(connection.row.settings);
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

  test("of a short life is used for half of it, before and after a restart", async () => {
    answers.push({ expiresInMs: 100_000 });
    await tokens.current();
    await clock.advance(49_000);
    expect(await tokens.current()).toBe("access-1");
    expect(await start().current()).toBe("access-1");
    await clock.advance(2_000);
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

  test("is waited for when the server stops, as its answer may be the only one", async () => {
    const answer = Promise.withResolvers<Answer>();
    answers.push(() => answer.promise);
    const token = tokens.current();
    expect(connection.waiting()).toBe(1);
    answer.resolve({ refreshToken: "refresh-2" });
    await token;
    expect(connection.waiting()).toBe(0);
    expect(storedSettings().refreshToken).toBe("refresh-2");
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
    connection.isCutOff = true;
    expect(await tokens.current()).toBe("access-1");
    expect(unstored).toBe(0);
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
    expect(await meaningOf(tokens.current())).toEqual({ kind: "unauthorized" });
    expect(refreshes()).toBe(1);
    expect(connection.row).toMatchObject({
      settings: { refreshToken: null, access: null },
    });
  });

  test("that cannot be stored is reported all the same, and stored later", async () => {
    answers.push(() => {
      connection.isCutOff = true;
      return invalidGrant();
    });
    expect(await meaningOf(tokens.current())).toEqual({ kind: "unauthorized" });
    connection.isCutOff = false;
    await connection.retry();
    expect(storedSettings()).toMatchObject({ refreshToken: null, access: null });
  });

  test("is final: Spotify is not asked again", async () => {
    answers.push(invalidGrant());
    await meaningOf(tokens.current());
    expect(await meaningOf(tokens.current())).toEqual({ kind: "unauthorized" });
    expect(refreshes()).toBe(1);
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
  const restarted = () => start();

  test("costs a restart no refresh", async () => {
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
      const access = { token: "access-1", askedAt: givenAtMs, expiresAt: givenAtMs + HOUR_MS };
      connection.row = { settings: { ...SETTINGS, access } };
      clock.setWallMs(givenAtMs + afterMs);
      expect([afterMs, await restarted().current()]).toEqual([afterMs, token]);
    }
  });

  test("that the Web API refuses is renewed, and the new one is stored", async () => {
    await tokens.current();
    const another = restarted();
    another.forget(await another.current());
    expect(await another.current()).toBe("access-2");
    expect(storedSettings().access?.token).toBe("access-2");
  });

  for (const [what, access] of Object.entries({
    "a text": "access-1",
    "times that are none": { token: "access-1", askedAt: "soon", expiresAt: null },
    "no token": { askedAt: 1, expiresAt: 2 },
  })) {
    test(`that is ${what} is ignored`, async () => {
      connection.row = { settings: { ...SETTINGS, access } };
      expect(storedSettings().access).toBe(null);
      expect(await restarted().current()).toBe("access-1");
    });
  }
});

describe("the accounts service", () => {
  const ACCOUNTS_URL = "https://accounts.spotify.com";

  /** The service before a stand-in Spotify. */
  function withStandIn(options: { secret?: "right" | "wrong" } = {}) {
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

  test("takes an app with its secret, and refuses a wrong one", async () => {
    expect(await withStandIn({ secret: "right" }).refresh()).toHaveProperty("accessToken");
    const error = await failureOf(withStandIn({ secret: "wrong" }).refresh());
    expect(error).toMatchObject({ code: "invalid_client" });
  });

  const strange: Record<string, object> = {
    "no JSON": { answer: "garbage" },
    "an empty object": { body: {} },
    null: { body: null },
    "a list": { body: [] },
    "an access token that is no text": { body: { access_token: 7, token_type: "Bearer" } },
    "an empty access token": { body: { access_token: "", token_type: "Bearer" } },
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

  const ofAnHour = { accessToken: "a", expiresInMs: HOUR_MS, refreshToken: "rotated" };
  test.each([
    ["an expiry that is no time", { expires_in: "soon" }, ofAnHour],
    ["an expiry that is over", { expires_in: -1 }, ofAnHour],
    ["an expiry as text", { expires_in: "60" }, { ...ofAnHour, expiresInMs: 60_000 }],
    ["no type", { token_type: undefined }, ofAnHour],
    ["no scope", { scope: null }, ofAnHour],
    ["scopes in a list", { scope: ["user-read-playback-state"] }, ofAnHour],
    ["an identity token that is none", { id_token: "none" }, ofAnHour],
    ["an empty refresh token", { refresh_token: "" }, { ...ofAnHour, refreshToken: undefined }],
    ["no refresh token", { refresh_token: null }, { ...ofAnHour, refreshToken: undefined }],
  ])("that answers %s gives its tokens: an old one may have ended", async (_, given, read) => {
    const { refresh, spotify } = withStandIn();
    const answer = { access_token: "a", token_type: "Bearer", refresh_token: "rotated" };
    spotify.script({ body: { ...answer, ...given }, target: "token" });
    expect(await refresh()).toEqual(read);
  });
});
