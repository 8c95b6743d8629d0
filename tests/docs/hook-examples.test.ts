import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { signatureOf } from "../../src/hooks/message.ts";
import { HOOK_EVENTS } from "../../src/hooks/store.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { linesOf } from "../fixtures/servers/lines-of.ts";
import { exitOf, freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { examplesIn } from "../fixtures/docs/docs-pages.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { assembleTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/** What every example says of the tests' track. */
const SONG = "Juniper Vale – Paper Lanterns";
/** What is told of a song that is played, paused and stopped. */
const TYPES = ["song.started", "playback.paused", "song.ended", "playback.stopped"] as const;

interface Told {
  readonly headers: Headers;
  readonly text: string;
  // Programs look into it as deep as they like.
  readonly body: Readonly<Record<string, any>>;
}

/** Calls back with each request that it is sent, and answers as Streamer.bot does. */
function startListener(onTold: (path: string, told: Told) => void) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const text = await request.text();
      const { headers } = request;
      onTold(new URL(request.url).pathname, { headers, text, body: JSON.parse(text) });
      return new Response(null, { status: 204 });
    },
  });
}

let server: TestServer;
let ada: AddedUser;
/** Requests of hooks that nobody has answered yet. */
let underWay = 0;
beforeAll(async () => {
  server = await assembleTestServer(createFakeClock(Date.now()), {
    settings: { playerHosts: "127.0.0.1" },
    async fetch(url, init) {
      underWay += 1;
      try {
        return await fetch(url, init);
      } finally {
        underWay -= 1;
      }
    },
  });
  ada = await server.addUser("ada");
});
afterAll(() => server.close());

