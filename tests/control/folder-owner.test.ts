import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { run } from "../../src/cli/run.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";

/** Ids that stand in no list of users, as those of systemd's dynamic ones. */
const USER = 61_234;
const GROUP = 61_235;

const testAsRoot = testWith("root", process.getuid?.() === 0);

let folder: ReturnType<typeof createDataFolder>;
const path = (...names: string[]) => join(folder.path, ...names);
const ownersIn = (at: string) =>
  new Set(readdirSync(at).map((name) => lstatSync(join(at, name)).uid));

/** A folder of the user's in one that everybody may enter. */
function makeFolder(...names: string[]): string {
  const at = path(...names);
  mkdirSync(at, { mode: 0o700 });
  chownSync(at, USER, GROUP);
  return at;
}

const marquee = (words: readonly string[], environment: Record<string, string> = {}) =>
  runMarquee({
    folder: folder.path,
    arguments: words,
    environment: { MARQUEE_DATA: path("data"), ...environment },
  });

beforeEach(() => {
  folder = createDataFolder();
  chmodSync(folder.path, 0o755);
  mkdirSync(path("roots"), { mode: 0o700 });
});
afterEach(() => folder.remove());

describe("as root in a folder of somebody else's,", () => {
  testAsRoot("a command leaves that user's files alone, in that user's group", async () => {
    const data = makeFolder("data");
    expect((await marquee(["user", "add", "ada"])).code).toBe(0);
    expect((await marquee(["user", "list"])).out).toContain("ada");
    expect(readdirSync(data).toSorted()).toEqual(["marquee.db", "secret.key", "server.lock"]);
    expect(ownersIn(data)).toEqual(new Set([USER]));
    expect(lstatSync(join(data, "marquee.db")).gid).toBe(GROUP);
  });

  testAsRoot("a folder with root's group does not make that group the user's", async () => {
    const data = makeFolder("data");
    chownSync(data, USER, 0);
    expect((await marquee(["user", "add", "ada"])).code).toBe(0);
    expect(lstatSync(join(data, "marquee.db"))).toMatchObject({ uid: USER, gid: 65_534 });
  });

  testAsRoot("the server runs as that user, and has no other groups", async () => {
    const data = makeFolder("data");
    const server = await startMarquee({
      folder: folder.path,
      environment: { MARQUEE_DATA: data },
    });
    const status = await Bun.file(`/proc/${server.pid}/status`).text();
    const linesOf = (name: string) =>
      new RegExp(`^${name}:(.*)$`, "m").exec(status)?.[1]?.trim().split(/\s+/);
    expect(linesOf("Uid")).toEqual(Array(4).fill(String(USER)));
    expect(linesOf("Gid")).toEqual(Array(4).fill(String(GROUP)));
    expect(linesOf("Groups")).toEqual([""]);
    expect(linesOf("CapEff")).toEqual(["0000000000000000"]);
    expect(ownersIn(data)).toEqual(new Set([USER]));
    expect(await server.stop()).toBe(0);
  });

  for (const [name, command] of [
    ["marquee.db", ["user", "add", "ada"]],
    ["secret.key", ["user", "list"]],
  ] as const) {
    testAsRoot(`a link in the place of ${name} creates nothing elsewhere`, async () => {
      const data = makeFolder("data");
      if (name === "secret.key") {
        // A database without users, so that a key would be made.
        new Database(join(data, "marquee.db")).close();
        chownSync(join(data, "marquee.db"), USER, GROUP);
      }
      symlinkSync(path("roots", "planted"), join(data, name));
      const { code } = await marquee([...command]);
      expect(code).toBe(1);
      expect(readdirSync(path("roots"))).toEqual([]);
    });
  }

  testAsRoot("a link to a file of root's does not change that file", async () => {
    const data = makeFolder("data");
    writeFileSync(path("roots", "notes"), "");
    chmodSync(path("roots"), 0o755);
    chmodSync(path("roots", "notes"), 0o644);
    symlinkSync(path("roots", "notes"), join(data, "marquee.db"));
    expect((await marquee(["user", "add", "ada"])).code).toBe(1);
    const { size, mode, uid } = lstatSync(path("roots", "notes"));
    expect([size, mode & 0o777, uid]).toEqual([0, 0o644, 0]);
  });

  testAsRoot("a database that only its file keeps from being written is named", async () => {
    const data = makeFolder("data");
    await marquee(["user", "add", "ada"]);
    const database = join(data, "marquee.db");
    chownSync(database, 0, 0);
    chmodSync(database, 0o444);
    const { code, error } = await marquee(["user", "add", "bob"]);
    expect(code).toBe(1);
    expect(error).toContain(`${database} is read-only. Make ${database} writable`);
  });

  testAsRoot("a secret in a file that only root may read is read", async () => {
    makeFolder("data");
    writeFileSync(path("roots", "key"), TEST_KEY, { mode: 0o600 });
    const environment = { MARQUEE_SECRET_KEY_FILE: path("roots", "key") };
    expect((await marquee(["user", "add", "ada"], environment)).code).toBe(0);
    expect(existsSync(path("data", "secret.key"))).toBe(false);
  });

  testAsRoot("a backup is the caller's, and leaves that user's files alone", async () => {
    const data = makeFolder("data");
    await marquee(["user", "add", "ada"]);
    const copy = path("roots", "copy.db");
    expect((await marquee(["backup", copy])).code).toBe(0);
    expect(lstatSync(copy)).toMatchObject({ uid: 0, mode: 0o100_600 });
    expect(ownersIn(data)).toEqual(new Set([USER]));
    expect((await marquee(["user", "list"])).out).toContain("ada");
  });

  testAsRoot("files that root left there before are named with what to do", async () => {
    const data = makeFolder("data");
    await marquee(["user", "add", "ada"]);
    for (const name of readdirSync(data)) chownSync(join(data, name), 0, 0);
    const { code, error } = await marquee(["user", "list"]);
    expect(code).toBe(1);
    expect(error).toContain(`chown -R ${USER} ${data}`);
  });

  testAsRoot("a folder that lies where only root may enter works too", async () => {
    chmodSync(path("roots"), 0o700);
    const data = makeFolder("roots", "data");
    // As systemd does with the folder of a dynamic user.
    symlinkSync("roots/data", path("data"));
    expect((await marquee(["user", "add", "ada"])).code).toBe(0);
    expect((await marquee(["user", "add", "grace"])).code).toBe(0);
    expect((await marquee(["user", "list"])).out).toContain("grace");
    expect(ownersIn(data)).toEqual(new Set([USER]));
    symlinkSync(path("roots", "planted"), join(data, "copy.db"));
    expect((await marquee(["backup", join(data, "copy.db")])).code).toBe(1);
    expect(readdirSync(path("roots"))).toEqual(["data"]);
  });

  testAsRoot("it refuses, with what to type, where root may become nobody else", async () => {
    const data = makeFolder("data");
    chmodSync(data, 0o777);
    const child = Bun.spawnSync(
      [
        ...["setpriv", "--bounding-set", "-setuid,-setgid", "--", process.execPath],
        ...[join(import.meta.dir, "../../src/main.ts"), "user", "add", "ada", "--data", data],
      ],
      { cwd: join(import.meta.dir, "../..") },
    );
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toContain(`sudo -u '#${USER}' marquee`);
    expect(readdirSync(data)).toEqual([]);
  });
});

