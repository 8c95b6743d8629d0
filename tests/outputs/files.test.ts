import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { accentOf } from "../../src/artwork/accent.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { nextTurn } from "../../src/next-turn.ts";
import { folderNameOf } from "../../src/outputs/folder-name.ts";
import type { Playback } from "../../src/playback.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { FILE_NAMES, mistakeIn, readFiles } from "../fixtures/data/file-reader.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const IDLE = " ";

let folder: ReturnType<typeof createTempFolder>;
let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  folder = createTempFolder();
  server = await createTestServer({
    settings: { files: join(folder.path, "files"), rateLimitSeconds: "0" },
  });
  ada = await server.addUser("ada");
});
afterEach(async () => {
  server.close();
  folder.remove();
});

const pathOf = (name: string) => join(folder.path, "files", name);
const files = (name = "ada") => readFiles(pathOf(name));

const plays = (changes: Partial<Playback> = {}, of = ada) =>
  server.sourceOf(of).says(aPlayback({ observedAtMs: server.clock.monotonicMs(), ...changes }));
const titled = (title: string) => ({
  track: { id: title, title, durationMs: 200_000, explicit: false },
});

/** Waits for a real file; the time that the server itself waits passes meanwhile. */
const says = (name: string, text: string) =>
  until(async () => {
    await server.clock.advance(100);
    if (!existsSync(join(pathOf(name), "now-playing.json"))) return undefined;
    const { text: textOf, modifiedAt } = files(name);
    const isWhole = new Set(FILE_NAMES.map(modifiedAt)).size === 1;
    return (isWhole && textOf("title.txt") === text) || undefined;
  });

/** The compressed pixels of a small PNG file. */
function idatOf(png: Uint8Array): Uint8Array {
  const at = Buffer.from(png).indexOf("IDAT");
  return png.subarray(at + 4, at + 4 + new DataView(png.buffer, png.byteOffset).getUint32(at - 4));
}

/** A scripted source is there a moment after its user. */
async function addBob(): Promise<AddedUser> {
  const bob = await server.addUser("bob");
  await server.hub.followConnections(bob.user.id);
  return bob;
}

