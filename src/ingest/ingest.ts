import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { JSON_PUSHES, TUNA, WEBSCROBBLER } from "../sources/pushed.ts";
import type { Fetch } from "../sources/upstream/index.ts";
import { createAudioscrobbler } from "./audioscrobbler-route.ts";
import { createCovers } from "./covers.ts";
import { createDelivery } from "./delivery.ts";
import { createDoor, type Inboxes } from "./door.ts";
import { parseFields } from "./fields.ts";
import type { PushRoute } from "./http.ts";
import type { Inbox } from "./inbox.ts";
import { createInboxRoute } from "./inbox-route.ts";
import { fieldsOfQuery, readJson } from "./json.ts";
import { createListenBrainz } from "./listenbrainz-route.ts";
import { refused } from "./message.ts";
import { readTuna } from "./tuna.ts";
import { readWebhook } from "./web-scrobbler.ts";
import { createWebNowPlaying, type WebNowPlayingSockets } from "./webnowplaying-sockets.ts";

export interface IngestDeps {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly inboxes: Inboxes;
  readonly config: Pick<Config, "playerHosts">;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Replaces the network. */
  readonly fetch?: Fetch;
  /** The client address of a request. */
  addressOf(request: Request): string;
  /** The name of a user; `undefined` when there is none with this id. */
  userNameOf(userId: number): Promise<string | undefined>;
}

/** What other programs push to this server. */
export interface Ingest {
  /** By path. Each handler answers every method. */
  readonly routes: Readonly<Record<string, PushRoute>>;
  readonly webNowPlaying: WebNowPlayingSockets;
  /** Whether the request is for one of the routes. Its URL has no base path. */
  isFor(request: Request): boolean;
}

export function createIngest(deps: IngestDeps): Ingest {
  const { clock, inbox, config } = deps;
  const covers = createCovers({
    clock,
    playerHosts: config.playerHosts,
    ...(deps.fetch && { fetch: deps.fetch }),
  });
  const door = createDoor(deps);
  const delivery = createDelivery({ clock, inbox, covers });
  const to = { clock, door, delivery };
  const listenBrainz = createListenBrainz({ ...to, userNameOf: deps.userNameOf });
  const audioscrobbler = createAudioscrobbler({ ...deps, ...to });
  const json = {
    readBody(text: string) {
      const fields = parseFields(text);
      return fields ? readJson(fields, covers) : refused("The body must be a JSON object.");
    },
    readQuery: (query: URLSearchParams) => readJson(fieldsOfQuery(query), covers),
  };
  return {
    webNowPlaying: createWebNowPlaying({ ...deps, covers, door, delivery }),
    isFor: ({ url }) => /^https?:\/\/[^/]*\/(?:in|listenbrainz|audioscrobbler)(?:[/?]|$)/.test(url),
    routes: {
      "/listenbrainz": listenBrainz,
      "/listenbrainz/*": listenBrainz,
      "/audioscrobbler": audioscrobbler,
      "/audioscrobbler/*": audioscrobbler,
      "/in/:secret/webscrobbler": createInboxRoute(WEBSCROBBLER, { readBody: readWebhook }, to),
      "/in/:secret/tuna": createInboxRoute(TUNA, { readBody: readTuna }, to),
      "/in/:secret/json": createInboxRoute(JSON_PUSHES, json, to),
    },
  };
}
