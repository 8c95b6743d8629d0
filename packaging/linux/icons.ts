import { join } from "node:path";
import { Data } from "resedit";

/** The picture that the others are drawn from. */
export const SCALABLE_ICON = join(import.meta.dir, "../../src/html/icon.svg");
const ICON_FILE = join(import.meta.dir, "../windows/marquee.ico");

/** The sizes that the icon theme has folders for: https://specifications.freedesktop.org/icon-theme-spec/latest/ */
const THEME_SIZES = [16, 24, 32, 48, 64, 128, 256];

/** A picture of the icon as PNG; `size` is its edge length in pixels. */
export interface IconPicture {
  readonly size: number;
  readonly png: Uint8Array;
}

/** The pictures in the icon of the Windows program, in the sizes that desktops on Linux look for. */
export async function iconPictures(): Promise<IconPicture[]> {
  const { icons } = Data.IconFile.from(await Bun.file(ICON_FILE).bytes());
  return icons.flatMap(({ width, data }) => {
    // A byte holds the size, and 0 stands for 256.
    const size = width || 256;
    const isWanted = THEME_SIZES.includes(size) && data.isRaw();
    return isWanted ? [{ size, png: new Uint8Array(data.bin) }] : [];
  });
}
