import { createMediaBrowser } from "./media-browser/index.ts";
import type { Source } from "../source.ts";
import type { StreamedSourceDeps } from "../streamed-source.ts";

/** Emby: https://dev.emby.media/doc/restapi/index.html */
export const createEmby = (deps: StreamedSourceDeps): Source =>
  createMediaBrowser(
    {
      id: "emby",
      name: "Emby",
      api: "/emby",
      headersFor: (token) => ({ "X-Emby-Token": token }),
      socketFor: (token, deviceId) =>
        `embywebsocket?${new URLSearchParams({ api_key: token, deviceId })}`,
    },
    deps,
  );
