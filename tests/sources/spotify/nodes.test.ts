import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { SourceFailure } from "../../../src/sources/source.ts";
import { createAccountsService } from "../../../src/sources/kinds/spotify/accounts-service.ts";
import {
  parseSpotifySettings,
  type SpotifySettings,
} from "../../../src/sources/kinds/spotify/settings.ts";
import {
  type AccessTokens,
  createAccessTokens,
} from "../../../src/sources/kinds/spotify/tokens.ts";
import { createUpstream } from "../../../src/upstream/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { createSharedConnection } from "../../fixtures/sources/stored-connection.ts";
import { idle } from "../../fixtures/spotify/listening.ts";
import { createSpotify } from "../../fixtures/spotify/spotify.ts";
import { networkOf } from "../../fixtures/http/network.ts";

/** Several nodes that refresh one user's tokens, at a Spotify that ends each token it rotates. */

const NODES = 3;
const RETRY_MS = 1_000;

const steps = fc.array(
  fc.record({
    event: fc.constantFrom("ask", "ask", "ask", "cutOff", "restore", "expire", "restart"),
    node: fc.nat(NODES - 1),
    thenMs: fc.constantFrom(0, 1, 50, 400, 3_000, 9_000, 3_500_000),
  }),
  { minLength: 1, maxLength: 20 },
);
const delays = fc.array(fc.constantFrom(1, 5, 30, 400, 2_500, 4_500), {
  minLength: 3,
  maxLength: 12,
});

// It is loaded when first needed, which no clock that stands still waits for.
beforeAll(() => import("oauth4webapi"));

const RUNS = Number(process.env["RUNS"] ?? 60);

test(
  "whatever the database and Spotify delay, the last refresh token is stored and works",
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, delays, async (schedule, delaysMs) => {
        const clock = createFakeClock();
        let turn = 0;
        const delayMs = () => delaysMs[turn++ % delaysMs.length] ?? 1;
        const spotify = createSpotify({ clock, latencyMs: delayMs });
        const user = spotify.addUser({ listening: idle, rotatesTokens: true });
        const upstream = createUpstream({
          clock,
          trustedOrigins: [],
          network: networkOf(spotify.fetch),
        });
        const service = createAccountsService("https://accounts.spotify.com", upstream);
        const shared = createSharedConnection({
          clientId: spotify.clientId,
          refreshToken: user.refreshToken,
          consentedAt: clock.wallMs(),
          accountId: null,
          displayName: null,
          product: null,
          access: null,
        } satisfies SpotifySettings);
        const stored = () => parseSpotifySettings(shared.row?.settings);
        const said: string[] = [];

        const nodes = Array.from({ length: NODES }, () => {
          const connection = shared.on({ clock, delayMs });
          let tokens: AccessTokens | undefined;
          const retry = () => {
            void connection.retry();
            clock.after(RETRY_MS, retry);
          };
          retry();
          return {
            connection,
            /** Another watching begins, which knows nothing of the last one. */
            restart: () => (tokens = undefined),
            async ask() {
              // Nobody watches a refused connection.
              if (shared.row?.isRefused) return undefined;
              tokens ??= createAccessTokens({
                clock,
                service,
                app: async () => ({ clientId: spotify.clientId, clientSecret: null }),
                settings: stored(),
                connection,
                onUnstored: () => {},
                onLimited: () => Promise.reject(new Error("not part of this test")),
              });
              try {
                return await tokens.current();
              } catch (error) {
                expect(error).toBeInstanceOf(SourceFailure);
                said.push(Bun.inspect(error));
                return undefined;
              }
            },
          };
        });

        for (const { event, node: index, thenMs } of schedule) {
          const node = nodes[index];
          if (!node) continue;
          if (event === "ask") void node.ask();
          else if (event === "expire") user.expireAccessTokens();
          else if (event === "restart") node.restart();
          else node.connection.isCutOff = event === "cutOff";
          await clock.advance(thenMs);
        }
        for (const { connection } of nodes) connection.isCutOff = false;
        await clock.advance(60_000);

        expect(shared.row?.isRefused).toBe(false);
        expect(stored().refreshToken).toBe(user.refreshToken);
        await clock.advance(3_600_000);
        for (const node of nodes) {
          node.restart();
          const token = node.ask();
          await clock.advance(60_000);
          const headers = { authorization: `Bearer ${await token}` };
          const answer = spotify.fetch("https://api.spotify.com/v1/me", { headers });
          await clock.advance(60_000);
          expect((await answer).status).toBe(200);
        }
        expect(said.join()).not.toMatch(/\b(AQ|BQ)[0-9A-Za-z]{20}/);
      }),
      { numRuns: RUNS },
    );
  },
  RUNS * 1_000,
);
