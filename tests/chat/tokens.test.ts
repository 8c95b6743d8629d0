import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TwitchTokens } from "../../src/chat/twitch/answers.ts";
import type { Grant } from "../../src/chat/twitch/id.ts";
import { readSettings, type TwitchSettings } from "../../src/chat/twitch/settings.ts";
import { type AccountTokensDeps, createAccountTokens } from "../../src/chat/twitch/tokens.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { until } from "../fixtures/clock/waiting.ts";
import type { FaultName } from "../fixtures/twitch/faults.ts";
import { createChatScene } from "./chat-scene.ts";

const SETTINGS: TwitchSettings = {
  ...{ clientId: "client", userId: "1", channelId: "1" },
  ...{ accessToken: "access0", refreshToken: "refresh0" },
};

/** Tokens against the stand-in Twitch, whose access token has just ended. */
async function createExpired(fault?: FaultName) {
  const scene = await createChatScene(fault ? { [fault]: "once" } : {});
  const account = await scene.link();
  scene.twitch.expireAccessTokens("ada");
  const stop = new AbortController();
  const unstored: unknown[] = [];
  const tokensWith = (changes: Partial<AccountTokensDeps> = {}) =>
    createAccountTokens({
      ...{ clock: scene.clock, id: scene.id, chat: scene.chat, accountId: account.id },
      ...{ program: "this", isOurs: () => true, signal: stop.signal },
      onUnstored: (error) => void unstored.push(error),
      ...changes,
    });
  const refreshes = () => scene.requests("/oauth2/token").length;
  const stored = async () => readSettings(await scene.chat.settingsOf(account.id));
  return { scene, account, tokensWith, refreshes, stored, stop, unstored };
}

