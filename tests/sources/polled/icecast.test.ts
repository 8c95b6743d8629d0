import { describe, expect, test as plainTest } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createIcecast } from "../../../src/sources/kinds/icecast.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { createIcecastServer, icecastIsInstalled } from "../../fixtures/players/icecast-server.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { sharedPart } from "../../fixtures/shared-part.ts";
import { failureOf, firstOf, polledDeps } from "../../fixtures/sources/polled.ts";

describe("a real Icecast", () => {
  const test = testWith("icecast2 or ffmpeg", icecastIsInstalled);
  const source = createIcecast(polledDeps(systemClock));
  const shared = sharedPart({
    isInstalled: icecastIsInstalled,
    start: createIcecastServer,
    isRunning: (server) => server.isRunning(),
    stop: (server) => server.stop(),
  });

  test("tells nothing before the first broadcast", async () => {
    expect(await firstOf(source, { url: shared().url }, systemClock)).toBeNull();
  });

  test("tells artist and title of what is announced, and titles that are not JSON", async () => {
    const server = shared();
    await server.broadcast("/live", "Radio Lantern");
    const received = async () => firstOf(source, { url: server.url, mount: "/live" }, systemClock);
    await server.announce("/live", "Juniper Vale - Paper Lanterns");
    expect(await received()).toMatchObject({
      source: "Icecast",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: null },
      artists: ["Juniper Vale"],
      album: { name: "Radio Lantern", artworks: [] },
      device: { name: "Radio Lantern" },
      positionUnknown: true,
    });
    for (const title of [".5", "1979", "007", 'He said "no" \\ café']) {
      await server.announce("/live", title);
      expect(await received()).toMatchObject({ track: { title }, artists: ["Radio Lantern"] });
    }
    for (const charset of [undefined, "UTF-8"] as const) {
      await server.announce("/live", "Björk - Jóga", charset);
      expect(await received()).toMatchObject({ track: { title: "Jóga" }, artists: ["Björk"] });
    }
    const elsewhere = { url: server.url, mount: "/elsewhere" };
    expect(await firstOf(source, elsewhere, systemClock)).toBeNull();
  });
});

describe("Icecast's status", () => {
  const clock = createFakeClock();
  const reading = (text: string, mount = "") =>
    firstOf(
      createIcecast(polledDeps(clock, async () => new Response(text))),
      { url: "http://radio.test:8000", mount },
      clock,
    );
  const stream = (mount: string, title: string) =>
    `{"listenurl":"http://radio.test:8000${mount}","server_name":"Radio","title":${title},"dummy":null}`;
  const status = (...streams: string[]) =>
    `{"icestats":{"admin":"a","source":${streams.length === 1 ? streams[0] : `[${streams.join()}]`}}}`;

  plainTest.each([
    { title: "-", shown: "Radio" },
    { title: " - ", shown: "Radio" },
    { title: "-5", shown: "-5" },
    { title: "1.50", shown: "1.50" },
    { title: '"a: {1, 2} \\"x\\""', shown: 'a: {1, 2} "x"' },
    { title: "null", shown: "Radio" },
  ])("with the title $title is read as $shown", async ({ title, shown }) => {
    expect((await reading(status(stream("/a", title))))?.track.title).toBe(shown);
  });

  plainTest(
    "of several streams tells the first with a title, or the one that was asked for",
    async () => {
      const both = status(stream("/a", "-"), stream("/b", '"B"'), stream("/c", '"C"'));
      expect((await reading(both))?.track.title).toBe("B");
      expect((await reading(both, "/c"))?.track.title).toBe("C");
      expect((await reading(both, "/a"))?.track.title).toBe("Radio");
    },
  );

  // Icecast names a mount as it is, without percent-encoding.
  plainTest.each([
    ["/radió", "/radió"],
    ["/radió", "/radi%C3%B3"],
    ["/my mount", "/my%20%6dount"],
    ["/100%", "/100%"],
  ])("knows the mount %s by the name %s", async (mount, entered) => {
    const both = status(stream("/a", '"A"'), stream(mount, '"B"'));
    expect((await reading(both, entered))?.track.title).toBe("B");
  });

  plainTest("without a broadcast is nothing, even where a brace is missing", async () => {
    expect(await reading('{"icestats":{"server_id":"Icecast","dummy":null}}')).toBeNull();
    expect(await reading('{"icestats":"server_id":"Icecast","dummy":null}}')).toBeNull();
  });

  plainTest(
    "that somebody has closed is unavailable, as nothing can be entered for it",
    async () => {
      const source = createIcecast(
        polledDeps(clock, async () => new Response("", { status: 403 })),
      );
      const failure = await failureOf(source, { url: "http://radio.test" }, clock);
      expect(failure).toMatchObject({ meaning: { kind: "unavailable" } });
    },
  );
});
