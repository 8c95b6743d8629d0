import { Elysia } from "elysia";
import type { Feature } from "../http/plugin.ts";
import { guards } from "../http/guards.ts";
import { once } from "../once.ts";
import type { SocketServer } from "../http/socket.ts";
import {
  BROADCAST,
  type BroadcastPlace,
  JSON_PUSHES,
  TUNA,
  WEBSCROBBLER,
} from "../sources/pushed.ts";
import { createCovers } from "../upstream/covers.ts";
import { parseFields } from "../upstream/json.ts";
import { createAudioscrobbler } from "./audioscrobbler-route.ts";
import { createPushedCovers } from "./covers.ts";
import { createDelivery } from "./delivery.ts";
import type { Inboxes } from "../music/inboxes.ts";
import { createGuard } from "./guard.ts";
import type { Inbox } from "./inbox.ts";
import { createInboxRoute } from "./inbox-route.ts";
import { fieldsOfQuery, readJson } from "./json.ts";
import { createListenBrainz } from "./listenbrainz-route.ts";
import { refused } from "./message.ts";
import { readTuna } from "./tuna.ts";
import { readWebhook } from "./web-scrobbler.ts";
import { createWebNowPlaying } from "./webnowplaying-sockets.ts";
import type { Parts } from "../http/parts.ts";

export interface IngestDeps extends Parts {
  readonly inbox: Inbox;
  readonly inboxes: Omit<Inboxes, "secretOf" | "rotateSecret" | "forgetInboxes">;
  readonly broadcasts: BroadcastPlace;
  /** The name of a user; `undefined` when there is none with this id. */
  userNameOf(userId: number): string | undefined;
}

interface IngestFeature extends Feature {
  /** Answers on the port for WebNowPlaying; `undefined` when it was upgraded to a WebSocket. */
  upgradeLocally(request: Request, server: SocketServer): Response | undefined;
}

/** Each protocol reads bodies itself, whatever their type says. Elysia changes the object. */
const forPushes = () => ({ secret: "inbox secret", parse: "none" }) as const;

/** What other programs push to this server. Each protocol answers every method in its own form. */
export function createIngestFeature(deps: IngestDeps): IngestFeature {
  const { clock, inbox, inboxes, config } = deps;
  const namable = createCovers({ ...deps, playerHosts: config.playerHosts });
  const covers = createPushedCovers(clock, namable);
  const guard = createGuard(deps);
  const delivery = createDelivery({ clock, inbox, covers });
  const to = { clock, guard, delivery };
  const listenBrainz = createListenBrainz({ ...to, userNameOf: deps.userNameOf });
  const audioscrobbler = createAudioscrobbler({ ...deps, ...to });
  const json = {
    readBody(text: string) {
      const fields = parseFields(text);
      return fields ? readJson(fields, covers) : refused("The body must be a JSON object.");
    },
    readQuery: (query: URLSearchParams) => readJson(fieldsOfQuery(query), covers),
  };
  const webNowPlaying = createWebNowPlaying({ ...deps, covers, guard, delivery });
  const webScrobbler = createInboxRoute(WEBSCROBBLER, { readBody: readWebhook }, to);
  const tuna = createInboxRoute(TUNA, { readBody: readTuna }, to);
  const ownJson = createInboxRoute(JSON_PUSHES, json, to);

  const mayBroadcast = () => config.broadcastPort !== 0 && inboxes.hasInboxOf(BROADCAST.id);
  const broadcastListener = once(async () => {
    const { createBroadcastListener } = await import("./broadcast/listener.ts");
    return createBroadcastListener({ ...deps, guard, delivery, mayBroadcast });
  });
  let hasListener = false;
  const followBroadcasts = async () => {
    hasListener ||= mayBroadcast();
    if (hasListener) (await broadcastListener()).followChanges();
  };

  const plugin = new Elysia({ name: "ingest" })
    .use(guards)
    .all("/listenbrainz", listenBrainz, forPushes())
    .all("/listenbrainz/*", listenBrainz, forPushes())
    .all("/audioscrobbler", audioscrobbler, forPushes())
    .all("/audioscrobbler/*", audioscrobbler, forPushes())
    .group("/in/:secret", (inbox) =>
      inbox
        .all("/webscrobbler", webScrobbler, forPushes())
        .all("/tuna", tuna, forPushes())
        .all("/json", ownJson, forPushes())
        .get(
          "/webnowplaying",
          ({ request, params, server }) => webNowPlaying.upgrade({ request, params }, server),
          forPushes(),
        ),
    );
  return {
    upgradeLocally: webNowPlaying.upgradeLocally,
    plugin,
    limitsBodies: /^\/(?:listenbrainz|audioscrobbler|in)(?:\/|$)/,
    start: followBroadcasts,
    async follow({ userId, concerns }) {
      if (!concerns("users", "connections")) return;
      webNowPlaying.followChanges(userId);
      await followBroadcasts();
    },
    async stop() {
      webNowPlaying.stop();
      if (hasListener) (await broadcastListener()).stop();
    },
  };
}
