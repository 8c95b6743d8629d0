import type { Accounts } from "../accounts/accounts.ts";
import type { KeyHolder } from "../accounts/keys.ts";
import { musicOf } from "../sources/connected-music.ts";
import { demo } from "../sources/demo.ts";
import type { Sources } from "../sources/index.ts";
import { type ExtraHeaders, success } from "./envelope.ts";

export interface UserDeps {
  readonly accounts: Pick<Accounts, "connections">;
  readonly sources: Pick<Sources, "byId">;
  /** First word of the three field names about music. */
  readonly musicPrefix: string;
  /** Whether users without a connection hear the demo. */
  readonly demoForAll: boolean;
}

/** `GET /api/v1/user`: the envelope around who the key's user is. */
export function createUser({ accounts, sources, musicPrefix, demoForAll }: UserDeps) {
  return async ({ user }: KeyHolder, headers: ExtraHeaders | undefined): Promise<Response> => {
    const music = await musicOf(user.id, accounts, sources);
    const hearsDemo = !music && demoForAll && !(await accounts.connections.of(user.id));
    const account = hearsDemo ? demo.open(null).account : music?.account;
    return success(
      {
        username: user.name,
        [`${musicPrefix}_connected`]:
          account !== undefined && music?.status.state !== "needsLinking",
        [`${musicPrefix}_display_name`]: account?.displayName ?? null,
        [`${musicPrefix}_product`]: account?.product ?? null,
        created_at: utcDateTime(user.createdAt),
      },
      undefined,
      headers,
    );
  };
}

/** A Unix time in milliseconds as `YYYY-MM-DD HH:MM:SS` in UTC. */
function utcDateTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace("T", " ");
}