describe("as root beside a server that runs as somebody else, as with docker exec,", () => {
  let data: string;
  let server: MarqueeProcess;
  beforeEach(async () => {
    data = makeFolder("data");
    server = await startMarquee({
      folder: folder.path,
      arguments: ["--port", "0", "--owner", "ada"],
      environment: { MARQUEE_DATA: data },
    });
  });
  afterEach(() => server.kill());

  /** For root alone, in the folder that only root may enter. */
  const forRoot = (name: string, text: string) => {
    writeFileSync(path("roots", name), text, { mode: 0o600 });
    return path("roots", name);
  };

  testAsRoot(
    "commands are carried out by the server, and leave nothing of root's behind",
    async () => {
      const added = await marquee(["key", "add", "ada", "--json"]);
      expect(added).toMatchObject({ code: 0, error: "" });
      const headers = { "X-Api-Key": JSON.parse(added.out).api_key };
      expect((await fetch(`${server.url}/api/v1/user`, { headers })).status).toBe(200);
      expect(ownersIn(data)).toEqual(new Set([USER]));
      expect(await marquee(["stop"])).toMatchObject({ code: 0 });
      expect(ownersIn(data)).toEqual(new Set([USER]));
    },
  );

  testAsRoot(
    "files that a command names are read by root, whom the server could not ask",
    async () => {
      const css = forRoot("look.css", ".track { color: red }");
      const set = await marquee(["widget", "set", "ada", "1", `css=@${css}`]);
      expect(set).toMatchObject({ code: 0, out: "theme=ambient\nCSS of 21 bytes\n" });
      const password = forRoot("password", "sesame");
      const options = ["--url", "http://127.0.0.1:9", "--password-file", password];
      expect(await marquee(["connect", "ada", "vlc", ...options])).toMatchObject({
        code: 0,
        out: "VLC was added.\n",
      });
      const key = forRoot("old.key", TEST_KEY);
      const rotated = await marquee(["secret", "rotate", "--old-key-file", key]);
      expect(rotated.error).toContain("leave the option out");
    },
  );

  testAsRoot("a backup is root's, where root may write", async () => {
    const copy = path("roots", "copy.db");
    expect(await marquee(["backup", copy])).toMatchObject({ code: 0, error: "" });
    expect(lstatSync(copy)).toMatchObject({ uid: 0, mode: 0o100_600 });
    expect(ownersIn(data)).toEqual(new Set([USER]));
  });

  testAsRoot("another user is told as whom to run it", async () => {
    const errors: string[] = [];
    process.seteuid?.(61_240);
    try {
      const error = (line: string) => void errors.push(line);
      expect(
        await run(["key", "add", "ada", "--data", data], { environment: {}, out() {}, error }),
      ).toBe(1);
    } finally {
      process.seteuid?.(0);
    }
    expect(errors.join()).toContain(`${data} is closed to this user`);
    expect(errors.join()).toContain(`sudo -u '#${USER}' marquee`);
  });
});

describe("root stays root", () => {
  testAsRoot("in a folder of root's", async () => {
    mkdirSync(path("data"), { mode: 0o700 });
    expect((await marquee(["user", "add", "ada"])).code).toBe(0);
    expect(ownersIn(path("data"))).toEqual(new Set([0]));
  });

  testAsRoot("where the folder is not there yet, whoever the one above belongs to", async () => {
    makeFolder("home");
    const data = path("home", "data");
    expect((await marquee(["user", "add", "ada", "--data", data])).code).toBe(0);
    expect(ownersIn(data)).toEqual(new Set([0]));
  });

  testAsRoot("but follows nobody else's link to a folder of root's", async () => {
    makeFolder("home");
    symlinkSync(path("roots"), path("home", "data"));
    lchownSync(path("home", "data"), USER, GROUP);
    const { code, error } = await marquee(["user", "add", "ada", "--data", path("home", "data")]);
    expect(code).toBe(1);
    expect(error).toContain("Name the folder itself");
    expect(readdirSync(path("roots"))).toEqual([]);
  });
});
