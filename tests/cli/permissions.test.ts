import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { runMarquee, startMarquee } from "../fixtures/servers/marquee-process.ts";

const WARNING = /this disk keeps no permissions/g;

let folder: ReturnType<typeof createTempFolder>;
let unmount = () => {};
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => {
  unmount();
  unmount = () => {};
  folder.remove();
});

/** A folder on a disk whose files everybody may use, whatever a program asks for. */
function mountLooseDisk(answerToChmod: "ignore" | "deny"): string {
  const [disk, mounted] = ["disk", "mounted"].map((name) => join(folder.path, name));
  for (const path of [disk, mounted]) mkdirSync(path ?? "");
  const options = ["-p", "a=rwX,u+x", `--chmod-${answerToChmod}`];
  const { success, stderr } = Bun.spawnSync(["bindfs", ...options, disk ?? "", mounted ?? ""]);
  if (!success) throw new Error(stderr.toString());
  unmount = () => void Bun.spawnSync(["umount", "-l", mounted ?? ""]);
  return join(mounted ?? "", "data");
}

const start = (data: string) =>
  startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--data", data],
  });
const run = (data: string, ...words: string[]) =>
  runMarquee({ folder: folder.path, arguments: [...words, "--data", data] });
const modeOf = (path: string) => statSync(path).mode & 0o777;

const canMount = process.getuid?.() === 0 && Bun.which("bindfs") !== null;

describe("a disk that keeps no permissions", () => {
  testWith("bindfs", canMount).each(["ignore", "deny"] as const)(
    "that answers chmod with %s is warned of once at a start, and refused by none",
    async (answer) => {
      const data = mountLooseDisk(answer);
      for (const _ of ["first", "second"]) {
        const server = await start(data);
        expect(server.log().match(WARNING)).toHaveLength(1);
        expect(await server.stop()).toBe(0);
      }
      expect(modeOf(join(data, "secret.key")) & 0o077).not.toBe(0);
      expect(await run(data, "user", "list")).toMatchObject({ code: 0, error: "" });
      expect((await run(data, "doctor")).out.match(WARNING)).toHaveLength(1);
    },
  );
});

describe("a disk that shows one owner for all files", () => {
  testWith("bindfs", canMount)("is used by another user all the same, at each start", async () => {
    const [disk, mounted] = ["disk", "mounted"].map((name) => join(folder.path, name));
    for (const path of [disk, mounted]) mkdirSync(path ?? "");
    const owner = ["--force-user=61235", "--force-group=61235", "-p", "a=rwX"];
    Bun.spawnSync(["bindfs", ...owner, disk ?? "", mounted ?? ""]);
    unmount = () => void Bun.spawnSync(["umount", "-l", mounted ?? ""]);
    chmodSync(folder.path, 0o755);
    mkdirSync(join(mounted ?? "", "marquee-data"));
    const { MARQUEE_DATA: _, STATE_DIRECTORY: __, ...env } = process.env;
    const script = join(import.meta.dir, "../fixtures/data/resolve-as-user.ts");
    const options = { cwd: mounted ?? "", env } as const;
    const found = Bun.spawnSync([process.execPath, script, "61234"], options);
    expect(found.stdout.toString()).toBe("./marquee-data");
  });
});

describe("a disk that is mounted read-only", () => {
  testWith("bindfs", canMount)(
    "is named as the reason when the server does not start",
    async () => {
      const [disk, mounted] = ["disk", "mounted"].map((name) => join(folder.path, name));
      for (const path of [disk, mounted]) mkdirSync(path ?? "");
      await run(disk ?? "", "user", "add", "ada");
      Bun.spawnSync(["bindfs", "-o", "ro", disk ?? "", mounted ?? ""]);
      unmount = () => void Bun.spawnSync(["umount", "-l", mounted ?? ""]);
      const { code, error } = await run(mounted ?? "", "serve", "--port", "0");
      expect(code).toBe(1);
      expect(error).toContain("is read-only. The disk that holds it takes no writes");
    },
  );
});

describe("a database that cannot be opened", () => {
  const canMountTmpfs = process.getuid?.() === 0 && process.platform === "linux";

  /** A disk of a megabyte in memory, with the data of a user. */
  async function mountSmallDisk(): Promise<{ readonly disk: string; readonly data: string }> {
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    const { success, stderr } = Bun.spawnSync([
      "mount",
      "-t",
      "tmpfs",
      "-o",
      "size=1m",
      "none",
      disk,
    ]);
    if (!success) throw new Error(stderr.toString());
    unmount = () => void Bun.spawnSync(["umount", "-l", disk]);
    const data = join(disk, "data");
    expect(await run(data, "user", "add", "ada")).toMatchObject({ code: 0 });
    return { disk, data };
  }

  testWith("tmpfs", canMountTmpfs)("names the full disk as the reason", async () => {
    const { disk, data } = await mountSmallDisk();
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(disk, "filled")}`, "bs=4k"]);
    const { code, error } = await run(data, "user", "list");
    expect(code).toBe(1);
    expect(error).toContain("marquee.db is full. Make room");
  });

  testWith("tmpfs", canMountTmpfs)("is not told as a copy that cannot be written", async () => {
    const { disk, data } = await mountSmallDisk();
    Bun.spawnSync(["mount", "-o", "remount,ro", disk]);
    const { code, error } = await run(data, "backup", join(folder.path, "copy.db"));
    expect(code).toBe(1);
    expect(error).toContain(`${join(data, "marquee.db")} cannot be read.`);
    expect(error).toContain("its disk takes writes");
  });
});

describe("a key that others could read", () => {
  test("is taken from them at a start, which says so", async () => {
    const data = join(folder.path, "data");
    await run(data, "user", "add", "ada");
    chmodSync(join(data, "secret.key"), 0o660);
    const server = await start(data);
    expect(server.log()).toContain("could read the secret key until this start");
    await server.stop();
    expect(modeOf(join(data, "secret.key"))).toBe(0o600);
    const again = await start(data);
    expect(again.log()).not.toContain("secret key");
    await again.stop();
  });
});
