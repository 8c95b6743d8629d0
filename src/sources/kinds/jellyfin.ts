import { createMediaBrowser } from "./media-browser/index.ts";
import type { Source } from "../source.ts";
import type { StreamedSourceDeps } from "../streamed-source.ts";

/** Jellyfin: https://api.jellyfin.org */
export const createJellyfin = (deps: StreamedSourceDeps): Source =>
  createMediaBrowser(
    {
      id: "jellyfin",
      name: "Jellyfin",
      api: "",
      // Since version 12, the older headers and `api_key` are off by default.
      headersFor: (token) => ({ Authorization: `MediaBrowser Token="${token}"` }),
      socketFor: (token, deviceId) => `socket?${new URLSearchParams({ ApiKey: token, deviceId })}`,
    },
    deps,
  );
