import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOOK_EVENTS } from "../../src/hooks/store.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment } = useCommandLine();
const URL = "https://example.org/songs";

beforeEach(async () => {
  await marquee("user", "add", "ada");
});

const hooks = () => documentsOf("hook", "list", "ada");

describe("marquee hook", () => {
  test("adds one, prints its secret once, lists and removes it", async () => {
    const [added] = await documentsOf("hook", "add", "ada", URL);
    expect(added).toEqual({
      id: 1,
      url: URL,
      events: [...HOOK_EVENTS],
      action: null,
      state: "on",
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(await hooks()).toEqual([
      { id: 1, url: URL, events: [...HOOK_EVENTS], action: null, state: "on" },
    ]);
    expect((await marquee("hook", "remove", "ada", "1")).code).toBe(0);
    expect(await hooks()).toEqual([]);
    expect((await marquee("hook", "remove", "ada", "1")).code).toBe(1);
  });

  test("takes the events that are named, and refuses others", async () => {
    await marquee("hook", "add", "ada", URL, "--events", "song.started, song.ended,song.started");
    expect((await hooks())[0]?.["events"]).toEqual(["song.started", "song.ended"]);
    const { code, errors } = await marquee("hook", "add", "ada", URL, "--events", "song.skipped");
    expect(code).toBe(2);
    expect(errors).toContain("playback.stopped");
  });

  test("says that a public host is called over https only", async () => {
    const { code, errors } = await marquee("hook", "add", "ada", "http://example.org/songs");
    expect(code).toBe(0);
    expect(errors).toContain(
      "only over https, or if it was started with --player-hosts example.org",
    );
  });

  test("says when the server has to allow a host first", async () => {
    const { code, errors } = await marquee("hook", "add", "ada", "http://127.0.0.1:7474/DoAction");
    expect(code).toBe(0);
    expect(errors).toContain("--player-hosts 127.0.0.1");
  });
});

describe("marquee hook test", () => {
  let server: Bun.Server<undefined>;
  let status: number;
  let asked: number;
  beforeEach(() => {
    asked = 0;
    environment["MARQUEE_PLAYER_HOSTS"] = "127.0.0.1";
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch() {
        asked += 1;
        return new Response("", { status });
      },
    });
  });
  afterEach(() => server.stop(true));

  test("prints what the address answers, and fails unless that is a success", async () => {
    status = 204;
    await marquee("hook", "add", "ada", `http://127.0.0.1:${server.port}/`);
    expect(await documentsOf("hook", "test", "ada", "1")).toEqual([{ id: 1, status: 204 }]);
    status = 500;
    expect((await marquee("hook", "test", "ada", "1")).code).toBe(1);
    await server.stop(true);
    const { code, errors } = await marquee("hook", "test", "ada", "1");
    expect(code).toBe(1);
    expect(errors).toContain("Nothing answered at this address.");
  });

  test("fails, as no mistake in the command, where the owner has not allowed the host", async () => {
    await marquee("hook", "add", "ada", "http://192.168.7.7/songs");
    const { code, errors } = await marquee("hook", "test", "ada", "1");
    expect(code).toBe(1);
    expect(errors).toContain("The owner of this server has to allow 192.168.7.7 first.");
  });
});
