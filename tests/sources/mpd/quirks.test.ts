import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Playback } from "../../../src/playback.ts";
import { createMpd } from "../../../src/sources/kinds/mpd/index.ts";
import type { Said, SourceFailure } from "../../../src/sources/source.ts";
import { NETWORK } from "../../../src/upstream/index.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";
import { createFakeMpd, type FakeMpd } from "../../fixtures/mpd/fake-mpd.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { watchContext } from "../../fixtures/sources/watch-context.ts";

const NOW = "status+currentsong";

let daemon: FakeMpd;
let clock: FakeClock;
let stop: AbortController;

beforeEach(() => {
  daemon = createFakeMpd();
  clock = createFakeClock();
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  daemon.stop();
});

function listen(address = daemon.address, password?: string) {
  const received = createMpd({ network: NETWORK })
    .open({ address, password })
    .watch(watchContext({ signal: stop.signal, clock }));
  return received[Symbol.asyncIterator]();
}

async function play(status: string): Promise<Playback> {
  daemon.answers.set(NOW, status);
  return (await listen().next()).value as Playback;
}

async function failureOf(iterator: AsyncIterator<Said>): Promise<SourceFailure> {
  return iterator.next().then(
    () => expect.unreachable("it should have failed"),
    (error: SourceFailure) => error,
  );
}

describe("what MPD tells", () => {
  test("of a radio station: its name, its title and no duration", async () => {
    const received = await play(
      "volume: -1\nstate: play\nelapsed: 12.500\nfile: http://radio.example/live\nTitle: Song of the Hour\nName: Radio Example\nOK\n",
    );
    expect(received).toMatchObject({
      track: { id: "http://radio.example/live", title: "Song of the Hour", durationMs: null },
      artists: ["Radio Example"],
      album: { name: "Radio Example" },
      device: { volumePercent: null },
      positionMs: 12_500,
    });
  });
});

describe("what Mopidy tells", () => {
  test("is the length as MPD told it once, in whole seconds", async () => {
    const received = await play("state: play\ntime: 12:180\nelapsed: 12.555\nfile: a.flac\nOK\n");
    expect(received).toMatchObject({ track: { durationMs: 180_000 }, positionMs: 12_555 });
    const stream = await play("state: play\ntime: 12:0\nelapsed: 12.555\nfile: a.flac\nOK\n");
    expect(stream.track.durationMs).toBe(null);
  });
});

