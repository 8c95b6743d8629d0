import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Contents } from "../package-kind.ts";
import { iconPictures, SCALABLE_ICON } from "./icons.ts";

/** A file that a package installs. */
export interface PackagedFile {
  /** Where it is installed, from the root, without a slash at its beginning. */
  readonly path: string;
  /** What is in it, or the path of a file to copy. */
  readonly content: string | Uint8Array | { readonly copyOf: string };
  readonly isExecutable?: true;
}

/** The unit file starts the program in /usr/local, where nothing but the administrator puts files. */
const UNIT = join(import.meta.dir, "marquee.service");
const read = (name: string): Promise<string> => Bun.file(join(import.meta.dir, name)).text();

/** The licence of the fonts that the program contains. */
export const FONTS_LICENCE = join(import.meta.dir, "../../src/overlay/fonts/OFL.txt");

/** What every package for Linux installs. */
export async function filesOf({ version, madeAt, program }: Contents): Promise<PackagedFile[]> {
  const page = (await read("marquee.1"))
    .replace("@DATE@", madeAt.toISOString().slice(0, 10))
    .replace("@VERSION@", version);
  const pictures = await iconPictures();
  const icons = "usr/share/icons/hicolor";
  return [
    { path: "usr/bin/marquee", content: { copyOf: program }, isExecutable: true },
    { path: "usr/lib/systemd/system/marquee.service", content: await packagedUnit() },
    { path: "usr/share/man/man1/marquee.1.gz", content: compressed(page) },
    { path: "usr/share/applications/marquee.desktop", content: await read("marquee.desktop") },
    { path: `${icons}/scalable/apps/marquee.svg`, content: { copyOf: SCALABLE_ICON } },
    ...pictures.map(({ size, png }) => ({
      path: `${icons}/${size}x${size}/apps/marquee.png`,
      content: png,
    })),
  ];
}

/** The systemd unit, for a program that a package has installed, without the words on installing it. */
async function packagedUnit(): Promise<string> {
  const text = await Bun.file(UNIT).text();
  return text
    .replace(/^# {3}sudo install .*\n/gm, "")
    .replace("[Unit]\n", "[Unit]\nDocumentation=man:marquee(1)\n")
    .replaceAll("/usr/local/bin/marquee", "/usr/bin/marquee");
}

/** The same bytes each time: the compressed file holds no name and no time. */
export const compressed = (text: string): Uint8Array =>
  Bun.gzipSync(new TextEncoder().encode(text), { level: 9 });

/** Writes files below a folder, with the modes that packages use, whatever this process's umask is. */
export function layOut(files: readonly PackagedFile[], root: string): void {
  for (const { path, content, isExecutable } of files) {
    const to = join(root, path);
    mkdirSync(dirname(to), { recursive: true });
    if (typeof content === "object" && "copyOf" in content) copyFileSync(content.copyOf, to);
    else writeFileSync(to, content);
    chmodSync(to, isExecutable ? 0o755 : 0o644);
  }
}

/** Dates everything in a folder, and the folder itself; folders get the mode that packages use. */
export function date(folder: string, madeAt: Date): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) date(path, madeAt);
    else utimesSync(path, madeAt, madeAt);
  }
  chmodSync(folder, 0o755);
  utimesSync(folder, madeAt, madeAt);
}
