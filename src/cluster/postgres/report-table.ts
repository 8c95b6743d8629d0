import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Pool } from "../../db/postgres/pool.ts";
import { pushedReport } from "../message.ts";
import type { ReportTable } from "../report-store.ts";

/** How many reports are stored before those are deleted that ended more than an hour ago. */
const FORGET_EVERY = 1_000;
const versionsByConnection = Type.Record(Type.String(), Type.Integer());

/** What programs have reported last, in PostgreSQL. */
export function createPostgresReports(pool: Pick<Pool, "query">): ReportTable {
  let stored = 0;

  const forgetOld = async () => {
    if (stored < FORGET_EVERY) return;
    stored = 0;
    await pool.query(`DELETE FROM pushed WHERE until < clock_timestamp() - interval '1 hour'
      OR until = 'infinity' AND received_at < clock_timestamp() - interval '1 hour'
        AND node NOT IN (SELECT name FROM nodes)`);
  };

  return {
    async store(node, reports) {
      const rows = reports.map(({ connectionId, report, ageMs, lastsMs }) => ({
        id: connectionId,
        content: report && JSON.stringify(report),
        age_ms: ageMs,
        lasts_ms: lastsMs === Infinity ? null : lastsMs,
      }));
      const [row] = await pool.query("SELECT store_pushed($1, $2::text::json)::text", [
        node,
        JSON.stringify(rows),
      ]);
      stored += reports.length;
      await forgetOld().catch(() => {});
      const versions = Value.Parse(versionsByConnection, JSON.parse(String(row?.[0])));
      return new Map(Object.entries(versions).map(([id, version]) => [Number(id), version]));
    },
    async load() {
      const rows = await pool.query(`SELECT connection_id, version, node, content,
          (extract(epoch FROM clock_timestamp() - received_at) * 1000)::float8
        FROM pushed WHERE until > clock_timestamp()`);
      return rows.flatMap(([connectionId, version, node, content, ageMs]) => {
        const report: unknown = content === null ? null : JSON.parse(String(content));
        // A newer version of this program may have stored what this one does not know.
        if (report !== null && !Value.Check(pushedReport, report)) return [];
        return {
          connectionId: Number(connectionId),
          version: Number(version),
          node: String(node),
          report,
          ageMs: Math.max(0, Number(ageMs)),
        };
      });
    },
  };
}
