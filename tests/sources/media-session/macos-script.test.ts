import { beforeEach, describe, expect, test } from "bun:test";
import script from "../../../src/sources/kinds/media-session/macos/read-sessions.jxa" with { type: "text" };
import { readLine } from "../../../src/sources/kinds/media-session/reader-lines.ts";

/** The real script, with a stand-in for what macOS gives to scripts. It proves our logic, not macOS. */

type Info = Readonly<Record<string, unknown>>;
interface Mac {
  /** By the keys of MediaRemote without their beginning; `null` when nothing plays. */
  info: Info | null;
  isPlaying: boolean;
  client: Info;
  nowS: number;
  isOld: boolean;
}
let mac: Mac;
beforeEach(() => {
  mac = {
    info: { Title: "Paper Lanterns", Artist: "Juniper Vale", Album: "Slow Weather" },
    isPlaying: true,
    client: { bundleIdentifier: "com.apple.Music", displayName: "Music" },
    nowS: 1_000,
    isOld: false,
  };
});

/** An object of macOS: it says whether it is nothing, and holds a value. */
const wrapped = (value: unknown): object => ({
  isNil: () => value === null || value === undefined,
  value,
  ...(typeof value === "object" ? value : {}),
});
const date = (seconds: number) => wrapped({ timeIntervalSince1970: seconds });

/** Runs the script until its parent has gone, after some rounds; `between` is called after each. */
function run(rounds: number, between: (round: number) => void = () => {}) {
  const written: string[] = [];
  let round = 0;
  const request = {
    isNil: () => mac.isOld,
    get localNowPlayingItem() {
      const { info } = mac;
      if (info === null) return wrapped(null);
      const objectForKey = (key: string) => {
        const value = info[key.replace("kMRMediaRemoteNowPlayingInfo", "")];
        return typeof value === "object" && value !== null ? value : wrapped(value);
      };
      return { isNil: () => false, nowPlayingInfo: { isNil: () => false, objectForKey } };
    },
    get localNowPlayingPlayerPath() {
      const fields = Object.entries(mac.client).map(([name, value]) => [name, wrapped(value)]);
      return { isNil: () => false, client: { isNil: () => false, ...Object.fromEntries(fields) } };
    },
    get localIsPlaying() {
      return mac.isPlaying;
    },
  };
  const bridge = {
    getppid: () => (round === 0 || round < rounds ? 1 : 2),
    NSFileHandle: {
      fileHandleWithStandardOutput: { writeData: (text: string) => written.push(text) },
    },
    NSDate: {
      get date() {
        return { timeIntervalSince1970: mac.nowS };
      },
    },
    NSString: {
      alloc: { initWithUTF8String: (text: string) => ({ dataUsingEncoding: () => text }) },
    },
    NSUTF8StringEncoding: 4,
    NSBundle: { bundleWithPath: () => ({ load: true }) },
    NSClassFromString: () => request,
  };
  const delay = (seconds: number) => {
    between(round);
    round += 1;
    mac.nowS += seconds;
  };
  const unwrap = (object: { value: unknown }) => object.value;
  new Function("$", "ObjC", "delay", script)(bridge, { import() {}, unwrap }, delay);
  return written.map((line) => readLine(line));
}

const sessionIn = (line: ReturnType<typeof readLine>) =>
  line?.kind === "sessions" ? line.sessions[0] : undefined;

describe("the script that reads what plays on a Mac", () => {
  test("writes what plays, with a position that is a stamp", () => {
    mac.info = {
      ...mac.info,
      Duration: 200.5,
      ElapsedTime: 12,
      Timestamp: date(996),
      PlaybackRate: 1,
      TrackNumber: 3,
    };
    const [line] = run(1);
    expect(sessionIn(line)).toEqual({
      app: "com.apple.Music",
      name: "Music",
      state: "playing",
      media: "unknown",
      title: "Paper Lanterns",
      artist: "Juniper Vale",
      albumArtist: "",
      album: "Slow Weather",
      trackNumber: 3,
      positionMs: 12_000,
      ageMs: 4_000,
      durationMs: 200_500,
      rate: 1,
      cover: null,
      problem: null,
      readMs: 0,
    });
  });

  test("writes a line for each change, and a sign of life after five seconds", () => {
    const lines = run(14, (round) => {
      if (round === 0) mac.isPlaying = false;
      if (round === 1) mac.info = null;
    });
    expect(lines.map((line) => line?.kind)).toEqual(["sessions", "sessions", "sessions", "alive"]);
    expect(sessionIn(lines[1])?.state).toBe("paused");
    expect(lines[2]).toEqual({ kind: "sessions", sessions: [] });
  });

  test("names the browser for its helper, and nobody for what nothing is known of", () => {
    mac.client = {
      bundleIdentifier: "com.apple.WebKit.GPU",
      parentApplicationBundleIdentifier: "com.apple.Safari",
      displayName: "Safari",
    };
    expect(sessionIn(run(1)[0])).toMatchObject({ app: "com.apple.Safari", name: "Safari" });
    mac.client = {};
    expect(sessionIn(run(1)[0])).toMatchObject({ app: "unknown", name: "" });
  });

  test("tells no position where there is no stamp", () => {
    mac.info = { ...mac.info, ElapsedTime: 12 };
    expect(sessionIn(run(1)[0])).toMatchObject({ positionMs: null, ageMs: 0, durationMs: null });
  });

  test("writes nothing of an advertisement", () => {
    mac.info = { ...mac.info, IsAdvertisement: true };
    expect(run(1)).toEqual([{ kind: "sessions", sessions: [] }]);
  });

  test("says why where macOS is too old, once", () => {
    mac.isOld = true;
    const lines = run(3);
    expect(lines).toEqual([
      { kind: "failed", reason: "this macOS has no media sessions: it needs macOS 15 or later" },
    ]);
  });

  const picture = {
    isNil: () => false,
    length: 3,
    hash: 7,
    base64EncodedStringWithOptions: () => wrapped("YWJj"),
  };

  test.each([
    ["nothing has played meanwhile", () => (mac.info = null)],
    [
      "another program has played meanwhile",
      () => {
        mac.info = { Title: "Glass Gardens" };
        mac.client = { bundleIdentifier: "com.apple.Safari" };
      },
    ],
  ])("writes a cover again where %s, and the server has forgotten it", (_, change) => {
    mac.info = { ...mac.info, ArtworkData: picture };
    const { info, client } = mac;
    const lines = run(3, (round) => {
      if (round === 0) change();
      if (round === 1) Object.assign(mac, { info, client });
    });
    expect(lines.map((line) => line?.kind)).toEqual([
      "cover",
      "sessions",
      "sessions",
      "cover",
      "sessions",
    ]);
  });

  test("writes a cover once, before the session that has it", () => {
    mac.info = { ...mac.info, ArtworkData: picture };
    const lines = run(3);
    expect(lines.map((line) => line?.kind)).toEqual(["cover", "sessions"]);
    expect(sessionIn(lines[1])?.cover).toBe("3-7");
    expect(lines[0]?.kind === "cover" && Buffer.from(lines[0].cover.bytes).toString()).toBe("abc");
  });
});
