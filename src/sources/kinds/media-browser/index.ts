import { requiredText, tokenOption, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";
import type { MediaBrowser } from "./listen.ts";

const DEFAULT_URL = "http://127.0.0.1:8096";
/** Old servers list the whole queue of each session. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

/** https://api.jellyfin.org */
const JELLYFIN: MediaBrowser = {
  id: "jellyfin",
  name: "Jellyfin",
  api: "",
  // Since version 12, the older headers and `api_key` are off by default.
  headersFor: (token) => ({ Authorization: `MediaBrowser Token="${token}"` }),
  socketFor: (token, deviceId) => `socket?${new URLSearchParams({ ApiKey: token, deviceId })}`,
};

/** https://dev.emby.media/doc/restapi/index.html */
const EMBY: MediaBrowser = {
  id: "emby",
  name: "Emby",
  api: "/emby",
  headersFor: (token) => ({ "X-Emby-Token": token }),
  socketFor: (token, deviceId) =>
    `embywebsocket?${new URLSearchParams({ api_key: token, deviceId })}`,
};

export const createJellyfin = (deps: StreamedSourceDeps): Source =>
  createMediaBrowser(JELLYFIN, deps);

export const createEmby = (deps: StreamedSourceDeps): Source => createMediaBrowser(EMBY, deps);

const createMediaBrowser = (kind: MediaBrowser, deps: StreamedSourceDeps): Source =>
  defineStreamedSource({
    deps,
    id: kind.id,
    name: kind.name,
    facts: {
      runs: "server",
      reports: ["position", "pause", "cover", "volume"],
      calls: ["entered"],
    },
    options: {
      url: urlOption(`Where ${kind.name} is.`, DEFAULT_URL),
      user: requiredText(
        "name",
        `Your user name on ${kind.name}; only your own sessions are followed.`,
        `your user name on ${kind.name}`,
      ),
      token: tokenOption(`An API key, made in the dashboard of ${kind.name}.`),
    },
    account: ({ user }) => ({ displayName: user }),
    requestWith: ({ token }) => ({
      headers: kind.headersFor(token),
      largestBytes: LARGEST_ANSWER_BYTES,
    }),
    listen: async (...given) => (await import("./listen.ts")).listen(kind, ...given),
  });
