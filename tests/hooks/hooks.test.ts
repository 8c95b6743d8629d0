import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { readHookAddress } from "../../src/hooks/address.ts";
import { messageOf, signatureOf } from "../../src/hooks/message.ts";
import { createSongEvents } from "../../src/hooks/song-events.ts";
import { createHookDelivery } from "../../src/hooks/delivery.ts";
import { Refused } from "../../src/i18n/refused.ts";
import { type Hook, HOOK_EVENTS, MOST_HOOKS } from "../../src/hooks/store.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { groupNameOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { type Playback, positionAt } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const song = (id: string, state: "playing" | "paused" = "playing") =>
  aPlayback({ state, track: { ...aPlayback().track, id, title: id } });
const playing = (id: string, state?: "playing" | "paused") =>
  ({ kind: "playback", playback: song(id, state), connectionId: 1 }) as const;
const NOTHING = { kind: "nothing" } as const;

describe("what is told of a user's music", () => {
  let clock: FakeClock;
  let told: string[];
  let ended: Playback | null | undefined;
  let songs: ReturnType<typeof createSongEvents>;
  beforeEach(() => {
    clock = createFakeClock();
    told = [];
    ended = undefined;
    songs = createSongEvents(clock, ({ type, playback }) => {
      told.push(`${type} ${playback?.track.id ?? ""}`.trim());
      if (type === "song.ended") ended = playback;
    });
  });

  test("is a song once it was played for three seconds, and its end", async () => {
    songs.note(playing("a"));
    await clock.advance(2_900);
    expect(told).toEqual([]);
    await clock.advance(100);
    expect(told).toEqual(["song.started a"]);
    songs.note(playing("b"));
    await clock.advance(3_000);
    expect(told.slice(1)).toEqual(["song.ended a", "song.started b"]);
  });

  test.each(["playing", "paused"] as const)(
    "is the end of a song at once, where it ended, when another is %s",
    async (state) => {
      const first = { ...song("a"), positionMs: 10_000, observedAtMs: clock.monotonicMs() };
      songs.note({ ...playing("a"), playback: first });
      await clock.advance(5_000);
      songs.note(playing("b", state));
      expect(told).toEqual(["song.started a", "song.ended a"]);
      await clock.advance(2_000);
      expect(ended?.state).toBe("paused");
      expect(positionAt(ended ?? first, clock.monotonicMs())).toBe(15_000);
    },
  );

  test("is not which song has ended, when the user hides it", async () => {
    songs.note(playing("a"));
    await clock.advance(3_000);
    songs.note({ kind: "nothing", hides: "all" });
    expect(told.slice(1)).toEqual(["song.ended", "playback.stopped"]);
    expect(ended).toBe(null);
  });

  test("is no song that was skipped", async () => {
    songs.note(playing("a"));
    await clock.advance(2_000);
    songs.note(playing("b"));
    await clock.advance(3_000);
    expect(told).toEqual(["song.started b"]);
  });

  test("is the end and the start of a song that begins again after its end", async () => {
    for (const repeats of [0, 1, 2]) {
      songs.note({ ...playing("a"), playback: { ...song("a"), repeats } });
      await clock.advance(36_000);
    }
    const again = ["song.ended a", "song.started a"];
    expect(told).toEqual(["song.started a", ...again, ...again]);
  });

  test("is a pause, once, and a stop", async () => {
    songs.note(playing("a"));
    await clock.advance(3_000);
    songs.note(playing("a", "paused"));
    await clock.advance(500);
    songs.note(playing("a", "paused"));
    await clock.advance(500);
    songs.note(playing("a"));
    songs.note({ kind: "unavailable", retryAfterMs: 1 });
    songs.note(NOTHING);
    songs.note(NOTHING);
    expect(told).toEqual([
      "song.started a",
      "playback.paused a",
      "song.ended a",
      "playback.stopped",
    ]);
  });
});