/** The example of a kind that has this in it, copied from this server's documentation. */
async function example(kind: string, part: string): Promise<string> {
  const examples = await examplesIn(await server.get("/en/docs/api"));
  const found = examples.filter(({ language, text }) => language === kind && text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? "";
}

/** The source says so, once the hook can be told: what is new takes the place of what waits. */
const says = async (state: "playing" | "paused" | null) => {
  await until(() => underWay === 0 || undefined);
  await settle();
  const observedAtMs = server.clock.monotonicMs();
  await server.sourceOf(ada).says(state && aPlayback({ state, observedAtMs }));
};
const play = async () => {
  await says("playing");
  await server.clock.advance(4_000);
};
/** At most one event a second is sent, and a pause counts after a second. */
const aSecond = async () => {
  await until(() => underWay === 0 || undefined);
  await settle();
  await server.clock.advance(1_000);
};
const pause = async () => {
  await says("paused");
  await aSecond();
  await aSecond();
};
const stop = () => says(null);

/** Tells an address of a song from its beginning to its end. */
async function tell(url: string, action: string | null, countTold: () => number): Promise<void> {
  const { hooks } = server.accounts;
  const { id } = await hooks.add(ada.user, { url, events: HOOK_EVENTS, action });
  await settle();
  const are = (count: number) => until(() => countTold() === count || undefined);
  await play();
  await are(1);
  await pause();
  await are(2);
  await stop();
  await are(3);
  await aSecond();
  await are(TYPES.length);
  await hooks.remove(ada.user, id);
  await settle();
}

/** All that a hook is told of a song. */
async function toldTo(path: string, action: string | null): Promise<readonly Told[]> {
  const told: Told[] = [];
  const listener = startListener((at, one) => {
    expect(at).toBe(path);
    told.push(one);
  });
  try {
    await tell(`http://127.0.0.1:${listener.port}${path}`, action, () => told.length);
  } finally {
    await listener.stop(true);
  }
  return told;
}

/** The value at a path such as `trigger.json.type`. @throws where there is none */
function valueAt(path: string, root: unknown): unknown {
  let value = root;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !(name in value)) {
      throw new Error(`nothing is at ${path}`);
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

describe("the example of a hook", () => {
  test("has an action for Streamer.bot", async () => {
    const command = await example("sh", "'New song' --events song.started");
    const [, name] = /--action '([^']+)'/.exec(command) ?? [];
    const message = await example("text", "%title%");
    const { pathname } = new URL(/http:\S+/.exec(command)?.[0] ?? "");
    const told = await toldTo(pathname, name ?? "");
    expect(told.map(({ body }) => [body["action"]["name"], body["args"]["event"]])).toEqual(
      TYPES.map((type) => ["New song", type]),
    );
    const args: unknown = told[0]?.body["args"];
    // Streamer.bot leaves a name without an argument as it is.
    const said = message.replace(/%(\w+)%/g, (_, argument) => String(valueAt(argument, args)));
    expect(said.trim()).toBe("Now playing: Paper Lanterns by Juniper Vale");
  });

  test("has an automation for Home Assistant", async () => {
    const automation = Bun.YAML.parse(await example("yaml", "trigger: webhook")) as any;
    const command = await example("sh", "/api/webhook/");
    const path = `/api/webhook/${automation.triggers[0].webhook_id}`;
    expect(new URL(/http:\S+/.exec(command)?.[0] ?? "").pathname).toBe(path);
    expect(automation.triggers[0].allowed_methods).toEqual(["POST"]);
    const told = await toldTo(path, null);
    // Without it, Home Assistant does not read the JSON.
    for (const { headers } of told) expect(headers.get("content-type")).toContain("json");
    const evaluate = (template: string, json: unknown) => {
      const [, name = "", , wanted] = /^\{\{ ([\w.]+)( == '([^']*)')? \}\}$/.exec(template) ?? [];
      const value = valueAt(name, { trigger: { json } });
      return wanted === undefined ? value : value === wanted;
    };
    const [condition] = automation.conditions;
    expect(told.map(({ body }) => evaluate(condition.value_template, body))).toEqual([
      ...[true, false, false, false],
    ]);
    const [{ data }] = automation.actions;
    expect(evaluate(data.title, told[0]?.body)).toBe("Paper Lanterns");
    expect(evaluate(data.message, told[0]?.body)).toBe("Juniper Vale");
  });

  test("has a flow for Node-RED", async () => {
    const flow = JSON.parse(await example("json", '"http in"')) as any[];
    const command = await example("sh", ":1880/");
    const nodeOf = (id: string) => {
      const node = flow.find((one) => one.id === id);
      if (!node) throw new Error(`the flow has no node ${id}`);
      return node;
    };
    const [tab, entry] = flow;
    for (const node of flow.slice(1)) expect(node.z).toBe(tab.id);
    expect(new URL(/http:\S+/.exec(command)?.[0] ?? "").pathname).toBe(entry.url);
    expect(entry).toMatchObject({ type: "http in", method: "post" });
    /** What arrives at the nodes of a type. */
    const run = (id: string, msg: { payload: unknown }, type: string): unknown[] => {
      const node = nodeOf(id);
      const out = node.type === "function" ? new Function("msg", node.func)(msg) : msg;
      if (node.type === type) return [out];
      if (out === null) return [];
      const next: string[] = (node.wires as string[][]).flat();
      return next.flatMap((one) => run(one, structuredClone(out), type));
    };
    const told = await toldTo(entry.url, null);
    const shown = told.map(({ body }) => run(entry.id, { payload: body }, "debug"));
    expect(shown).toEqual([[{ payload: SONG }], [], [], []]);
    const answers = told.flatMap(({ body }) => run(entry.id, { payload: body }, "http response"));
    expect(answers).toHaveLength(TYPES.length);
    const [response] = flow.filter(({ type }) => type === "http response");
    expect(response.statusCode).toBe("204");
  });
});

describe("the program that checks signatures", () => {
  const folder = createTempFolder();
  afterAll(() => folder.remove());

  /** Runs the example while a hook tells it of a song, and sends it what is not genuine. */
  async function checks(program: string): Promise<void> {
    const port = freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { hooks } = server.accounts;
    const { id, secret } = await hooks.add(ada.user, { url, events: HOOK_EVENTS, action: null });
    await settle();
    const source = await example("js", "timingSafeEqual");
    const path = join(folder.path, `hook-${port}.mjs`);
    await Bun.write(path, source.replace("whsec_…", secret).replace("8080", String(port)));
    const child = Bun.spawn([program, path], { stdout: "pipe", stderr: "inherit" });
    try {
      const unsigned = await until(() => fetch(url, { method: "POST" }).catch(() => undefined));
      expect(unsigned.status).toBe(401);
      const lines = linesOf(child.stdout);
      const says = async () => (await inTime("a line", lines.next())).value;
      await play();
      expect(await says()).toBe(`song.started: ${SONG}`);
      await pause();
      expect(await says()).toBe(`playback.paused: ${SONG}`);
      await stop();
      expect(await says()).toBe(`song.ended: ${SONG}`);
      await aSecond();
      expect(await says()).toBe("playback.stopped");
      for (const [name, forged] of forgeries(secret)) {
        const { status } = await fetch(url, { method: "POST", ...forged });
        expect([name, status]).toEqual([name, name === "genuine" ? 204 : 401]);
      }
    } finally {
      await hooks.remove(ada.user, id);
      await settle();
      child.kill();
      await exitOf(child);
    }
  }

  test("runs in Bun", () => checks(process.execPath), 20_000);
  const node = Bun.which("node");
  testWith("Node.js", node !== null)("runs in Node.js", () => checks(node ?? ""), 20_000);
});

/** A request as Marquee sends it, and what others may make of it. */
function forgeries(secret: string): readonly (readonly [string, RequestInit])[] {
  const body = JSON.stringify({ type: "playback.stopped", data: null });
  const now = Math.floor(Date.now() / 1_000);
  const signed = (by: string, timestamp: number, changes: object = {}) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(by, `msg_1.${timestamp}.${body}`),
    ...changes,
  });
  const another = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const genuine = signed(secret, now);
  const beside = `v1,AAAA ${genuine["webhook-signature"]}`;
  return [
    ["genuine", { headers: genuine, body }],
    ["genuine", { headers: signed(secret, now, { "webhook-signature": beside }), body }],
    ["another body", { headers: genuine, body: `${body} ` }],
    ["another secret", { headers: signed(another, now), body }],
    ["another time", { headers: signed(secret, now, { "webhook-timestamp": `${now + 1}` }), body }],
    ["an old one", { headers: signed(secret, now - 600), body }],
    ["no signature", { headers: signed(secret, now, { "webhook-signature": "" }), body }],
  ];
}