describe("tokens", () => {
  test("are renewed when the access token has ended, and stored before they are used", async () => {
    const { scene, tokensWith, stored, refreshes } = await createExpired();
    await using _ = scene;
    const standing = await tokensWith().check();
    if (standing.kind !== "ready") throw new Error(standing.kind);
    expect(standing.settings).toEqual((await stored()) ?? SETTINGS);
    expect(standing.settings.mark).toBeUndefined();
    expect((await scene.id.validate(standing.settings.accessToken)).kind).toBe("valid");
    expect(refreshes()).toBe(1);
  });

  test("are renewed where Twitch refuses an access token whose time is not over", async () => {
    await using scene = await createChatScene({ "validate-401": "once" });
    const account = await scene.link();
    const tokens = createAccountTokens({
      ...{ clock: scene.clock, id: scene.id, chat: scene.chat, accountId: account.id },
      ...{ program: "this", isOurs: () => true, signal: new AbortController().signal },
      onUnstored() {},
    });
    expect((await tokens.check()).kind).toBe("ready");
    expect(scene.requests("/oauth2/token").length).toBe(1);
  });

  test("that Twitch takes for used have to be linked again", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-reused");
    await using _ = scene;
    expect((await tokensWith().check()).kind).toBe("ended");
    expect(refreshes()).toBe(1);
    expect(await scene.stateOf()).toBe("refused");
  });

  test("are renewed once for all who ask at the same time", async () => {
    const { scene, tokensWith, stored, refreshes } = await createExpired();
    await using _ = scene;
    const { accessToken = "" } = (await stored()) ?? {};
    const tokens = tokensWith();
    const all = await Promise.all([1, 2, 3].map(() => tokens.renew(accessToken)));
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(["ready"]));
    expect((await tokens.renew(accessToken)).kind).toBe("ready");
    expect(refreshes()).toBe(1);
  });

  test("are renewed when less than 70 minutes are left", async () => {
    const { scene, tokensWith, refreshes } = await createExpired();
    await using _ = scene;
    const tokens = tokensWith();
    await tokens.check();
    await scene.clock.advance(170 * 60_000);
    await tokens.check();
    expect(refreshes()).toBe(1);
    await scene.clock.advance(60_000);
    await tokens.check();
    expect(refreshes()).toBe(2);
  });

  test("stay in use while Twitch does not answer", async () => {
    const scene = await createChatScene({ "validate-500": "once" });
    await using _ = scene;
    const { id } = await scene.link();
    const { clock, chat } = scene;
    const { signal } = new AbortController();
    const tokens = createAccountTokens({
      ...{ clock, chat, id: scene.id, accountId: id, program: "this", signal },
      ...{ isOurs: () => true, onUnstored() {} },
    });
    expect((await tokens.check()).kind).toBe("ready");
    expect(scene.requests("/oauth2/token")).toEqual([]);
  });

  test("survive an answer that comes after 4.9 seconds", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-late");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(4_900);
    expect((await checked).kind).toBe("ready");
  });

  test("are tried once more, 20 seconds after an error of Twitch's", async () => {
    const { scene, tokensWith, refreshes, stored } = await createExpired("refresh-500");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(async () => ((await stored())?.mark && refreshes() === 1 ? true : undefined));
    await scene.pass(19_000);
    expect(refreshes()).toBe(1);
    await scene.pass(1_000);
    expect((await checked).kind).toBe("ready");
    expect(refreshes()).toBe(2);
  });

  test("are tried once an hour after two errors, and not in between", async () => {
    const { scene, tokensWith, refreshes } = await createExpired();
    await using _ = scene;
    scene.twitch.faults.set("refresh-500", "always");
    const tokens = tokensWith();
    const checked = tokens.check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(20_000);
    expect((await checked).kind).toBe("later");
    expect((await tokens.check()).kind).toBe("later");
    expect(refreshes()).toBe(2);
    scene.twitch.faults.set("refresh-500", "off");
    await scene.clock.advance(3_600_000);
    expect((await tokens.check()).kind).toBe("ready");
  });

  test("are lost with the only answer, which is found out by trying once", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-answer-lost");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.pass(5_000);
    // No further than to the second attempt: its answer has to come before its deadline.
    await scene.pass(15_000);
    expect((await checked).kind).toBe("ended");
    expect(refreshes()).toBe(2);
    expect(await scene.stateOf()).toBe("refused");
  });

  test.each([
    ["refresh-invalid", "Invalid refresh token"],
    ["refresh-missing-secret", "missing client secret"],
  ] as const)("have to be linked again after %s, with Twitch's words", async (fault, words) => {
    const { scene, tokensWith, refreshes } = await createExpired(fault);
    await using _ = scene;
    expect((await tokensWith().check()).kind).toBe("ended");
    expect((await scene.chat.allOf())[0]).toMatchObject({ state: "refused", refusal: words });
    expect(refreshes()).toBe(1);
  });

  test("are not asked for by a node that does not hold the user", async () => {
    const { scene, tokensWith, refreshes, stored } = await createExpired();
    await using _ = scene;
    expect((await tokensWith({ isOurs: () => false }).check()).kind).toBe("later");
    expect(refreshes()).toBe(0);
    expect((await stored())?.mark).toBeUndefined();
  });

  test("are kept until they can be stored, and not renewed again before", async () => {
    const { scene, tokensWith, refreshes, stored, unstored } = await createExpired();
    await using _ = scene;
    let writes = 0;
    const changeSettings: typeof scene.chat.changeSettings = (...call) => {
      writes += 1;
      if (writes > 1 && writes < 4) return Promise.reject(new Error("the disk is full"));
      return scene.chat.changeSettings(...call);
    };
    const checked = tokensWith({ chat: { ...scene.chat, changeSettings } }).check();
    await until(() => (unstored.length === 1 ? true : undefined));
    await scene.pass(2_000, 250);
    expect((await checked).kind).toBe("ready");
    expect(unstored.length).toBe(2);
    expect((await stored())?.mark).toBeUndefined();
    expect(refreshes()).toBe(1);
  });

  test("that come after the account was unlinked are revoked", async () => {
    const { scene, tokensWith, refreshes } = await createExpired("refresh-late");
    await using _ = scene;
    const checked = tokensWith().check();
    await until(() => (refreshes() === 1 ? true : undefined));
    await scene.chat.unlink(scene.user, "twitch", "ada");
    await scene.pass(4_900);
    expect((await checked).kind).toBe("ended");
    expect(scene.requests("/oauth2/revoke").length).toBe(1);
  });

  test("with another's mark wait until it is 20 seconds old", async () => {
    const { scene, account, tokensWith, refreshes } = await createExpired();
    await using _ = scene;
    const mark = { by: "that", since: scene.clock.wallMs() - 5_000, attempt: 1 };
    await scene.chat.changeSettings(account.id, (stored) => ({ ...Object(stored), mark }));
    const checked = tokensWith().check();
    await until(() => (scene.clock.waiting() > 0 ? true : undefined));
    await scene.pass(14_999);
    expect(refreshes()).toBe(0);
    await scene.pass(1);
    expect((await checked).kind).toBe("ready");
  });
});

