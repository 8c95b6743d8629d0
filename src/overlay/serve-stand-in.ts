import type { StandInCovers } from "../looks/stand-in-covers.ts";

/** `GET /covers/{id}.webp`: a picture that a user's overlays show where a track has no cover. */
export function createStandIn(standInCovers: Pick<StandInCovers, "bytesOf">) {
  return (file: string): Response | undefined => {
    const [, id] = /^(\w+)\.webp$/.exec(file) ?? [];
    const bytes = id === undefined ? undefined : standInCovers.bytesOf(id);
    if (!bytes) return undefined;
    return new Response(new Uint8Array(bytes), {
      headers: {
        "Content-Type": "image/webp",
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
      },
    });
  };
}