describe("a user's files", () => {
  test("say what plays, each in one line without an end", async () => {
    await server.app.start();
    await plays({
      artists: ["Juniper Vale", "Ada"],
      album: { name: "Slow\nWeather", artworks: [] },
    });
    await says("ada", "Paper Lanterns");
    expect(files().text("now-playing.txt")).toBe("♪ Juniper Vale, Ada – Paper Lanterns");
    expect(files().text("artist.txt")).toBe("Juniper Vale, Ada");
    expect(files().text("album.txt")).toBe("Slow Weather");
    const { data, meta } = JSON.parse(files().text("now-playing.json"));
    expect(data.track.name).toBe("Paper Lanterns");
    expect(meta.user).toBe("ada");
    expect(readdirSync(pathOf("ada")).toSorted()).toEqual([...FILE_NAMES].toSorted());
  });

  test("are a space and a transparent cover when nothing plays", async () => {
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    await server.sourceOf(ada).says(null);
    await says("ada", IDLE);
    for (const name of ["now-playing.txt", "artist.txt", "album.txt"] as const)
      expect(files().text(name)).toBe(IDLE);
    expect(files().text("now-playing.json")).toBe('{"success":true,"data":null}');
    const cover = await new Bun.Image(files().bytes("cover.png")).metadata();
    expect(cover).toEqual({ width: 512, height: 512, format: "png" });
  });

  test("have a space for what the source does not tell", async () => {
    await server.app.start();
    await plays({ artists: [], album: { name: "", artworks: [] } });
    await says("ada", "Paper Lanterns");
    expect(files().text("now-playing.txt")).toBe("♪ Paper Lanterns");
    expect(files().text("artist.txt")).toBe(IDLE);
    expect(files().text("album.txt")).toBe(IDLE);
  });

  test("hold the cover as a square of 512 pixels, whatever its shape", async () => {
    await server.app.start();
    const wide = await new Bun.Image(solidPicture("#ff8800")).resize(640, 320).png().bytes();
    await plays({ album: { name: "A", artworks: [{ key: "wide", load: async () => wide }] } });
    await says("ada", "Paper Lanterns");
    // It may take longer to draw than the texts wait.
    const cover = await until(async () => {
      await server.clock.advance(100);
      const file = files().bytes("cover.png");
      return (await accentOf(file)) === null ? undefined : file;
    });
    expect(mistakeIn("cover.png", cover)).toBeUndefined();
    const { width, height } = await new Bun.Image(cover).metadata();
    expect([width, height]).toEqual([512, 512]);
    const corner = await new Bun.Image(cover).resize(1, 4, { filter: "nearest" }).png().bytes();
    const rows = inflateSync(idatOf(corner));
    // Each row begins with its filter: transparent above, a vivid orange in the middle.
    expect([...rows.subarray(1, 5)]).toEqual([0, 0, 0, 0]);
    expect(await accentOf(cover)).toMatch(/^#f[0-9a-f]8[0-9a-f]0[0-9a-f]$/);
  });

  test("do not wait for a cover that is slow: it follows", async () => {
    await server.app.start();
    const slow = Promise.withResolvers<Uint8Array>();
    await plays({ album: { name: "A", artworks: [{ key: "slow", load: () => slow.promise }] } });
    await says("ada", "Paper Lanterns");
    const transparent = files().bytes("cover.png").length;
    slow.resolve(solidPicture("#ff8800"));
    await until(async () => {
      await server.clock.advance(100);
      return files().bytes("cover.png").length !== transparent || undefined;
    });
    expect(files().text("title.txt")).toBe("Paper Lanterns");
  });

  test("are written together, and never twice in the same second", async () => {
    await server.app.start();
    const seconds = new Set<number>();
    for (const title of ["One", "Two", "Three"]) {
      await plays(titled(title));
      await says("ada", title);
      const times = FILE_NAMES.map((name) => files().modifiedAt(name));
      expect(new Set(times).size).toBe(1);
      expect(Number.isInteger(times[0])).toBe(true);
      for (const time of times) seconds.add(time);
    }
    expect(seconds.size).toBe(3);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(START_MS / 1000);
  });

  test("are not written in the second of the last run, nor with the clock set back into it", async () => {
    mkdirSync(pathOf("ada"), { recursive: true });
    writeFileSync(join(pathOf("ada"), "now-playing.txt"), "old");
    server.clock.setWallMs(Math.floor(files().modifiedAt("now-playing.txt")) * 1000);
    const before = Math.floor(files().modifiedAt("now-playing.txt"));
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    expect(files().modifiedAt("now-playing.txt")).toBe(before + 1);
  });

  test("obey the user's privacy", async () => {
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    await server.accounts.privacy.change(ada.user, {
      ...NOTHING_HIDDEN,
      hiddenTitles: ["Paper Lanterns"],
    });
    await says("ada", IDLE);
  });

  test("go idle when the source has failed, and the JSON says so", async () => {
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.clock.advance(30_000);
    await says("ada", IDLE);
    expect(JSON.parse(files().text("now-playing.json"))).toEqual({
      success: false,
      error: "Playback is temporarily unavailable",
    });
  });

  test("follow who is added and removed while the server runs", async () => {
    await server.app.start();
    const bob = await addBob();
    await plays(titled("Bob's"), bob);
    await says("bob", "Bob's");
    await server.accounts.users.remove("bob");
    await says("bob", IDLE);
    const again = await addBob();
    await plays(titled("Bob's again"), again);
    await says("bob", "Bob's again");
  });

  test("are begun one user after the other, with others answered in between", async () => {
    for (const name of ["bob", "grace"]) await server.addUser(name);
    let hasStarted = false;
    const started = server.app.start().then(() => (hasStarted = true));
    const watched: number[] = [];
    while (!hasStarted) {
      watched.push(server.hub.running());
      await nextTurn();
    }
    expect(new Set(watched)).toEqual(new Set([0, 1, 2, 3]));
    await started;
  });

  test("keep a user's channel watched", async () => {
    await server.app.start();
    await server.clock.advance(600_000);
    expect(server.hub.running()).toBe(1);
  });

  test("go idle when the server stops", async () => {
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    const stopped = server.app.stop();
    await says("ada", IDLE);
    await stopped;
  });

  test("are tried again when the folder cannot be written, with one line in the log", async () => {
    writeFileSync(join(folder.path, "files"), "no folder");
    await server.app.start();
    await server.addUser("bob");
    await plays();
    const lines = () => server.logged.filter((line) => line.includes("files "));
    await until(async () => {
      await server.clock.advance(5_000);
      return lines().length > 0 || undefined;
    });
    for (let tries = 0; tries < 5; tries++) {
      await server.clock.advance(5_000);
      await Bun.sleep(5);
    }
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain("there is a file where the folder should be");
    rmSync(join(folder.path, "files"));
    await says("ada", "Paper Lanterns");
    await says("bob", IDLE);
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toContain("files are written again");
  });

  test("leave nothing of a process that was killed while it wrote", async () => {
    mkdirSync(pathOf("ada"), { recursive: true });
    writeFileSync(join(pathOf("ada"), ".cover.png.0123abcd.new"), "half");
    await server.app.start();
    await plays();
    await says("ada", "Paper Lanterns");
    expect(readdirSync(pathOf("ada")).toSorted()).toEqual([...FILE_NAMES].toSorted());
  });
});

test("without the setting there are no files, and nobody is watched", async () => {
  const without = await createTestServer();
  await without.addUser("ada");
  await without.app.start();
  expect(without.hub.running()).toBe(0);
  without.close();
});

test.each([
  ["con", "_con"],
  ["nul", "_nul"],
  ["com1", "_com1"],
  ["lpt9", "_lpt9"],
  ["console", "console"],
  ["com10", "com10"],
  ["a-b_c", "a-b_c"],
])("the folder of a user named %s is %s", (name, expected) => {
  expect(folderNameOf(name)).toBe(expected);
});
