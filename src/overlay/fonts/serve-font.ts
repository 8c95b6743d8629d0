import { plainText } from "../../http/plain-text.ts";
import type { Fonts } from "../../looks/fonts.ts";
import { SHIPPED_FONT_FILES, SHIPPED_FONTS_LICENCE } from "./shipped-font-files.ts";
import { immutableFile } from "../../immutable-file.ts";

/**
 * `GET /fonts/{id}.woff2`: a font that a user has uploaded, or that comes with Marquee, for pages of
 * this server. `GET /fonts/OFL.txt` is the licence of the latter.
 */
export function createFont(fonts: Pick<Fonts, "bytesOf">) {
  const bytesOf = (id: string): Uint8Array | Promise<Uint8Array> | undefined => {
    const path = SHIPPED_FONT_FILES.get(id);
    return path === undefined ? fonts.bytesOf(id) : Bun.file(path).bytes();
  };
  return async (file: string): Promise<Response | undefined> => {
    if (file === "OFL.txt") return licence();
    const [, id] = /^([\w-]+)\.woff2$/.exec(file) ?? [];
    const bytes = id === undefined ? undefined : await bytesOf(id);
    if (!bytes) return undefined;
    return new Response(new Uint8Array(bytes), {
      headers: immutableFile("font/woff2"),
    });
  };
}

const licence = async (): Promise<Response> =>
  plainText(200, (await Bun.file(SHIPPED_FONTS_LICENCE).text()).trimEnd());
