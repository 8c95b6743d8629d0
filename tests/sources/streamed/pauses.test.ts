import { expect, test } from "bun:test";
import { createCider } from "../../../src/sources/kinds/cider/index.ts";
import { createHomeAssistant } from "../../../src/sources/kinds/homeassistant/index.ts";
import { createEmby, createJellyfin } from "../../../src/sources/kinds/media-browser/index.ts";
import { createPear } from "../../../src/sources/kinds/pear/index.ts";
import { createPlex } from "../../../src/sources/kinds/plex/index.ts";
import type { StreamedSourceDeps } from "../../../src/sources/streamed-source.ts";
import { createUpstream } from "../../../src/upstream/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { networkOf } from "../../fixtures/http/network.ts";
import { coversOn, listenTo } from "../../fixtures/sources/streamed/listening.ts";

const url = "http://player.test:8080";
const clock = createFakeClock();
const deps: StreamedSourceDeps = {
  covers: coversOn(clock),
  upstreamOf: () =>
    createUpstream({
      clock,
      trustedOrigins: [url],
      network: networkOf(
        async () => new Response("", { status: 429, headers: { "Retry-After": "17" } }),
      ),
    }),
};

test.each([createPear, createCider, createJellyfin, createEmby, createPlex, createHomeAssistant])(
  "a server that asks for a pause is not asked before that is over: %p",
  async (create) => {
    const settings = { url, user: "ada", token: "correct-horse", entity: "media_player.desk" };
    const { failure } = listenTo(create(deps), settings, clock, new AbortController().signal);
    const { meaning, message } = await failure();
    expect(meaning).toEqual({ kind: "retryLater", afterMs: 17_000, reason: "limited" });
    expect(message).toEndWith(`at ${url} has asked for a pause`);
  },
);
