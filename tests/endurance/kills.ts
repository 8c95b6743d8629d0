import { median } from "../bench/measure.ts";
import { integrityOf } from "./integrity.ts";
import { signInTo } from "./overlays.ts";
import type { Stage } from "./stage.ts";

export interface Killed {
  /** Writes that were answered as done before the kill. */
  readonly told: number;
  /** From the start of the next server until it was ready. */
  readonly readyMs: number;
}

/** A user may have no more than fifty keys that work, and these have ten. */
const MOST_MADE = 35;
/** A server that was killed is ready again so soon. */
const READY_WITHIN_MS = 2_000;

/**
 * Kills the server while one browser makes keys and another changes rules again and again, and
 * starts it again. @throws when something that was told is lost, or the server is late
 */
export async function killWhileWriting(stage: Stage, random: () => number): Promise<Killed> {
  const [maker = stage.pushed, ruler = stage.pushed] = stage.crowd;
  const { keys, privacy } = stage.accounts;
  const browsers = { maker: await signInTo(stage, maker), ruler: await signInTo(stage, ruler) };
  let isDead = false;
  const made: string[] = [];
  const making = (async () => {
    for (let at = 0; at < MOST_MADE && !isDead; at++) {
      const name = `told ${Date.now()} ${at}`;
      const fields = { do: "add", name };
      const answer = await browsers.maker.post("/en/dashboard/keys", fields).catch(() => undefined);
      if (answer?.status !== 303) return;
      made.push(name);
    }
  })();
  let rules = 0;
  const ruling = (async () => {
    while (!isDead) {
      const fields = { do: "rules", titles: `rule ${rules + 1}` };
      const answer = await browsers.ruler
        .post("/en/dashboard/privacy", fields)
        .catch(() => undefined);
      if (answer?.status !== 303) return;
      rules += 1;
    }
  })();
  await Bun.sleep(60 + random() * 200);
  await stage.server.kill();
  isDead = true;
  await Promise.all([making, ruling]);
  const startedAtMs = performance.now();
  await stage.restart();
  const { status } = await fetch(`${stage.server.url}/readyz`);
  const readyMs = performance.now() - startedAtMs;

  const kept = (await keys.list(maker.user)).map(({ name }) => name);
  const lost = made.filter((name) => !kept.includes(name));
  await privacy.reload(ruler.user.id);
  // The last one may have been stored without an answer.
  const [rule = "rule 0"] = privacy.of(ruler.user.id).hiddenTitles;
  if (rules > 0 && ![rules, rules + 1].map((at) => `rule ${at}`).includes(rule)) lost.push(rule);
  await privacy.change(ruler.user, { ...privacy.of(ruler.user.id), hiddenTitles: [] });
  for (const { id, name } of await keys.list(maker.user)) {
    if (name.startsWith("told ")) await keys.revoke(maker.user, id).catch(() => {});
  }
  if (lost.length > 0) throw new Error(`of what was told, this is lost: ${lost.join(", ")}`);
  if (status !== 200) throw new Error(`/readyz was ${status} after the start`);
  if (readyMs > READY_WITHIN_MS) throw new Error(`ready only after ${readyMs.toFixed(0)} ms`);
  return { told: made.length + rules, readyMs };
}

/** Kills the server so many times. Returns what is wrong, one sentence each. */
export async function killAgainAndAgain(
  stage: Stage,
  times: number,
  random: () => number,
): Promise<string[]> {
  const wrongs: string[] = [];
  const kills: Killed[] = [];
  for (let at = 1; at <= times; at++) {
    try {
      kills.push(await killWhileWriting(stage, random));
      const integrity = integrityOf(stage.data);
      if (integrity !== "ok") wrongs.push(`after kill ${at} the database: ${integrity}`);
    } catch (error) {
      wrongs.push(`kill ${at}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (at % 10 === 0) console.log(`${at} kills, ${wrongs.length} wrong`);
  }
  const readyMs = kills.map((kill) => kill.readyMs);
  const told = kills.reduce((sum, kill) => sum + kill.told, 0);
  console.log(`
| Killed while it wrote | |
|---|---|
| times | ${times} |
| writes that were told, all kept | ${told} |
| ready again, median | ${median(readyMs).toFixed(0)} ms |
| ready again, the slowest (≤ ${READY_WITHIN_MS} ms) | ${Math.max(...readyMs).toFixed(0)} ms |`);
  return wrongs;
}
