import { afterEach, describe, expect, test } from "bun:test";
import {
  createReaderProcess,
  type ReaderProcess,
} from "../../../src/sources/kinds/media-session/reader-process.ts";
import { examineSessions } from "../../../src/sources/kinds/media-session/examine.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { aSession, lineOf, readerThat } from "../../fixtures/media-session/sessions.ts";

let release = () => {};
let clock: FakeClock;
afterEach(async () => {
  release();
  await clock.advance(10_000);
});

function use(...steps: string[]): ReaderProcess {
  clock = createFakeClock();
  const reader = createReaderProcess({ clock, ...readerThat(...steps) });
  release = reader.use(() => {});
  return reader;
}

/** The sessions, as soon as there are some. */
const sessionsOf = (reader: ReaderProcess) =>
  until(() => {
    const state = reader.state();
    return state.kind === "sessions" ? state.sessions : undefined;
  });

/** Why nothing can be read, as soon as that is so. */
const reasonOf = (reader: ReaderProcess) =>
  until(() => {
    const state = reader.state();
    return state.kind === "unavailable" ? state.reason : undefined;
  });

/** Waits for each crash and the restart after it. */
async function crashFourTimes(reader: ReaderProcess): Promise<void> {
  for (const [index, waitMs] of [1_000, 2_000, 4_000, 8_000].entries()) {
    await until(() => {
      const state = reader.state();
      return state.kind === "starting" && state.crashes === index + 1 ? true : undefined;
    });
    await clock.advance(waitMs);
  }
}

describe("the process that reads media sessions", () => {
  test("reports what is read, with covers", async () => {
    const picture = Buffer.from("a picture");
    const cover = { app: aSession.app, digest: "abc", base64: picture.toBase64() };
    const session = { ...aSession, cover: "abc" };
    const reader = use(JSON.stringify({ cover }), lineOf(session));
    expect(await sessionsOf(reader)).toEqual([session]);
    expect(reader.coverOf(session)).toEqual(picture);
    expect(reader.coverOf({ ...session, cover: "another" })).toBeUndefined();
  });

  test("keeps at most 24 megabytes of covers, those that came last", async () => {
    const largest = 8 * 1024 * 1024;
    const apps = ["a", "b", "c", "d"];
    const sessions = apps.map((app) => ({ ...aSession, app, cover: app }));
    const covers = apps.map((app) => `!cover ${app} ${largest}`);
    const reader = use(...covers, JSON.stringify({ sessions }));
    await sessionsOf(reader);
    expect(sessions.map((session) => reader.coverOf(session)?.byteLength)).toEqual([
      undefined,
      largest,
      largest,
      largest,
    ]);
  });

  test("is one for all who use it, and ends ten seconds after the last", async () => {
    const reader = use(lineOf(aSession));
    const releaseOther = reader.use(() => {});
    await sessionsOf(reader);
    release();
    await clock.advance(4_000);
    expect(reader.state().kind).toBe("sessions");
    releaseOther();
    await clock.advance(9_000);
    expect(reader.state().kind).toBe("sessions");
    await clock.advance(1_000);
    expect(reader.state()).toEqual({ kind: "starting", crashes: 0 });
  });

  test("tells why the sessions cannot be read", async () => {
    const reader = use(JSON.stringify({ failed: "no media sessions here" }));
    expect(await reasonOf(reader)).toBe("no media sessions here");
  });

  for (const [what, step, reason] of [
    ["ends", "!exit 7", "it ended with exit code 7"],
    ["crashes", "!crash", "it ended with exit code"],
    ["writes something unknown", '{"title":"not a line of ours"}', "it wrote something unknown"],
    ["writes no JSON", "Segmentation fault", "it wrote something unknown"],
    ["writes without end", "!flood", "it wrote too much"],
    ["writes a line without end", "!endless", "its lines could not be read"],
  ] as const) {
    test(`is started again when it ${what}, and left alone after five times`, async () => {
      const reader = use(step);
      await crashFourTimes(reader);
      expect(await reasonOf(reader)).toStartWith(`reading it has failed 5 times: ${reason}`);
    });
  }

  test("is started again when it says nothing for 15 seconds", async () => {
    const reader = use(lineOf(aSession), "!hang");
    await sessionsOf(reader);
    await clock.advance(14_000);
    expect(reader.state().kind).toBe("sessions");
    await clock.advance(1_000);
    expect(reader.state()).toEqual({ kind: "starting", crashes: 1 });
  });

  test("is tried again ten minutes after five crashes", async () => {
    const reader = use("!exit 1");
    await crashFourTimes(reader);
    await reasonOf(reader);
    await clock.advance(599_000);
    expect(reader.state().kind).toBe("unavailable");
    await clock.advance(1_000);
    await until(() => (reader.state().kind === "starting" ? true : undefined));
  });

  test("that cannot be started is unavailable, with the reason", async () => {
    clock = createFakeClock();
    const command = ["/nonexistent/osascript"];
    const reader = createReaderProcess({ clock, command, replaceAfterMs: Infinity });
    release = reader.use(() => {});
    await clock.advance(20_000);
    expect(await reasonOf(reader)).toContain("reading it has failed 5 times");
  });

  test("gives way to another one in time, without a gap", async () => {
    clock = createFakeClock();
    const given = readerThat(lineOf(aSession));
    const reader = createReaderProcess({ clock, ...given, replaceAfterMs: 5_000 });
    let reports = 0;
    release = reader.use(() => void (reports += 1));
    await sessionsOf(reader);
    await clock.advance(5_000);
    expect(reader.state().kind).toBe("sessions");
    await until(() => (reports === 2 ? true : undefined));
  });
});

describe("what is told of the sessions to people who ask for help", () => {
  test("is what the system answered, and no song", async () => {
    const session = { ...aSession, problem: "0x800706BA at Title", readMs: 12 };
    const examined = await examineSessions(use(lineOf(session)), clock);
    expect(examined).toEqual({
      problem: null,
      sessions: [
        {
          app: "Spotify.exe",
          state: "playing",
          media: "music",
          problem: "0x800706BA at Title",
          readMs: 12,
          position: true,
          cover: false,
        },
      ],
    });
  });

  test("is the reason where they cannot be read", async () => {
    const examined = await examineSessions(use(JSON.stringify({ failed: "too old" })), clock);
    expect(examined).toEqual({ problem: "too old", sessions: [] });
  });
});
