import type { Accounts } from "../accounts/accounts.ts";
import type { Config } from "../config.ts";
import { musicOf } from "../sources/connected-music.ts";
import { demo } from "../sources/demo.ts";
import type { Sources } from "../sources/index.ts";
import { success } from "./envelope.ts";
import type { Answer } from "./guard.ts";
import { withMusicPrefix } from "./music-prefix.ts";
import type { User } from "./schema.ts";

export interface UserDeps {
  readonly accounts: Pick<Accounts, "connections">;
  readonly sources: Pick<Sources, "byId">;
  readonly config: Pick<Config, "demo" | "musicPrefix">;
}

/** `GET /api/v1/user`: the key's user, in the envelope. */
export function createUser({ accounts, sources, config }: UserDeps): Answer {
  return async ({ user }, headers) => {
    const music = await musicOf(user.id, accounts, sources);
    const hearsDemo = !music && config.demo && !(await accounts.connections.of(user.id));
    const account = hearsDemo ? demo.open(null).account : music?.account;
    const data: User = {
      username: user.name,
      music_connected: account !== undefined && music?.status.state !== "needsLinking",
      music_display_name: account?.displayName ?? null,
      music_product: account?.product ?? null,
      created_at: utcDateTime(user.createdAt),
    };
    return success(withMusicPrefix(data, config.musicPrefix), headers);
  };
}

/** A Unix time in milliseconds as `YYYY-MM-DD HH:MM:SS` in UTC. */
function utcDateTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace("T", " ");
}
