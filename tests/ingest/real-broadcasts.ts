import { afterEach, beforeEach, describe, expect } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { BROADCASTERS, startBroadcaster, TITLES } from "../fixtures/players/broadcasters.ts";
import {
  FORMATS,
  type Format,
  liquidsoapIsInstalled,
  startLiquidsoap,
} from "../fixtures/players/liquidsoap.ts";
import { KEYS, mixxxIsInstalled, startMixxx } from "../fixtures/players/mixxx.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createMixxx } from "../../src/sources/kinds/decks/index.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";
import { firstOf } from "../fixtures/sources/polled.ts";
import { assembleTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer<typeof systemClock>;
let port: number;
const running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  port = freePort();
  const settings = { broadcastPort: String(port) };
  server = await assembleTestServer(systemClock, { realSources: true, settings });
});
afterEach(async () => {
  for (const program of running.splice(0)) await program.stop();
  await server.app.stop();
  server.close();
});

async function connect(name = "") {
  const { accounts } = server;
  const { user } = await server.addUser(`ada${name}`, false);
  const { id } = await accounts.connections.connect(user, "broadcast", { delay: 0 }, "");
  return { id, target: { port, password: await accounts.connections.secretOf(id) } };
}
const playing = (id: number) => {
  const playback = server.inbox.current(id);
  return playback && { title: playback.track.title, artists: playback.artists };
};

describe("a real program that broadcasts", () => {
  for (const broadcaster of BROADCASTERS) {
    const test = testWith(broadcaster.name, broadcaster.isInstalled);
    test(`${broadcaster.name} names each song, and ends it when it is killed`, async () => {
      const { id, target } = await connect();
      const program = await startBroadcaster(broadcaster, target);
      running.push(program);
      for (const title of broadcaster.namesFirst ? TITLES.slice(0, 1) : TITLES) {
        await until(() => (playing(id)?.title === title ? true : undefined));
        expect(playing(id)).toEqual({ title, artists: ["Björk"] });
        program.goOn();
      }
      await program.kill();
      await until(() => (playing(id) === null ? true : undefined), 15_000);
    });
  }

  testWith("mixxx, Xvfb or xdotool", mixxxIsInstalled)(
    "Mixxx names each song that it broadcasts, and in its database, and ends it when it is killed",
    async () => {
      const { id, target } = await connect();
      const mixxx = await startMixxx(target);
      running.push(mixxx);
      await mixxx.press(KEYS.goOnAir, () => server.inbox.postOf(id).receivedAt !== null);
      const database = createMixxx(emptyMachine);
      const keys = [KEYS.playFirst, KEYS.playSecond];
      for (const [index, title] of TITLES.entries()) {
        await mixxx.press(keys[index] ?? [], () => playing(id)?.title === title);
        expect(playing(id)).toEqual({ title, artists: ["Björk"] });
        expect(await firstOf(database, { path: mixxx.path }, systemClock)).toMatchObject({
          track: { title, durationMs: 120_000 },
          artists: ["Björk"],
        });
      }
      await mixxx.kill();
      await until(() => (playing(id) === null ? true : undefined), 15_000);
    },
  );

  testWith("liquidsoap", liquidsoapIsInstalled)(
    "Liquidsoap names its songs in each format, four at once",
    async () => {
      const formats = Object.keys(FORMATS) as Format[];
      const all = await Promise.all(
        formats.map(async (format) => ({ format, ...(await connect(format)) })),
      );
      running.push(startLiquidsoap(all.map(({ format, target }) => ({ format, ...target }))));
      for (const number of [2, 3]) {
        for (const { id } of all) {
          await until(() => {
            const shown = Number(/^Ночь 夜 (\d+)$/.exec(playing(id)?.title ?? "")?.[1]);
            return shown >= number ? true : undefined;
          });
          expect(playing(id)?.artists).toEqual(["Ada"]);
          expect(server.inbox.current(id)?.album.name).toBe("Lanterns");
        }
      }
    },
  );
});
