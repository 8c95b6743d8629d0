import { describe, expect, test } from "bun:test";
import { resolveConfig } from "../../src/config.ts";
import { createSources, withoutServer } from "../../src/sources/index.ts";
import type { Source } from "../../src/sources/source.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { inTime } from "../fixtures/clock/waiting.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";
import { watchContext } from "../fixtures/sources/watch-context.ts";
import { networkOf } from "../fixtures/http/network.ts";

/** What `facts.calls` says is what the documentation tells people about what leaves their machine. */

const ENTERED = "entered.test";
/** With these every source can be opened: each takes what it knows. */
const SETTINGS = {
  address: `${ENTERED}:6600`,
  url: `http://${ENTERED}`,
  user: "ada",
  password: "open-sesame",
  token: "open-sesame",
  station: "lantern",
  entity: "media_player.lantern",
  path: "/nonexistent",
  // Spotify's come from linking.
  clientId: "0123456789abcdef0123456789abcdef",
  refreshToken: "open-sesame",
  consentedAt: 0,
  accountId: null,
  displayName: null,
  product: null,
};

const servicesOf = ({ facts }: Source): string[] =>
  facts.calls.flatMap((called) =>
    typeof called === "string" ? [] : [new URL(called.service).host],
  );
/** Those that call servers: a source for each way. */
const calling = allSources().filter(
  (source) => servicesOf(source).length > 0 || source.facts.calls.includes("entered"),
);

/** The hosts that a source calls from when it is watched until its first word or its failure. */
async function hostsCalledBy(id: string): Promise<string[]> {
  const clock = createFakeClock();
  const hosts = new Set<string>();
  const source = createSources({
    ...withoutServer(),
    clock,
    settings: { ...resolveConfig({}, {}).config, lastfmApiKey: "key" },
    memory: {
      appOf: () => ({ clientId: SETTINGS.clientId, clientSecret: null }),
      pauseOf: () => undefined,
      rememberPause: async () => {},
    },
    network: {
      ...networkOf(async (url) => {
        hosts.add(new URL(url).host);
        return Response.json({
          access_token: "open-sesame",
          token_type: "Bearer",
          expires_in: 3600,
        });
      }),
      connect: async (to) => {
        hosts.add("unix" in to ? to.unix : to.hostname);
        throw new Error("nobody answers");
      },
    },
  }).byId(id);
  if (!source) throw new Error(`there is no source ${id}`);
  const stop = new AbortController();
  const playbacks = source.open(SETTINGS).watch(watchContext({ signal: stop.signal, clock }));
  // What answers is nothing that it understands: only whom it asked counts.
  const first = playbacks[Symbol.asyncIterator]().next();
  await inTime(
    `a word of ${id}`,
    first.catch(() => undefined),
  );
  stop.abort();
  return [...hosts].sort();
}

describe("whom a source calls", () => {
  test("is known of each that calls somebody", () => {
    expect(calling.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        "spotify",
        "mpd",
        "radio",
        "lastfm",
        "listenbrainz-reader",
        "plex",
        "icecast",
      ]),
    );
  });

  test.each(calling.map((source) => [source.id, source] as const))(
    "is exactly what %s names",
    async (id, source) => {
      const entered = source.facts.calls.includes("entered") ? [ENTERED] : [];
      expect(await hostsCalledBy(id)).toEqual([...servicesOf(source), ...entered].sort());
    },
  );

  test.each(allSources().map((source) => [source.id, source] as const))(
    "is an entered address exactly where one is entered: %s",
    (_, source) => {
      const { address } = source.open(SETTINGS);
      expect(address !== undefined).toBe(source.facts.calls.includes("entered"));
    },
  );

  test.each(allSources().map((source) => [source.id, source.facts] as const))(
    "is no server of covers where there are none: %s",
    (_, { reports = [], reportsSometimes = [], calls }) => {
      if (![...reports, ...reportsSometimes].includes("cover"))
        expect(calls).not.toContain("covers");
    },
  );
});
