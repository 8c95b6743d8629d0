import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { sqliteOf } from "../../src/cli/doctor.ts";
import { VERSION } from "../../src/version.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

describe("marquee doctor", () => {
  test("tells version, system, data, server, connections and players, in one document", async () => {
    await marquee("user", "add", "ada", "--source", "demo");
    const documents = await documentsOf("doctor");
    expect(documents).toEqual([
      {
        version: expect.stringContaining(VERSION),
        system: expect.stringMatching(/^\S+ \S+ \S+$/),
        data: {
          folder: path("data"),
          why: "MARQUEE_DATA",
          sqlite: expect.stringMatching(/^3\.\d+\.\d+, journal (WAL|TRUNCATE)$/),
          key_exposed: false,
        },
        server: {
          running: false,
          lockable: true,
          url: null,
          listens: null,
          pid: null,
          version: null,
          answers: null,
        },
        // Without a home there is no place for it.
        autostart: null,
        settings: expect.arrayContaining([{ setting: "data", origin: "MARQUEE_DATA" }]),
        problem: null,
        connections: [
          { user: "ada", id: 1, source: "demo", status: "untried", text: "not used yet" },
        ],
        players: expect.any(Array),
        media_sessions: null,
      },
    ]);
    const { out } = await marquee("doctor");
    expect(out).toContain("Server    does not run here");
    expect(out).toContain("ada  1  demo: not used yet");
  });

  test("holds no secret and no address that was entered", async () => {
    environment["MARQUEE_SPOTIFY_CLIENT_SECRET"] = "hushhush";
    await marquee("user", "add", "ada");
    await marquee("connect", "ada", "vlc", "--url", "http://127.0.0.1:9", "--password", "sesame");
    await marquee("connect", "ada", "json", "--name", "Kitchen of Ada");
    for (const words of [["doctor"], ["doctor", "--json"], ["doctor", "--songs"]]) {
      const { code, out } = await marquee(...words);
      expect(code).toBe(0);
      expect(out).toContain("spotify-client-secret");
      expect(out).toContain("vlc");
      expect(out).not.toMatch(/hushhush|sesame|127\.0\.0\.1:9\b|mq[a-z]?_\w{8,}|Kitchen/);
    }
  });

  test("tells whether Marquee starts by itself, without the command", async () => {
    environment["HOME"] = path();
    const [document] = await documentsOf("doctor");
    expect(document).toMatchObject({
      autostart: { on: expect.any(Boolean), how: expect.any(String), note: null },
    });
    expect((await marquee("doctor")).out).toMatch(/^Autostart (on|off) \(\w+\)$/m);
  });

  test("says where nothing keeps a second server away", async () => {
    await marquee("user", "add", "ada");
    rmSync(path("data", "server.lock"));
    mkdirSync(path("data", "server.lock"));
    const [document] = await documentsOf("doctor");
    expect(document).toMatchObject({ server: { running: false, lockable: false } });
    expect((await marquee("doctor")).out).toContain("cannot be locked");
  });

  test("works where there are no data, and says so", async () => {
    const [document] = await documentsOf("doctor", "--data", path("elsewhere"));
    expect(document).toMatchObject({
      problem: expect.stringContaining("There is no Marquee data"),
      connections: [],
    });
  });

  test.each([
    ["3.43.2", "3.43.2, journal TRUNCATE"],
    ["3.51.2", "3.51.2, journal TRUNCATE"],
    ["3.51.3", "3.51.3, journal WAL"],
  ])("says of SQLite %s which journal it has", (version, line) => {
    expect(sqliteOf(version)).toBe(line);
  });
});
