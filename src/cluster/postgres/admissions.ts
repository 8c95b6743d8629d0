import { inTime, type Pool } from "../../db/postgres/pool.ts";

interface Waiting {
  readonly caller: string;
  readonly answer: PromiseWithResolvers<number>;
}

/** A caller that waits longer is answered by what its node knows alone. */
const ANSWER_WITHIN_MS = 1_000;
/** How many questions are answered before callers of more than an hour ago are deleted. */
const FORGET_EVERY = 10_000;

/**
 * Counts the calls of all nodes in PostgreSQL. Those that come while a statement is under way are
 * counted together by the next one.
 */
export function createPostgresAdmissions(pool: Pick<Pool, "query">) {
  /** By how much time has to pass between two calls. */
  const waiting = new Map<number, Waiting[]>();
  let isAsking = false;
  let asked = 0;

  const ask = async (everyMs: number, callers: readonly Waiting[]) => {
    try {
      const [row] = await pool.query(
        "SELECT admit(ARRAY(SELECT json_array_elements_text($1::text::json)), $2::integer)::text",
        [JSON.stringify(callers.map(({ caller }) => caller)), everyMs],
      );
      const waits = String(row?.[0]).replace(/[{}]/g, "").split(",").map(Number);
      callers.forEach(({ answer }, index) => answer.resolve(waits[index] ?? 0));
    } catch (error) {
      for (const { answer } of callers) answer.reject(error);
    }
  };

  const askAll = async () => {
    isAsking = true;
    for (;;) {
      const [next] = waiting;
      if (!next) break;
      const [everyMs, callers] = next;
      waiting.delete(everyMs);
      asked += callers.length;
      await ask(everyMs, callers);
    }
    isAsking = false;
    if (asked < FORGET_EVERY) return;
    asked = 0;
    await pool
      .query("DELETE FROM admissions WHERE at < clock_timestamp() - interval '1 hour'")
      .catch(() => {});
  };

  return {
    /** @throws when the database does not answer in time */
    async admit(caller: string, everyMs: number): Promise<number> {
      const answer = Promise.withResolvers<number>();
      const together = waiting.get(everyMs);
      if (together) together.push({ caller, answer });
      else waiting.set(everyMs, [{ caller, answer }]);
      if (!isAsking) void askAll();
      return inTime(answer.promise, ANSWER_WITHIN_MS);
    },
  };
}