/** What a refresh consists of; a program can be killed before or after each. */
type Kill = { readonly atStep: number; readonly lateMs: number } | undefined;

/** A Twitch that takes each refresh token once, with a store beside it. */
function createModel(clock: FakeClock) {
  let settings: TwitchSettings = SETTINGS;
  let issued = 0;
  let isLinked = true;
  let isRefused = false;
  const uses: { readonly token: string; readonly atMs: number }[] = [];
  const storedTokens = new Set([SETTINGS.refreshToken]);

  const take = (token: string): Grant => {
    uses.push({ token, atMs: clock.monotonicMs() });
    if (!isLinked || token !== `refresh${issued}`) {
      isLinked = false;
      return { kind: "refused", message: "Invalid refresh token" };
    }
    issued += 1;
    const tokens: TwitchTokens = {
      accessToken: `access${issued}`,
      refreshToken: `refresh${issued}`,
    };
    return { kind: "tokens", tokens };
  };

  /** One start of the program, which is killed at a step. */
  const start = async (name: string, kill: Kill): Promise<void> => {
    let step = 0;
    const dead = Promise.withResolvers<never>();
    const killed = Promise.withResolvers<void>();
    const isKilled = () => kill !== undefined && step >= kill.atStep;
    const point = async () => {
      step += 1;
      if (!isKilled()) return;
      killed.resolve();
      await dead.promise;
    };
    const stop = new AbortController();
    const tokens = createAccountTokens({
      ...{ clock, accountId: 1, program: name, isOurs: () => true, signal: stop.signal },
      onUnstored() {},
      chat: {
        async settingsOf() {
          await point();
          return settings;
        },
        async changeSettings(_, change) {
          await point();
          const wanted = readSettings(change(settings));
          if (wanted) {
            settings = wanted;
            storedTokens.add(settings.refreshToken);
          }
          await point();
          return { stored: settings, isChanged: wanted !== undefined };
        },
        async end() {
          isRefused = true;
        },
      },
      id: {
        // Each start finds an access token that has ended.
        validate: async () => ({ kind: "invalid" }),
        revoke: async () => true,
        async refresh(_, token) {
          await point();
          // What is on its way when the program is killed arrives all the same.
          step += 1;
          if (isKilled()) {
            clock.after(kill?.lateMs ?? 0, () => void take(token));
            killed.resolve();
            return dead.promise;
          }
          const answer = take(token);
          await point();
          return answer;
        },
      },
    });
    const ended = tokens.check().then(() => "ended" as const);
    for (let second = 0; second < 30; second++) {
      const first = await Promise.race([ended, killed.promise, settle().then(() => "no")]);
      if (first !== "no") break;
      await clock.advance(1_000);
    }
    stop.abort();
  };

  return {
    start,
    uses,
    isStored: (token: string) => storedTokens.has(token),
    isRefused: () => isRefused,
    settings: () => settings,
  };
}

test("a program that is killed at any step never uses a token whose successor is known", async () => {
  const life = fc.record({
    kill: fc.option(
      fc.record({
        atStep: fc.integer({ min: 1, max: 9 }),
        lateMs: fc.integer({ min: 0, max: 4_900 }),
      }),
      { nil: undefined },
    ),
    pauseMs: fc.constantFrom(0, 100, 6_000, 25_000, 3_600_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async (lives) => {
      const clock = createFakeClock();
      const model = createModel(clock);
      for (const [at, { kill, pauseMs }] of lives.entries()) {
        if (model.isRefused()) break;
        await model.start(`start ${at}`, kill);
        await clock.advance(pauseMs);
      }
      const { uses } = model;
      for (const [at, { token, atMs }] of uses.entries()) {
        const again = uses.slice(at + 1).filter((one) => one.token === token);
        if (again.length === 0) continue;
        // Its answer died with the program: nobody has it, and nobody can still be waiting for it.
        expect(model.isStored(token.replace(/\d+/, (number) => String(Number(number) + 1)))).toBe(
          false,
        );
        for (const one of again) expect(one.atMs - atMs).toBeGreaterThanOrEqual(10_000);
      }
    }),
    { numRuns: 500 },
  );
}, 30_000);
