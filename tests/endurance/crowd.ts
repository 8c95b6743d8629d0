import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import type { Stage } from "./stage.ts";

/** Those who ask, change and copy while the overlays show. */
export interface Crowd {
  readonly answers: ReadonlyMap<string, number>;
  /** Of calls of the API with a key that works, in milliseconds. */
  readonly latenciesMs: number[];
  /** What is wrong in itself, one sentence each. */
  readonly wrongs: string[];
  /** How often each kind of thing was done. */
  readonly done: ReadonlyMap<string, number>;
  /** The last title that each event stream of the pushed streamer has told. */
  readonly told: readonly (string | undefined)[];
  /** While accidents happen nobody expects answers. */
  pause(): void;
  goOn(): void;
  stop(): Promise<void>;
}

const CALLS_A_SECOND = 40;
const STREAMS = 10;

export function gather(stage: Stage, random: () => number): Crowd {
  const answers = new Map<string, number>();
  const done = new Map<string, number>();
  const latenciesMs: number[] = [];
  const wrongs: string[] = [];
  const told: (string | undefined)[] = Array.from({ length: STREAMS }, () => undefined);
  const ending = new AbortController();
  let isPaused = false;
  const count = (of: Map<string, number>, name: string) => of.set(name, (of.get(name) ?? 0) + 1);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  };
  /** Does something again and again, and notes what goes wrong. */
  const every = async (ms: number, name: string, act: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      await Bun.sleep(ms);
      if (isPaused || ending.signal.aborted) continue;
      await act().then(
        () => count(done, name),
        (error: unknown) => {
          // An accident may have begun meanwhile.
          if (!isPaused && !ending.signal.aborted) wrongs.push(`${name}: ${String(error)}`);
        },
      );
    }
  };
  const ask = async (path: string, key?: string): Promise<number> => {
    const sentAtMs = performance.now();
    const response = await fetch(stage.server.url + path, {
      ...(key !== undefined && { headers: { "X-Api-Key": key } }),
    });
    await response.text();
    if (key !== undefined && !isPaused) latenciesMs.push(performance.now() - sentAtMs);
    const { status } = response;
    count(
      answers,
      `${path
        .split("/")
        .slice(1, 4)
        .join("/")
        .replace(/mqw_\w+/, "…")} ${status}`,
    );
    if (status >= 500 && status !== 503) throw new Error(`${path} was answered ${status}`);
    return status;
  };
  const command = async (...words: string[]) => {
    const arguments_ = [...words, "--data", stage.data];
    const ran = await runMarquee({ folder: stage.folder, arguments: arguments_ });
    if (ran.code !== 0) throw new Error(`marquee ${words.slice(0, 2).join(" ")}: ${ran.error}`);
    return ran.out;
  };

  let caller = 0;
  const calling = every(1000 / CALLS_A_SECOND, "call of the API", async () => {
    caller += 1;
    const key = stage.keys[caller % stage.keys.length] ?? "";
    const path = caller % 7 === 0 ? "/api/v1/user" : "/api/v1/now-playing";
    const status = await ask(path, key);
    if (![200, 429].includes(status)) throw new Error(`${path} was answered ${status}`);
  });
  const { streamers, crowd } = stage;
  const keyFor = async (user: string, name: string) => {
    const [added] = await stage.command("key", "add", user, "--name", name);
    return { id: String(added?.["id"]), key: String(added?.["api_key"]) };
  };
  const widgets = Promise.all(
    streamers.flatMap(({ user }) =>
      (["text", "card"] as const).map(async (kind) => {
        const words = ["widget", "add", user.name, "--name", kind, "--kind", kind];
        const [added] = await stage.command(...words);
        return new URL(String(added?.["widget_url"])).pathname;
      }),
    ),
  );
  const reading = every(400, "text or card", async () => {
    if ((await ask(pick(await widgets))) !== 200) throw new Error("it was not answered 200");
  });
  const keys = every(9_000, "key replaced", async () => {
    const { user } = pick(crowd);
    const { key, id } = await keyFor(user.name, `rotating ${Date.now()}`);
    if ((await ask("/api/v1/user", key)) !== 200) throw new Error("a new key does not work");
    await command("key", "revoke", user.name, id);
    await Bun.sleep(1_000);
    const status = await ask("/api/v1/user", key);
    if (![401, 429].includes(status)) throw new Error(`a revoked key was answered ${status}`);
  });
  const looks = every(7_000, "widget edited", async () => {
    const { user } = pick(streamers);
    const [first] = await stage.command("widget", "list", user.name);
    const theme = pick(["card", "compact", "bar", "text", "art", "vinyl", "glass"]);
    await command("widget", "set", user.name, String(first?.["id"]), `theme=${theme}`);
  });
  const connections = every(8_000, "connection come and gone", async () => {
    const { user } = pick(crowd);
    await command("connect", user.name, "json", "--name", "Passing");
    const all = await stage.command("connection", "list", user.name);
    const passing = all.find(({ name }) => name === "Passing");
    if (passing) await command("disconnect", user.name, String(passing["id"]));
    // The first real connection has taken the demo's place.
    await command("connect", user.name, "demo");
  });
  const backups = every(15_000, "backup taken and opened", async () => {
    const file = join(stage.folder, `backup-${Date.now()}.db`);
    await command("backup", file);
    using copy = new Database(file, { readonly: true });
    const [row] = copy.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    rmSync(file);
    if (row?.integrity_check !== "ok") throw new Error("a backup is damaged");
  });
  const readers = every(5_000, "database read by another program", async () => {
    using other = new Database(join(stage.data, "marquee.db"), { readonly: true });
    other.run("BEGIN");
    other.query("SELECT count(*) FROM api_keys").get();
    await Bun.sleep(1_000);
    other.run("COMMIT");
  });
  const streams = told.map(async (_, at) => {
    const { key } = await keyFor(stage.pushed.user.name, `stream ${at}`);
    while (!ending.signal.aborted) {
      await follow(stage, key, ending.signal, (title) => {
        told[at] = title;
        count(done, "event received");
      }).catch(() => {});
      await Bun.sleep(500);
    }
  });
  const all = [calling, reading, keys, looks, connections, backups, readers, ...streams];
  return {
    ...{ answers, latenciesMs, wrongs, done, told },
    pause() {
      isPaused = true;
    },
    goOn() {
      isPaused = false;
    },
    async stop() {
      ending.abort();
      await Promise.all(all);
    },
  };
}

/** Follows the events of a key until they end. */
async function follow(
  { server }: Stage,
  key: string,
  signal: AbortSignal,
  play: (title: string | undefined) => void,
): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/now-playing/events`, {
    headers: { "X-Api-Key": key },
    signal,
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data) play(JSON.parse(data).data?.track.name);
    }
  }
}
