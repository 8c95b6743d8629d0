import { median, quantile } from "../bench/measure.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import type { Stage } from "./stage.ts";

/** Fewer than the server carries out at once. */
const AT_ONCE = 8;

/**
 * Runs so many commands, each a program of its own, while callers ask. Returns what is wrong: those that
 * failed, and what was lost or done twice.
 */
export async function runManyCommands(stage: Stage, times: number): Promise<string[]> {
  const wrongs: string[] = [];
  const names = Array.from({ length: times }, (_, at) => `c${at}`);
  const keyed = names.filter((_, at) => at % 2 === 0);
  const ownerOf = (at: number) => stage.crowd[at % stage.crowd.length]?.user.name ?? "";
  const wordsOf = (name: string, at: number) =>
    at % 2 === 0 ? ["key", "add", ownerOf(at / 2), "--name", name] : ["user", "add", name];
  const tookMs: number[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < names.length; at = next++) {
      const words = wordsOf(names[at] ?? "", at);
      const startedAtMs = performance.now();
      const ran = await runMarquee({
        folder: stage.folder,
        arguments: [...words, "--data", stage.data],
      });
      tookMs.push(performance.now() - startedAtMs);
      if (ran.code !== 0) wrongs.push(`marquee ${words.join(" ")}: ${ran.error}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const users = (await stage.command("user", "list")).map(({ username }) => String(username));
  const keys = await Promise.all(
    stage.crowd.map(async ({ user }) => await stage.command("key", "list", user.name)),
  );
  const made = [...users, ...keys.flat().map(({ name }) => String(name))];
  for (const name of names) {
    const count = made.filter((one) => one === name).length;
    if (count !== 1) wrongs.push(`${name} was made ${count} times`);
  }
  console.log(`
| Commands beside load | |
|---|---|
| commands, ${AT_ONCE} at once | ${times}: ${keyed.length} keys, ${times - keyed.length} users |
| lost, done twice or failed | ${wrongs.length} |
| a command, median | ${median(tookMs).toFixed(0)} ms |
| a command, p99 | ${quantile(tookMs, 0.99).toFixed(0)} ms |`);
  return wrongs;
}