describe("covers", () => {
  const playing = "state: play\nfile: a.flac\nTitle: A\nOK\n";

  test("that take their time are told after the title", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", "silence");
    const iterator = listen();
    const first = iterator.next();
    await until(() => daemon.received.find((command) => command.startsWith("readpicture")));
    await clock.advance(60);
    expect((await first).value?.album.artworks).toEqual([]);
  });

  test("are read in pieces until they are whole", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", "size: 6\ntype: image/png\nbinary: 3\na\nb\nOK\n");
    const received = (await listen().next()).value;
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("a\nba\nb"));
    expect(daemon.received.filter((command) => command.startsWith("readpicture"))).toEqual([
      'readpicture "a.flac" 0',
      'readpicture "a.flac" 3',
    ]);
  });

  test("are let go once they are handed over, and read again for whoever comes later", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", "size: 6\ntype: image/png\nbinary: 6\na new \nOK\n");
    const artwork = (await listen().next()).value?.album.artworks[0];
    const reads = () =>
      daemon.received.filter((command) => command.startsWith("readpicture")).length;
    expect(await artwork?.load()).toEqual(Buffer.from("a new "));
    expect(reads()).toBe(1);
    const later = await Promise.all([artwork?.load(), artwork?.load()]);
    expect(later).toEqual([Buffer.from("a new "), Buffer.from("a new ")]);
    expect(reads()).toBe(3);
  });

  test("that MPD has replaced meanwhile are not taken for what they were", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", "size: 3\nbinary: 3\none\nOK\n");
    const artwork = (await listen().next()).value?.album.artworks[0];
    await artwork?.load();
    daemon.answers.set("readpicture", "size: 3\nbinary: 3\ntwo\nOK\n");
    await expect(artwork?.load()).rejects.toThrow("another cover");
  });

  const questions = () => daemon.received.filter((command) => /^(readp|albuma)/.test(command));
  const LARGEST = 8 * 1024 * 1024;

  test.each([
    ["a monstrous size", "size: 900000000\n"],
    ["a byte more than 8 MiB", `size: ${LARGEST + 1}\n`],
    ["no size", ""],
    ["no bytes", "size: 0\n"],
    ["less than no bytes", "size: -3\n"],
    ["half a byte", "size: 2.5\n"],
    ["a size in words", "size: many\n"],
    ["a size smaller than their piece", "size: 2\n"],
  ])("of %s are left alone after the first piece", async (_, size) => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", `${size}binary: 3\nabc\nOK\n`);
    expect((await listen().next()).value?.album.artworks).toEqual([]);
    expect(questions()).toEqual(['readpicture "a.flac" 0', 'albumart "a.flac" 0']);
  });

  test("that change their size on the way are left alone", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", (command) =>
      command.endsWith(" 0") ? "size: 6\nbinary: 3\nabc\nOK\n" : "size: 9\nbinary: 3\ndef\nOK\n",
    );
    expect((await listen().next()).value?.album.artworks).toEqual([]);
    expect(questions()).toHaveLength(3);
  });

  test("are read for thirty seconds at most, however small their pieces", async () => {
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", async () => {
      await clock.advance(1_000);
      return "size: 1000\nbinary: 1\nx\nOK\n";
    });
    expect((await listen().next()).value?.album.artworks).toEqual([]);
    await until(() => (daemon.clients() === 1 ? true : undefined));
    expect(questions().length).toBeWithin(29, 32);
  });

  test("of a song that was skipped are not taken for the next one's", async () => {
    const answerToFirst = Promise.withResolvers<string>();
    const pictureOf = (name: string) => `size: 1\nbinary: 1\n${name}\nOK\n`;
    daemon.answers.set(NOW, playing);
    daemon.answers.set("readpicture", (command) =>
      command.includes("a.flac") ? answerToFirst.promise : pictureOf("b"),
    );
    const iterator = listen();
    const first = iterator.next();
    await until(() => questions()[0]);
    await clock.advance(60);
    expect((await first).value?.track.id).toBe("a.flac");

    const second = iterator.next();
    await until(() => daemon.received.find((command) => command.startsWith("idle")));
    daemon.answers.set(NOW, () => {
      setImmediate(() => answerToFirst.resolve(pictureOf("a")));
      return playing.replace("a.flac", "b.flac");
    });
    daemon.change("player");
    const received = (await second).value;
    expect(received?.track.id).toBe("b.flac");
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("b"));
  });

  test("are not read again when the track only pauses", async () => {
    daemon.answers.set(NOW, playing);
    const iterator = listen();
    await iterator.next();
    const second = iterator.next();
    await until(() => daemon.received.find((command) => command.startsWith("idle")));
    daemon.answers.set(NOW, playing.replace("play", "pause"));
    daemon.change("player");
    expect((await second).value?.state).toBe("paused");
    expect(daemon.received.filter((command) => command.startsWith("readpicture"))).toHaveLength(1);
  });
});

