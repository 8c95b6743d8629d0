import type { Fonts } from "../looks/fonts.ts";

/** `GET /fonts/{id}.woff2`: a font that a user has uploaded, for pages of this server. */
export function createFont(fonts: Pick<Fonts, "bytesOf">) {
  return async (file: string): Promise<Response | undefined> => {
    const [, id] = /^(\w+)\.woff2$/.exec(file) ?? [];
    const bytes = id === undefined ? undefined : fonts.bytesOf(id);
    if (!bytes) return undefined;
    return new Response(new Uint8Array(bytes), {
      headers: {
        "Content-Type": "font/woff2",
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
      },
    });
  };
}
