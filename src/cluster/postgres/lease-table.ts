import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Pool } from "../../db/postgres/pool.ts";
import type { LeaseTable } from "../leases.ts";

const answer = Type.Object({
  nodes: Type.Array(
    Type.Object({ name: Type.String(), watched: Type.Record(Type.String(), Type.Number()) }),
  ),
  held: Type.Array(Type.Integer()),
  /** The terms of all shards, by the name that the functions in the database have for them. */
  epochs: Type.Array(Type.Integer()),
});

/** The leases in PostgreSQL: the functions in `drizzle/postgres` have the rules. */
export const createPostgresLeases = (pool: Pick<Pool, "query">): LeaseTable => ({
  async beat({ node, watched, give }) {
    const rows = await pool.query(
      `SELECT beat($1, $2, ARRAY(SELECT json_array_elements_text($3::text::json)::integer))
        FROM wait_for_former_nodes($1)`,
      [node, JSON.stringify(watched), JSON.stringify(give)],
    );
    const answered = Value.Parse(answer, JSON.parse(String(rows[0]?.[0])));
    const { nodes, held, epochs: terms } = answered;
    return { nodes, held: new Map(held.map((shard) => [shard, terms[shard] ?? 0])), terms };
  },
  async leave(node) {
    await pool.query("SELECT leave($1)", [node]);
  },
});
