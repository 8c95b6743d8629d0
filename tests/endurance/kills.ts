import { median } from "../bench/measure.ts";
import { integrityOf } from "./integrity.ts";
import { signInTo } from "./overlays.ts";
import type { Stage } from "./stage.ts";

export interface Killed {
  /** Writes of browsers and commands that were answered as done before the kill. */
  readonly done: number;
  /** Commands that the kill has cut off. */
  readonly cutOff: number;
  /** From the start of the next server until it was ready. */
  readonly readyMs: number;
}

/** A user may have no more than fifty keys that work, and these have ten. */
const MOST_MADE = 35;
/** Of the kills, in which the secret key is being replaced. */
const REPLACES_KEY_SHARE = 0.3;
const isCutOff = (error: unknown): boolean =>
  String(error).includes("has stopped before the command was done");
/** A server that was killed is ready again so soon. */
const READY_WITHIN_MS = 2_000;

/**
 * Kills the server while browsers make keys and change rules, and commands add users and keys, again
 * and again, and now and then replace the secret key. Starts it again. @throws when something that was answered as done is lost, when
 * something was done twice, or when the server is late
 */
export async function killWhileWriting(stage: Stage, random: () => number): Promise<Killed> {
  const [maker = stage.pushed, ruler = stage.pushed, keyed = stage.pushed] = stage.crowd;
  const browsers = { maker: await signInTo(stage, maker), ruler: await signInTo(stage, ruler) };
  const prefix = `w${Date.now()}`;
  let isDead = false;
  const done: string[] = [];
  let cutOff = 0;
  const making = (async () => {
    for (let at = 0; at < MOST_MADE && !isDead; at++) {
      const name = `${prefix}-page-${at}`;
      const answer = await browsers.maker
        .post("/en/dashboard/settings/programs", { do: "key add", name })
        .catch(() => undefined);
      if (answer?.status !== 303) return;
      done.push(name);
    }
  })();
  let rules = 0;
  const ruling = (async () => {
    while (!isDead) {
      const answer = await browsers.ruler
        .post("/en/dashboard/settings/privacy", {
          do: "privacy rules",
          titles: `rule ${rules + 1}`,
        })
        .catch(() => undefined);
      if (answer?.status !== 303) return;
      rules += 1;
    }
  })();
  const commanding = (kind: string, wordsOf: (name: string) => string[]) =>
    (async () => {
      for (let at = 0; at < MOST_MADE && !isDead; at++) {
        const name = `${prefix}-${kind}-${at}`;
        try {
          await stage.command(...wordsOf(name));
          done.push(name);
        } catch (error) {
          if (!isCutOff(error)) throw error;
          cutOff += 1;
        }
      }
    })();
  const replacing = async () => {
    if (random() > REPLACES_KEY_SHARE) return;
    await stage.command("secret", "rotate").catch((error: unknown) => {
      if (!isCutOff(error)) throw error;
      cutOff += 1;
    });
  };
  const writing = Promise.all([
    replacing(),
    making,
    ruling,
    commanding("a", (name) => ["user", "add", name]),
    commanding("b", (name) => ["user", "add", name]),
    commanding("c", (name) => ["key", "add", keyed.user.name, "--name", name]),
  ]);
  writing.catch(() => {});
  await Bun.sleep(60 + random() * 200);
  await stage.server.kill();
  isDead = true;
  await writing;
  const startedAtMs = performance.now();
  await stage.restart();
  const { status } = await fetch(`${stage.server.url}/readyz`);
  const readyMs = performance.now() - startedAtMs;

  const users = (await stage.command("user", "list")).map(({ username }) => String(username));
  const keysOf = async ({ user }: typeof maker) =>
    (await stage.command("key", "list", user.name)).filter(({ status }) => status === "works");
  const keys = { maker: await keysOf(maker), keyed: await keysOf(keyed) };
  const kept = [
    ...users,
    ...Object.values(keys).flatMap((all) => all.map(({ name }) => String(name))),
  ].filter((name) => name.startsWith(prefix));
  const lost = done.filter((name) => !kept.includes(name));
  const twice = kept.filter((name, at) => kept.indexOf(name) !== at);
  // The last one may have been stored without an answer.
  const page = await (await browsers.ruler.get("/en/dashboard/settings/privacy")).text();
  const rule = Number(/>\s*rule (\d+)\s*</.exec(page)?.[1] ?? 0);
  if (rules > 0 && ![rules, rules + 1].includes(rule)) lost.push(`rule ${rules}`);
  await browsers.ruler.post("/en/dashboard/settings/privacy", { do: "privacy rules", titles: "" });
  for (const name of users)
    if (name.startsWith(prefix)) await stage.command("user", "remove", name);
  for (const [owner, all] of [
    [maker, keys.maker],
    [keyed, keys.keyed],
  ] as const) {
    for (const { id, name } of all) {
      if (!String(name).startsWith(prefix)) continue;
      await stage.command("key", "revoke", owner.user.name, String(id));
    }
  }
  const [inbox] = await stage.command(
    "connection",
    "list",
    stage.pushed.user.name,
    "--show-secrets",
  );
  if (!String(inbox?.["url"]).endsWith(stage.inbox)) lost.push("a secret that was stored");
  if (lost.length > 0) throw new Error(`of what was done, this is lost: ${lost.join(", ")}`);
  if (twice.length > 0) throw new Error(`this was done twice: ${twice.join(", ")}`);
  if (status !== 200) throw new Error(`/readyz was ${status} after the start`);
  if (readyMs > READY_WITHIN_MS) throw new Error(`ready only after ${readyMs.toFixed(0)} ms`);
  return { done: done.length + rules, cutOff, readyMs };
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
  const sum = (figure: (kill: Killed) => number) =>
    kills.reduce((total, kill) => total + figure(kill), 0);
  console.log(`
| Killed while it wrote | |
|---|---|
| times | ${times} |
| writes of pages and commands that were answered, all kept | ${sum((kill) => kill.done)} |
| commands that were cut off, none done twice | ${sum((kill) => kill.cutOff)} |
| ready again, median | ${median(readyMs).toFixed(0)} ms |
| ready again, the slowest (≤ ${READY_WITHIN_MS} ms) | ${Math.max(...readyMs).toFixed(0)} ms |`);
  return wrongs;
}
