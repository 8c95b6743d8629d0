import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** A word that stands nowhere by chance. */
const mark = fc.stringMatching(/^[a-z]{16}$/);

interface Listener {
  readonly mark: string;
  readonly state: "playing" | "paused";
  readonly positionMs: number;
}

const listeners = fc.uniqueArray(
  fc.record<Listener>({
    mark,
    state: fc.constantFrom("playing", "paused"),
    positionMs: fc.integer({ min: 0, max: 200_000 }),
  }),
  { minLength: 2, maxLength: 5, selector: (one) => one.mark },
);

/** A playback in which every text carries its listener's mark. */
function markedPlayback({ mark, state, positionMs }: Listener): Playback {
  return aPlayback({
    state,
    positionMs,
    track: { id: `id-${mark}`, title: `title-${mark}`, durationMs: 200_000, explicit: false },
    artists: [`artist-${mark}`, `signedIn-${mark}`],
    album: {
      name: `album-${mark}`,
      artworks: [{ key: `cover-${mark}`, load: () => patternPicture("png", 8) }],
    },
    device: { name: `device-${mark}`, type: "speaker", volumePercent: 10 },
  });
}

interface Seat {
  readonly user: AddedUser;
  readonly mark: string;
  /** The name of the user's picture in addresses. */
  readonly picture: string;
}

/** Adds a user named by each mark, who plays a playback with it. */
async function seat(server: TestServer, all: readonly Listener[]): Promise<Seat[]> {
  const seats: Seat[] = [];
  for (const listener of all) {
    const user = await server.addUser(listener.mark);
    await server.sourceOf(user).says(markedPlayback(listener));
    const picture = server.vault.opaqueName(`cover-${listener.mark}`);
    seats.push({ user, mark: listener.mark, picture });
  }
  return seats;
}

function expectOnlyOwn(answer: string, own: Seat, seats: readonly Seat[]): void {
  const foreign = seats
    .filter((one) => one !== own)
    .flatMap(({ mark, picture, user }) => [mark, picture, user.key, user.widgetToken]);
  expect(foreign.filter((text) => answer.includes(text))).toEqual([]);
}

const everything = async (response: Response) =>
  JSON.stringify([...response.headers]) + (await response.text());

describe("no answer for one user contains anything of another's", () => {
  test("by key or by widget token, all asking at once, again and again", async () => {
    await fc.assert(
      fc.asyncProperty(listeners, async (all) => {
        using server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
        const seats = await seat(server, all);
        for (let round = 0; round < 2; round++) {
          await Promise.all(
            seats.map(async (own) => {
              const { user } = own;
              const answers = await Promise.all([
                server.getAs(user, "/api/v1/now-playing"),
                server.getAs(user, "/api/v1/user"),
                server.get(`/api/v1/now-playing?api_key=${user.key}`),
                server.get(`/de/widget/${user.widgetToken}`),
              ]);
              for (const answer of answers) {
                expect(answer.status).toBe(200);
                const text = await everything(answer);
                // The page shows the track; the user endpoint knows only the name.
                expect(text).toContain(own.mark);
                expectOnlyOwn(text, own, seats);
              }
            }),
          );
          await server.clock.advance(1_000);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("on the overlays' sockets, when everybody's music changes", async () => {
    await fc.assert(
      fc.asyncProperty(listeners, async (all) => {
        const server = await createTestServer();
        const port = openPort(server);
        try {
          const seats = await seat(server, all);
          const overlays = await Promise.all(
            seats.map(({ user }) =>
              openOverlay(`${port.origin}/en/widget/${user.widgetToken}/live`),
            ),
          );
          const expectOwnMessages = () =>
            Promise.all(
              seats.map(async (own, at) => {
                const text = JSON.stringify(await overlays[at]?.next());
                expect(text).toContain(`title-${own.mark}`);
                expectOnlyOwn(text, own, seats);
              }),
            );
          await expectOwnMessages();
          for (const [at, { user }] of seats.entries()) {
            const listener = all[at]!;
            const positionMs = (listener.positionMs + 100_000) % 200_000;
            await server.sourceOf(user).says(markedPlayback({ ...listener, positionMs }));
          }
          await expectOwnMessages();
          expect(overlays.map((overlay) => overlay.unread())).toEqual(all.map(() => 0));
        } finally {
          await port.end();
          server.close();
        }
      }),
      { numRuns: 10 },
    );
  });
});
