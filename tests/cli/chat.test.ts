import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { type StandInTwitch, startTwitch } from "../fixtures/twitch/twitch.ts";

const { marquee, documentsOf } = useCommandLine();

let twitch: StandInTwitch;
beforeEach(async () => {
  twitch = startTwitch({ clock: createFakeClock() });
  await marquee("user", "add", "ada");
});
afterEach(() => twitch.stop());

const places = () => ["--twitch-id-url", twitch.idUrl, "--twitch-api-url", twitch.apiUrl];

describe("marquee chat link", () => {
  test("says how to register an application where there is none", async () => {
    const { code, errors } = await marquee("chat", "link", "ada", ...places());
    expect(code).toBe(1);
    expect(errors).toContain("--twitch-client-id");
    expect(twitch.log).toEqual([]);
  });

  test("says what Twitch refuses", async () => {
    const { code, errors } = await marquee(
      ...["chat", "link", "ada", "--twitch-client-id", "unknown", ...places()],
    );
    expect(code).toBe(1);
    expect(errors).toContain("Twitch refuses: invalid client");
  });
});

describe("marquee chat list", () => {
  test("prints nothing where nothing is linked", async () => {
    expect(await documentsOf("chat", "list", "ada")).toEqual([]);
  });
});

describe("marquee chat unlink", () => {
  test("knows only linked accounts", async () => {
    const { code, errors } = await marquee("chat", "unlink", "ada", "bob", ...places());
    expect(code).toBe(1);
    expect(errors).toContain('no linked chat account "bob"');
  });
});
