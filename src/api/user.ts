import { type ConnectedMusic, musicOf } from "../sources/connected-music.ts";
import { demo } from "../sources/kinds/demo/index.ts";
import { isLinked } from "../sources/source.ts";
import { success } from "./envelope.ts";
import type { Call } from "./guard.ts";
import { withMusicPrefix } from "./music-prefix.ts";
import type { User } from "./schema.ts";
import { utcDateTime } from "./utc-date-time.ts";
import type { Parts } from "../http/parts.ts";

/** `GET /api/v1/user`: the key's user, in the envelope. */
export function createUser({ accounts, sources, config }: Parts) {
  return ({ holder: { user }, headers }: Call): Response => {
    const music = musicOf(user.id, accounts, sources);
    const working =
      music.length === 0 && config.demo
        ? [demo.open(null).account]
        : music.filter(hasWorked).map((one) => one.account);
    const named = working.find((account) => account.displayName ?? account.product);
    const data: User = {
      username: user.name,
      music_connected: working.length > 0,
      music_display_name: named?.displayName ?? null,
      music_product: named?.product ?? null,
      created_at: utcDateTime(user.createdAt),
    };
    return success(withMusicPrefix(data, config.musicPrefix), headers);
  };
}

/**
 * Whether the connection has worked and is not refused. The demo needs nothing to work, and whoever
 * links an account in the browser has shown that the upstream knows it.
 */
function hasWorked({ source, status, connection }: ConnectedMusic): boolean {
  if (status.state === "needsLinking") return false;
  return connection.hasWorked || isLinked(source) || source.id === demo.id;
}
