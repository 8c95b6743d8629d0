import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { hostTarget, type Target } from "./targets.ts";

/** How this machine runs an executable. */
export interface Way {
  /** The name shown to users, such as `under Wine`. */
  readonly name: string;
  /** What comes before the executable on a command line. */
  readonly before: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Converts a path of this machine to one that the executable understands. */
  toPath(path: string): string;
  /** The signal that asks the executable to stop. */
  readonly stopWith: "SIGTERM" | "SIGINT";
  /** Ends helper processes that run besides the executable. */
  end(): void;
}

/** The way, or what is missing on this machine. */
export type FoundWay = { readonly way: Way } | { readonly lacks: string };

/** Processor names: Bun's, and the usual ones. */
const MACHINES = new Map([
  ["x64", "x86_64"],
  ["arm64", "aarch64"],
]);

const directly: Way = {
  name: "directly",
  before: [],
  environment: {},
  toPath: (path) => path,
  stopWith: "SIGTERM",
  end() {},
};

/** How this machine runs a target's executable; files needed for it may go into `workplace`. */
export async function findWay(target: Target, workplace: string): Promise<FoundWay> {
  if (target === (await hostTarget())) return { way: directly };
  const [, system, processor = "", library] = target.bun.split("-");
  if (system === "darwin") return { lacks: "a Mac" };
  if (process.platform !== "linux") return { lacks: "Linux, which can run others' executables" };
  if (system === "windows") return findWine(processor, workplace);
  return findLinuxWay(MACHINES.get(processor) ?? processor, library === "musl");
}

function findLinuxWay(machine: string, isMusl: boolean): FoundWay {
  const isForeign = MACHINES.get(process.arch) !== machine;
  const emulator = Bun.which(`qemu-${machine}-static`);
  if (isForeign && !emulator) return { lacks: `qemu-${machine}-static` };
  // Debian keeps the C library of another processor in a separate folder.
  const libraries = isForeign && !isMusl ? `/usr/${machine}-linux-gnu` : "";
  const loader = isMusl
    ? `/lib/ld-musl-${machine}.so.1`
    : `${libraries}/lib/ld-linux-${machine.replace("_", "-")}.so.${machine === "aarch64" ? 1 : 2}`;
  if (!existsSync(loader)) return { lacks: loader };
  // The executable also needs the C++ library, and musl cannot load the one built for glibc.
  const placesOfMusl = ["/lib", "/usr/local/lib", "/usr/lib"];
  if (isMusl && !placesOfMusl.some((place) => existsSync(join(place, "libstdc++.so.6")))) {
    return { lacks: "a C++ library for musl" };
  }
  if (!isForeign || !emulator) return { way: directly };
  return {
    way: {
      ...directly,
      name: `under qemu-${machine}`,
      before: [emulator, ...(libraries ? ["-L", libraries] : [])],
    },
  };
}

function findWine(processor: string, workplace: string): FoundWay {
  if (processor !== process.arch) return { lacks: "a processor that Wine can use" };
  // On Debian, Wine's own programs are not in the usual PATH.
  const places = { PATH: `${process.env["PATH"] ?? ""}:/usr/lib/wine` };
  const wine = Bun.which("wine64", places);
  const server = Bun.which("wineserver64", places) ?? Bun.which("wineserver", places);
  if (!wine || !server) return { lacks: "wine64" };
  const compiler = Bun.which("x86_64-w64-mingw32-gcc");
  if (!compiler) return { lacks: "x86_64-w64-mingw32-gcc" };

  const libraries = join(workplace, "libraries");
  const home = join(workplace, "home");
  const temporary = join(workplace, "temporary");
  for (const folder of [libraries, home, temporary]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const source = join(import.meta.dir, "bcryptprimitives.c");
  const built = join(libraries, "bcryptprimitives.dll");
  const { success, stderr } = Bun.spawnSync(
    [compiler, "-shared", "-o", built, source, "-ladvapi32"],
    { stdout: "ignore" },
  );
  if (!success) throw new Error(`${source} cannot be compiled:\n${stderr.toString()}`);

  const toPath = (path: string) => `Z:${path.replaceAll("/", "\\")}`;
  const environment = {
    HOME: home,
    TMPDIR: temporary,
    WINEPREFIX: join(workplace, "wine"),
    WINEPATH: toPath(libraries),
    WINEDEBUG: "-all",
    // Wine tells only one process of Ctrl+C, and that has to be the server itself: see crash-reports.ts.
    BUN_ENABLE_CRASH_REPORTING: "0",
    // Wine must not download anything or create menu entries.
    WINEDLLOVERRIDES: "mscoree,mshtml,winemenubuilder.exe=",
  };
  return {
    way: {
      name: "under Wine",
      before: [wine],
      environment,
      toPath,
      // Wine turns SIGINT into Ctrl+C; at SIGTERM it ends the program without asking.
      stopWith: "SIGINT",
      end() {
        // Ends only this folder's Wine server and its programs; it may have ended already.
        Bun.spawnSync([server, "-k"], {
          env: { ...process.env, ...environment },
          stdout: "ignore",
          stderr: "ignore",
          timeout: 10_000,
        });
      },
    },
  };
}
