import type { Connection, Connections } from "../accounts/connections.ts";
import type { KeyHolder } from "../accounts/keys.ts";
import { demo } from "../sources/demo.ts";
import type { Sources } from "../sources/index.ts";
import { type ExtraHeaders, success } from "./envelope.ts";

export interface UserDeps {
  readonly connections: Pick<Connections, "of">;
  readonly sources: Pick<Sources, "byId">;
  /** First word of the three field names about music. */
  readonly musicPrefix: string;
  /** Whether users without a connection hear the demo. */
  readonly demoForAll: boolean;
}

/** `GET /api/v1/user`: the envelope around who the key's user is. */
export function createUser({ connections, sources, musicPrefix, demoForAll }: UserDeps) {
  return async ({ user }: KeyHolder, headers: ExtraHeaders | undefined): Promise<Response> => {
    const connection = await connections.of(user.id);
    const account = connection
      ? accountOf(connection, sources)
      : demoForAll
        ? demo.account(null)
        : undefined;
    return success(
      {
        username: user.name,
        [`${musicPrefix}_connected`]: account !== undefined && connection?.refusedAt == null,
        [`${musicPrefix}_display_name`]: account?.displayName ?? null,
        [`${musicPrefix}_product`]: account?.product ?? null,
        created_at: utcDateTime(user.createdAt),
      },
      undefined,
      headers,
    );
  };
}

function accountOf({ source: id, settings }: Connection, sources: Pick<Sources, "byId">) {
  const source = sources.byId(id);
  return source?.account(source.parseSettings(settings));
}

/** A Unix time in milliseconds as `YYYY-MM-DD HH:MM:SS` in UTC. */
function utcDateTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace("T", " ");
}