describe("what is told of a player that alternates", () => {
  test("is no pause that is over within a second, and none after the song", async () => {
    const clock = createFakeClock();
    const told: string[] = [];
    const songs = createSongEvents(clock, ({ type }) => told.push(type));
    songs.note(playing("a"));
    await clock.advance(3_000);
    for (let count = 0; count < 100; count += 1) {
      songs.note(playing("a", count % 2 === 0 ? "paused" : "playing"));
      await clock.advance(60);
    }
    songs.note(playing("a", "paused"));
    songs.note(NOTHING);
    await clock.advance(60_000);
    expect(told).toEqual(["song.started", "song.ended", "playback.stopped"]);
  });
});

const HOOK: Hook = {
  id: 1,
  userId: 1,
  url: "https://example.org/songs",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  events: HOOK_EVENTS,
  action: null,
  failures: 0,
  off: null,
};

describe("telling a hook", () => {
  let clock: FakeClock;
  let sent: { id: string; atMs: number }[];
  let answers: (number | "nobody" | "late")[];
  let noted: unknown[];
  beforeEach(() => {
    clock = createFakeClock();
    sent = [];
    answers = [];
    noted = [];
  });
  const delivery = (hook: Partial<Hook> = {}) =>
    createHookDelivery(
      { ...HOOK, ...hook },
      {
        clock,
        hooks: { note: async (_, result) => void noted.push(result) },
        async send(_, { id }) {
          sent.push({ id, atMs: clock.monotonicMs() - 1_000 });
          const answer = answers.shift() ?? 204;
          if (answer === "nobody") throw new Error("nobody answers");
          if (answer === "late") await clock.sleep(4_000, new AbortController().signal);
          return answer === "late" ? 500 : answer;
        },
      },
    );
  const event = (id: string) => ({ type: "song.started", playback: song(id), id, at: 0 }) as const;

  test("is tried at once, after five and after thirty seconds", async () => {
    answers = [500, "nobody", 503];
    const one = delivery();
    one.deliver(event("a"));
    await clock.advance(120_000);
    expect(sent).toEqual([
      { id: "a", atMs: 0 },
      { id: "a", atMs: 5_000 },
      { id: "a", atMs: 30_000 },
    ]);
    expect(noted).toEqual([{ failures: 1, off: null }]);
    expect(one.tries().map(({ status }) => status)).toEqual([503, null, 500]);
  });

  test("is tried after five and thirty seconds, however long an answer takes", async () => {
    answers = ["late", "late", 500];
    delivery().deliver(event("a"));
    await clock.advance(120_000);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 5_000, 30_000]);
  });

  test("gives way at once to an event that came while it was being sent", async () => {
    answers = ["late"];
    const one = delivery();
    one.deliver(event("a"));
    await settle();
    one.deliver(event("b"));
    await clock.advance(120_000);
    expect(sent).toEqual([
      { id: "a", atMs: 0 },
      { id: "b", atMs: 4_000 },
    ]);
  });

  test("gives way to a newer event", async () => {
    answers = [500];
    const one = delivery();
    one.deliver(event("a"));
    await settle();
    one.deliver(event("b"));
    one.deliver(event("c"));
    await clock.advance(120_000);
    expect(sent.map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("is not tried again once the event is dropped, and newer ones are sent", async () => {
    answers = [500, 500, 204];
    const told = delivery();
    told.deliver(event("a"));
    await clock.advance(4_000);
    told.drop();
    await clock.advance(60_000);
    expect(sent.map(({ id }) => id)).toEqual(["a"]);
    told.deliver(event("b"));
    await clock.advance(5_000);
    expect(sent.map(({ id }) => id)).toEqual(["a", "b", "b"]);
  });

  test("ends when the address is gone", async () => {
    answers = [410];
    const one = delivery();
    one.deliver(event("a"));
    await clock.advance(60_000);
    one.deliver(event("b"));
    await clock.advance(60_000);
    expect(sent.map(({ id }) => id)).toEqual(["a"]);
    expect(noted).toEqual([{ failures: 1, off: "gone" }]);
  });

  test("ends after a hundred failures in a row, and a success counts anew", async () => {
    answers = [204];
    const one = delivery({ failures: 98 });
    one.deliver(event("a"));
    await clock.advance(60_000);
    expect(noted).toEqual([{ failures: 0, off: null }]);
    const other = delivery({ failures: 99 });
    answers = [500, 500, 500];
    other.deliver(event("b"));
    await clock.advance(60_000);
    expect(noted.at(-1)).toEqual({ failures: 100, off: "failing" });
  });

  test("counts an event as a failure once its tries are over, or a newer one replaces it", async () => {
    answers = [500, 204];
    const taken = delivery({ failures: 99 });
    taken.deliver(event("a"));
    await clock.advance(60_000);
    expect(sent.map(({ id }) => id)).toEqual(["a", "a"]);
    expect(noted).toEqual([{ failures: 0, off: null }]);
    answers = [500];
    const replaced = delivery({ failures: 98 });
    replaced.deliver(event("b"));
    await settle();
    replaced.deliver(event("c"));
    await settle();
    expect(noted.at(-1)).toEqual({ failures: 99, off: null });
  });

  test("is one event a second, and the newest that waited", async () => {
    const { deliver } = delivery();
    for (let count = 0; count < 50; count += 1) {
      deliver(event(String(count)));
      await clock.advance(100);
    }
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(sent.map(({ id }) => id)).toEqual(["0", "9", "19", "29", "39", "49"]);
  });

  test("is nothing of an event that was dropped while it waited for its second", async () => {
    const told = delivery();
    told.deliver(event("a"));
    await settle();
    told.deliver(event("b"));
    told.drop();
    await clock.advance(60_000);
    expect(sent.map(({ id }) => id)).toEqual(["a"]);
  });

  test("is one request at a time, however many events come", async () => {
    const one = delivery();
    for (let count = 0; count < 10_000; count += 1) one.deliver(event(String(count)));
    await clock.advance(60_000);
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(sent.at(-1)?.id).toBe("9999");
  });
});

describe("a signature", () => {
  test("is the one that Standard Webhooks gives as an example", () => {
    const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
    expect(signatureOf(HOOK.secret, content)).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });
});

describe("a body", () => {
  const bodyFor = (playback: Playback, hook: Partial<Hook> = {}) =>
    messageOf(
      { ...HOOK, ...hook },
      { type: "song.started", playback, id: "msg_1", at: 0 },
      {
        nowMonotonicMs: 0,
        nowWallMs: 0,
        artworkUrl: ({ url }) => url ?? "",
      },
    ).body;

  test.each([null, "New song"])("stays below 20 KB, whatever a song is called: %p", (action) => {
    const long = "\u0001".repeat(1_000);
    const huge = aPlayback({
      track: { ...aPlayback().track, id: long, title: long },
      artists: Array.from({ length: 50 }, () => long),
      album: {
        name: long,
        artworks: Array.from({ length: 10 }, (_, index) => ({
          key: String(index),
          url: `https://example.org/${"a".repeat(2_000)}`,
          load: async () => new Uint8Array(),
        })),
      },
      device: { name: long, type: long, volumePercent: null },
    });
    const body = bodyFor(huge, { action });
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    expect(body).toContain(JSON.stringify("\u0001".repeat(100)).slice(1, -1));
    expect(() => JSON.parse(body)).not.toThrow();
  });

  test("has whole names where they fit", () => {
    const title = "a".repeat(1_000);
    const body = bodyFor(aPlayback({ track: { ...aPlayback().track, title } }));
    expect(body).toContain(`"name":"${title}"`);
  });
});

describe("the address of a hook", () => {
  const rules = {
    playerHosts: ["127.0.0.1", "::ffff:7f00:1", "169.254.1.1", "nas"],
    own: ["127.0.0.1:4747"],
  };
  test.each([
    "https://example.org/songs?token=1",
    "https://example.org:8443/",
    "http://127.0.0.1:7474/DoAction",
    "http://nas/",
    `https://example.org/${"a".repeat(2_028)}`,
  ])("may be %s", (url) => {
    expect(readHookAddress(url, rules).href).toBe(url);
  });
  test.each([
    "example.org",
    "ftp://example.org/",
    "https://ada:secret@example.org/",
    "https://example.org/#part",
    "https://example.org:22/",
    "http://example.org/",
    "https://10.0.0.1/",
    "https://tower/",
    "https://tower.local/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "http://2130706433:4747/",
    "http://127.0.0.1:4747/api",
    "http://[::ffff:7f00:1]:4747/api",
    "http://169.254.1.1/",
    "https://0.0.0.0/",
    "https://100.64.0.1/",
    "https://[64:ff9b::7f00:1]/",
    "https://224.0.0.1/",
    "https://[fe80::1]/",
  ])("may not be %s", (url) => {
    expect(() => readHookAddress(url, rules)).toThrow(Refused);
  });
});

describe("a user's hooks", () => {
  let server: TestServer;
  let ada: AddedUser;
  let requests: { url: string; headers: Headers; body: Record<string, unknown> }[];
  beforeEach(async () => {
    const received: typeof requests = [];
    requests = received;
    server = await createTestServer({
      async fetch(url, init) {
        const body = JSON.parse(String(init?.body)) as Record<string, unknown>;
        // A server that closes after another test says that its music has stopped.
        received.push({ url: String(url), headers: new Headers(init?.headers), body });
        return new Response("thanks", { status: String(url).endsWith("/broken") ? 500 : 200 });
      },
    });
    ada = await server.addUser("ada");
  });
  afterEach(() => server.close());

  const add = (action: string | null = null) =>
    server.accounts.hooks.add(ada.user, { url: HOOK.url, events: HOOK_EVENTS, action });
  const addAt = (url: string) =>
    server.accounts.hooks.add(ada.user, { url, events: HOOK_EVENTS, action: null });
  const plays = async (id: string) => {
    await server.sourceOf(ada).says(song(id));
    await server.clock.advance(4_000);
  };

  test("are told of songs, signed, with what the API says of them", async () => {
    const { secret } = await add();
    await settle();
    await plays("Lanterns");
    const [request] = requests;
    expect(request).toMatchObject({
      url: HOOK.url,
      body: { type: "song.started", data: { track: { name: "Lanterns" }, is_playing: true } },
    });
    const [id, timestamp] = ["webhook-id", "webhook-timestamp"].map((name) =>
      request?.headers.get(name),
    );
    expect(request?.headers.get("webhook-signature")).toBe(
      signatureOf(secret, `${id}.${timestamp}.${JSON.stringify(request?.body)}`),
    );
  });

  test("are told of a song once, whatever becomes of another hook", async () => {
    await add();
    await server.accounts.hooks.add(ada.user, {
      url: "https://example.org/broken",
      events: HOOK_EVENTS,
      action: null,
    });
    await settle();
    await plays("Lanterns");
    // Until each try of the other hook has failed and that is stored.
    await server.clock.advance(120_000);
    await addAt("https://example.org/another");
    await server.clock.advance(120_000);
    const sent = requests.map(({ url, body }) => `${url} ${body["type"]}`);
    expect(sent.filter((one) => one === `${HOOK.url} song.started`)).toHaveLength(1);
    expect(sent.filter((one) => one.endsWith("another song.started"))).toHaveLength(1);
    expect(sent.filter((one) => one.endsWith("broken song.started"))).toHaveLength(3);
  });

  test("are told as Streamer.bot wants it", async () => {
    await add("New song");
    await settle();
    await plays("Lanterns");
    expect(requests[0]?.body).toEqual({
      action: { name: "New song" },
      args: {
        event: "song.started",
        title: "Lanterns",
        artist: expect.any(String),
        album: expect.any(String),
      },
    });
  });

  test("are told nothing that the user hides, and nothing once they are removed", async () => {
    const hook = await add();
    await server.accounts.privacy.change(ada.user, { hiddenTitles: ["Secret"] });
    await settle();
    await plays("Secret Song");
    expect(requests).toEqual([]);
    await server.accounts.hooks.remove(ada.user, hook.id);
    await settle();
    await plays("Lanterns");
    expect(requests).toEqual([]);
  });

  test.each([
    ["sharing is paused", { pausedUntil: Infinity }],
    ["the song is hidden", { hiddenTitles: ["Secret"] }],
  ])("are told nothing more of a song once %s", async (_, rules) => {
    await server.accounts.hooks.add(ada.user, {
      url: "https://example.org/broken",
      events: ["song.started", "song.ended"],
      action: null,
    });
    await settle();
    await plays("Secret Song");
    expect(requests).toHaveLength(1);
    await server.accounts.privacy.change(ada.user, rules);
    await settle();
    await server.clock.advance(60_000);
    expect(JSON.stringify(requests.slice(1).map(({ body }) => body))).not.toContain("Secret");
  });

  test("are not told of the start of a song that is over", async () => {
    await server.accounts.hooks.add(ada.user, {
      url: "https://example.org/broken",
      events: ["song.started"],
      action: null,
    });
    await settle();
    await plays("Lanterns");
    await server.sourceOf(ada).says(null);
    await server.clock.advance(60_000);
    expect(requests).toHaveLength(1);
  });

  test("have an address each, however it is spelled and however many are added at once", async () => {
    const spellings = [HOOK.url, "https://EXAMPLE.org:443/songs", "https://example.org./songs"];
    const added = await Promise.allSettled([...spellings, ...spellings].map(addAt));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await addAt(HOOK.url).catch(String)).toContain("hook.taken");
    const grace = await server.addUser("grace");
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: null };
    expect(await server.accounts.hooks.add(grace.user, settings)).toMatchObject({ off: null });
  });

  test("are ten at most, and gone with the user", async () => {
    for (let count = 0; count < MOST_HOOKS; count += 1) await addAt(`${HOOK.url}/${count}`);
    expect(await add().catch(String)).toContain("hook.tooMany");
    await server.accounts.users.remove("ada");
    expect(server.accounts.hooks.users()).toEqual([]);
  });
});

