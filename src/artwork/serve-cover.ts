import type { ArtworkStore } from "./artwork-store.ts";
import { immutableFile } from "../immutable-file.ts";

/** `GET /art/{id}/{rendition}`: a cover that a source has reported. */
export function createArt(artworks: Pick<ArtworkStore, "render">) {
  return async (id: string, rendition: string): Promise<Response | undefined> => {
    const picture = await artworks.render(id, rendition);
    if (!picture) return undefined;
    return new Response(picture.bytes, {
      headers: {
        ...immutableFile(picture.type),
        // Clients of the API may show the picture on their own pages.
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "*",
      },
    });
  };
}
