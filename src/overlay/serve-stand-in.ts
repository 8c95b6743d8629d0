import type { StandInCovers } from "../looks/stand-in-covers.ts";
import { immutableFile } from "../immutable-file.ts";

/** `GET /covers/{id}.webp`: a picture that a user's overlays show where a track has no cover. */
export function createStandIn(standInCovers: Pick<StandInCovers, "bytesOf">) {
  return (file: string): Response | undefined => {
    const [, id] = /^(\w+)\.webp$/.exec(file) ?? [];
    const bytes = id === undefined ? undefined : standInCovers.bytesOf(id);
    if (!bytes) return undefined;
    return new Response(new Uint8Array(bytes), {
      headers: immutableFile("image/webp"),
    });
  };
}