describe("the page of hooks", () => {
  const HOOKS = "/en/dashboard/settings/programs";
  let server: TestServer;
  let ada: AddedUser;
  let browser: SignedIn;
  let status: number;
  let sent: number;
  beforeEach(async () => {
    status = 200;
    sent = 0;
    server = await createTestServer({
      async fetch() {
        sent += 1;
        return new Response(null, { status });
      },
    });
    ada = await server.addUser("ada");
    browser = await signIn(server, ada);
  });
  afterEach(() => server.close());

  test("adds one and shows its secret once", async () => {
    const added = await browser.submit(HOOKS, { do: "hook add", url: HOOK.url, action: "" });
    const [hook] = server.accounts.hooks.allOf(ada.user.id);
    expect(hook).toMatchObject({ url: HOOK.url, action: null, events: HOOK_EVENTS });
    const secret = hook && "secret" in hook ? hook.secret : "?";
    expect(await added.text()).toContain(secret);
    expect(await (await browser.get(HOOKS)).text()).not.toContain(secret);
  });

  test("refuses an address that the user has, and an action that is no name", async () => {
    await browser.submit(HOOKS, { do: "hook add", url: HOOK.url, action: "" });
    const again = await browser.post(HOOKS, { do: "hook add", url: HOOK.url, action: "" });
    expect(await textOf(again, ".mistake")).toBe(
      "There is a hook with this address already. Remove it first.",
    );
    for (const action of ["a".repeat(61), "New\u0007song"]) {
      const fields = { do: "hook add", url: "https://example.org/other", action };
      const answer = await browser.post(HOOKS, fields);
      expect(await textOf(answer, ".mistake")).toContain("1 to 60 visible characters");
    }
    expect(server.accounts.hooks.allOf(ada.user.id)).toHaveLength(1);
  });

  test("sends a test, which switches a hook on again, and removes it", async () => {
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: null };
    const { id } = await server.accounts.hooks.add(ada.user, settings);
    await server.accounts.hooks.note(id, { failures: 100, off: "failing" });
    status = 500;
    const refused = await browser.submit(HOOKS, { do: "hook test", id: String(id) });
    expect(await refused.text()).toContain("The address answered 500.");
    status = 204;
    await server.clock.advance(5_000);
    await browser.submit(HOOKS, { do: "hook test", id: String(id) });
    expect(server.accounts.hooks.allOf(ada.user.id)).toMatchObject([{ off: null }]);
    await browser.submit(HOOKS, { do: "hook remove", id: String(id) });
    expect(server.accounts.hooks.allOf(ada.user.id)).toEqual([]);
  });

  test("names what can be done to a hook after the hook, for screen readers", async () => {
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: "New song" };
    await server.accounts.hooks.add(ada.user, settings);
    expect(await groupNameOf(await browser.get(HOOKS), "#hooks")).toBe("New song");
  });

  test("sends one test in five seconds, however often it is asked for", async () => {
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: null };
    const { id } = await server.accounts.hooks.add(ada.user, settings);
    const ask = () => browser.post(HOOKS, { do: "hook test", id: String(id) });
    for (let round = 0; round < 30; round += 1) {
      // No more forms of a user are read at once.
      const answers = await Promise.all(Array.from({ length: 10 }, ask));
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 303));
    }
    expect(sent).toBe(1);
    await server.clock.advance(4_999);
    await ask();
    expect(sent).toBe(1);
    await server.clock.advance(1);
    await ask();
    expect(sent).toBe(2);
  });

  test("sends no second test to another hook at once, nor to one that was added anew", async () => {
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: null };
    const { id } = await server.accounts.hooks.add(ada.user, settings);
    await browser.submit(HOOKS, { do: "hook test", id: String(id) });
    await server.accounts.hooks.remove(ada.user, id);
    const anew = await server.accounts.hooks.add(ada.user, settings);
    const answer = await browser.submit(HOOKS, { do: "hook test", id: String(anew.id) });
    expect(await answer.text()).toContain("Wait five seconds");
    expect(sent).toBe(1);
  });

  test("says of an address whose host must be listed first who can do that", async () => {
    const answer = await browser.post(HOOKS, {
      do: "hook add",
      url: "http://127.0.0.1:7474/DoAction",
      action: "New song",
    });
    expect(await textOf(answer, ".mistake")).toBe(
      "The owner of this server has to allow 127.0.0.1 first.",
    );
  });

  test("lists one that cannot be read, which can only be removed, beside the others", async () => {
    const settings = { url: HOOK.url, events: HOOK_EVENTS, action: null };
    const damaged = await server.accounts.hooks.add(ada.user, settings);
    server.store.queries.run(
      "UPDATE hooks SET sealed_settings = CAST(sealed_settings || x'00' AS BLOB)",
    );
    await server.accounts.hooks.add(ada.user, { ...settings, url: "https://example.org/other" });
    const page = await browser.get(HOOKS);
    expect(await textOf(page.clone(), ".status.bad")).toStartWith("The stored address");
    expect(await textOf(page, `#hook-${damaged.id}`)).toBe(`#${damaged.id}`);
    const tested = await browser.submit(HOOKS, { do: "hook test", id: String(damaged.id) });
    expect(await textOf(tested, ".notice p")).toStartWith("The stored address");
    expect(sent).toBe(0);
    expect((await browser.get("/en/dashboard/account/export")).status).toBe(200);
    await server.sourceOf(ada).says(song("Lanterns"));
    await server.clock.advance(4_000);
    expect(sent).toBe(1);
    await browser.submit(HOOKS, { do: "hook remove", id: String(damaged.id) });
    expect(server.accounts.hooks.allOf(ada.user.id)).toHaveLength(1);
  });

  test("shows, tests and removes nobody else's", async () => {
    const grace = await server.addUser("grace");
    const settings = { url: "https://example.org/hers", events: HOOK_EVENTS, action: null };
    const { id } = await server.accounts.hooks.add(grace.user, settings);
    const page = await (await browser.get(HOOKS)).text();
    expect(page).not.toContain("example.org");
    for (const action of ["hook test", "hook remove"]) {
      const answer = await browser.submit(HOOKS, { do: action, id: String(id) });
      expect(await answer.text()).toContain("There is no such hook");
    }
    expect(server.accounts.hooks.allOf(grace.user.id)).toHaveLength(1);
  });
});