describe("an MPD that misbehaves", () => {
  test("by never greeting is given up after five seconds", async () => {
    const mute = createFakeMpd("");
    const failure = failureOf(listen(mute.address));
    await until(() => (clock.waiting() > 0 ? true : undefined));
    await clock.advance(5_000);
    expect((await failure).meaning.kind).toBe("unavailable");
    mute.stop();
  });

  test("by falling silent while idle is found out", async () => {
    daemon.answers.set(NOW, "state: stop\nOK\n");
    const iterator = listen();
    await iterator.next();
    const failure = failureOf(iterator);
    await until(() => daemon.received.find((command) => command.startsWith("idle")));
    daemon.forgetIdle();
    await clock.advance(35_000);
    expect((await failure).message).toContain("no longer answers");
  });

  test.each([
    "HTTP/1.1 400 Bad Request\r\n\r\n",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "220 mail.example ESMTP Postfix\r\n",
    "* OK IMAP4rev1 Service Ready\r\n",
  ])(
    "by speaking another protocol is one that answers, but not as expected: %p",
    async (banner) => {
      const other = createFakeMpd(banner);
      const { meaning } = await failureOf(listen(other.address));
      expect(meaning).toEqual({ kind: "unavailable", reason: "unexpected" });
      other.stop();
    },
  );

  test("by sending a line without end is let go", async () => {
    const flood = createFakeMpd("x".repeat(100_000));
    expect((await failureOf(listen(flood.address))).meaning.kind).toBe("unavailable");
    flood.stop();
  });

  test("by answering idle at once is asked 20 times a second at most", async () => {
    daemon.answers.set(NOW, "state: stop\nOK\n");
    daemon.answers.set("idle", "changed: player\nOK\n");
    const rounds = () => daemon.received.filter((command) => command === NOW).length;
    const iterator = listen();
    const hearAll = async () => {
      while (!(await iterator.next()).done);
    };
    const received = hearAll();
    for (const second of [1, 2, 3]) {
      await until(() => (rounds() >= 20 * second ? true : undefined));
      await idleAnswered(20 * second);
      await clock.advance(999);
      expect(rounds()).toBe(20 * second);
      await clock.advance(1);
    }
    stop.abort();
    await received;
  });

  /** Resolves when a number of waits have been answered, and whoever received that has acted on it. */
  const idleAnswered = async (times: number) => {
    const idles = () => daemon.received.filter((command) => command.startsWith("idle")).length;
    await until(() => (idles() >= times ? true : undefined));
    await settle();
  };

  test("by answers that nobody asked for is disconnected", async () => {
    daemon.answers.set(NOW, "state: stop\nOK\nOK\n");
    const iterator = listen();
    await iterator.next();
    const { meaning, message } = await failureOf(iterator);
    expect(meaning.kind).toBe("unavailable");
    expect(message).toContain("came without a request");
    await until(() => (daemon.clients() === 0 ? true : undefined));
  });

  test("by answering on while it is asked nothing is disconnected", async () => {
    daemon.answers.set(NOW, "state: stop\nOK\n");
    const iterator = listen();
    await iterator.next();
    daemon.blurt("OK\n");
    await until(() => (daemon.clients() === 0 ? true : undefined));
    expect((await failureOf(iterator)).message).toContain("came without a request");
  });

  test("by one answer that goes on for ever is disconnected", async () => {
    daemon.answers.set(NOW, "binary: 1\nx\nbinary: 1\nx\n");
    expect((await failureOf(listen())).message).toContain("two binary parts");
    await until(() => (daemon.clients() === 0 ? true : undefined));
  });

  test("by refusing us at its greeting is left, with no connection open", async () => {
    const unfriendly = createFakeMpd("ACK [5@0] {} too many clients\n");
    expect((await failureOf(listen(unfriendly.address))).message).toContain("too many clients");
    await until(() => (unfriendly.clients() === 0 ? true : undefined));
    unfriendly.stop();
  });

  test("by refusing the password is left, with no connection open", async () => {
    daemon.answers.set("password", "ACK [3@0] {password} incorrect password\n");
    const failure = await failureOf(listen(daemon.address, "guess"));
    expect(failure.meaning.kind).toBe("unauthorized");
    await until(() => (daemon.clients() === 0 ? true : undefined));
  });
});
