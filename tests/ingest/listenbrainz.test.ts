import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readSubmission } from "../../src/ingest/listenbrainz.ts";
import { LISTENBRAINZ } from "../../src/sources/pushed.ts";
import { expectHarmless } from "../fixtures/ingest/fuzz.ts";
import { hostileTexts } from "../fixtures/ingest/hostile.ts";
import { bodyAfter } from "../fixtures/http/late-body.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";

const METADATA = {
  track_name: "Paper Lanterns",
  artist_name: "Juniper Vale & Fern",
  release_name: "Slow Weather",
  additional_info: { duration_ms: 200_000, media_player: "Navidrome" },
};
const submission = (metadata: unknown = METADATA) => ({
  listen_type: "playing_now",
  payload: [{ track_metadata: metadata }],
});

let server: PushedServer;
beforeEach(async () => {
  server = await createPushedServer("listenbrainz");
});
afterEach(() => server.close());

const token = (secret = server.secret) => ({ authorization: `Token ${secret}` });
const submit = async (body: unknown, headers: Record<string, string> = token()) => {
  const response = await server.post("/listenbrainz/1/submit-listens", body, headers);
  return { status: response.status, body: await response.json() };
};
const OK = { status: 200, body: { status: "ok" } };

describe("a submission to ListenBrainz", () => {
  test("is shown, counted from when it was first reported", async () => {
    expect(await submit(submission())).toEqual(OK);
    await server.clock.advance(30_000);
    await submit(submission());
    await server.clock.advance(1_000);
    expect(await server.shown()).toMatchObject({
      is_playing: true,
      progress_ms: 31_000,
      track: { name: "Paper Lanterns", duration_ms: 200_000 },
      artist_name: "Juniper Vale & Fern",
      album: { name: "Slow Weather", images: [] },
      device: { name: "Navidrome" },
    });
  });

  test("is refused where its token is replaced while it is on its way", async () => {
    const { accounts, connectionId } = server;
    const rotate = () => accounts.connections.rotateSecret(connectionId);
    const body = bodyAfter(rotate, JSON.stringify(submission()));
    const init = { method: "POST", headers: token(), body };
    const answer = await server.get("/listenbrainz/1/submit-listens", init);
    expect(answer.status).toBe(401);
    expect(await server.shown()).toBe(null);
  });

  test("counts until fifteen seconds after its end, or ten minutes without a length", async () => {
    await submit(submission());
    await server.clock.advance(214_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);

    await submit(submission({ ...METADATA, additional_info: {} }));
    await server.clock.advance(599_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test("of the same track after its end is a new beginning", async () => {
    await submit(submission());
    await server.clock.advance(201_000);
    await submit(submission());
    await server.clock.advance(1_000);
    expect(await server.shown()).toMatchObject({ progress_ms: 1_000 });
  });

  test.each([
    [{ duration: "200.5" }, 200_500],
    [{ duration_ms: "1000", duration: 200 }, 1_000],
    [{ duration_ms: "long", duration: 200 }, 200_000],
  ])("with %p is %p ms long", async (info, durationMs) => {
    expect(await submit(submission({ ...METADATA, additional_info: info }))).toEqual(OK);
    expect((await server.shown())?.track.duration_ms).toBe(durationMs);
  });

  test("names each artist where the program does", async () => {
    const info = { artist_names: ["Juniper Vale", "Fern"] };
    await submit(submission({ ...METADATA, additional_info: info }));
    expect((await server.shown())?.artist_name).toBe("Juniper Vale, Fern");
  });

  test.each(["single", "import"])("of the type %s is history and changes nothing", async (type) => {
    await submit(submission());
    const listen = { listened_at: 1, track_metadata: { ...METADATA, track_name: "Old" } };
    expect(await submit({ listen_type: type, payload: [listen, listen] })).toEqual(OK);
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
  });

  test.each<[what: string, body: unknown]>([
    ["listen_type", { ...submission(), listen_type: "x" }],
    ["payload", { listen_type: "playing_now" }],
    ["payload", { listen_type: "playing_now", payload: [] }],
    ["payload", { listen_type: "playing_now", payload: [1, 2] }],
    ["track_metadata.track_name", submission({ ...METADATA, track_name: " " })],
    ["track_metadata.artist_name", submission({ ...METADATA, artist_name: {} })],
    ["track_metadata.track_name", { listen_type: "playing_now", payload: [{}] }],
    ["The body", "nonsense"],
  ])("that is wrong is refused with a sentence that names %s", async (what, body) => {
    await submit(submission());
    const answer = await submit(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 400 } });
    expect(answer.body.error).toStartWith(what);
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
    expect(server.inbox.postOf(server.connectionId).refusal?.reason).toBe(answer.body.error);
  });

  test("ends when it is deleted", async () => {
    await submit(submission());
    const response = await server.post("/listenbrainz/1/playing-now/delete", "", token());
    expect(await response.json()).toEqual({ status: "ok" });
    expect(await server.shown()).toBe(null);
  });

  test.each([
    "/listenbrainz",
    "/listenbrainz/",
    "/listenbrainz/1",
    "/listenbrainz/1/",
    "/listenbrainz/submit-listens",
    "/listenbrainz//1/submit-listens",
    "/listenbrainz/1//1/submit-listens/",
    "/listenbrainz/1/submit-listens?return_msid=true",
  ])("is taken at %s", async (path) => {
    const response = await server.post(path, submission(), {
      authorization: `token ${server.secret}`,
    });
    expect(response.status).toBe(200);
    expect(await server.shown()).not.toBe(null);
  });

  test("at an address that is not taken is not found", async () => {
    for (const path of ["/listenbrainz/1/user/ada/playing-now", "/listenbrainz/constructor"]) {
      const response = await server.get(path, { headers: token() });
      expect([response.status, (await response.json()).code]).toEqual([404, 404]);
    }
  });

  test("survives thousands of hostile messages", () => {
    const samples = [submission(), { ...submission(), listen_type: "single" }];
    expectHarmless(LISTENBRAINZ, hostileTexts(samples), readSubmission);
  });
});

describe("whoever submits", () => {
  const validate = async (path: string, init: RequestInit = {}) => {
    const response = await server.get(`/listenbrainz/1/validate-token${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  const valid = { code: 200, message: "Token valid.", valid: true, user_name: "ada" };

  test("can have the token validated, in the header or the query", async () => {
    expect(await validate("", { headers: token() })).toEqual({ status: 200, body: valid });
    expect(await validate(`?token=${server.secret}`)).toEqual({ status: 200, body: valid });
    expect((await validate("")).status).toBe(400);
  });

  test("can have the token validated by HEAD, and by no other method", async () => {
    const ask = (method: string) =>
      server.get("/listenbrainz/1/validate-token", { method, headers: token() });
    expect((await ask("HEAD")).status).toBe(200);
    const posted = await ask("POST");
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("with a wrong token is told so with status 200, until it looks like guessing", async () => {
    const invalid = { code: 200, message: "Token invalid.", valid: false };
    for (let guesses = 0; guesses < 10; guesses++) {
      expect(await validate("?token=mqi_x")).toEqual({ status: 200, body: invalid });
    }
    expect(await validate("?token=mqi_x")).toMatchObject({ status: 429, body: { code: 429 } });
    expect((await submit(submission(), token("mqi_x"))).status).toBe(429);
    expect(await submit(submission())).toEqual(OK);
  });

  test("without a token, or with a wrong one, is refused in the protocol's form", async () => {
    expect(await submit(submission(), {})).toMatchObject({ status: 401, body: { code: 401 } });
    expect(await submit(submission(), token("mqi_x"))).toMatchObject({
      status: 401,
      body: { code: 401 },
    });
    expect(await server.shown()).toBe(null);
  });
});
