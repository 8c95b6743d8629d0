import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  CONTROL_PATH,
  LONGEST_REQUEST,
  PROTOCOL,
  SIGN_EVERY_MS,
} from "../../src/control/protocol.ts";
import {
  type Control,
  type ControlDeps,
  listenForCommands,
  MOST_COMMANDS,
} from "../../src/control/server.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";

let clock: FakeClock;
let control: Control;
/** The commands that were carried out, and of which nobody waits for the answer any more. */
let carriedOut: string[];
let left: string[];
/** Ends the commands named `wait`. */
let finish: () => void;

const carryOut: ControlDeps["carryOut"] = async ({ command }, lines, signal) => {
  carriedOut.push(command);
  signal.addEventListener("abort", () => left.push(command));
  lines.out(`out of ${command}`);
  lines.error(`error of ${command}`);
  if (command === "long") for (let line = 0; line < 40; line++) lines.out("x".repeat(100_000));
  if (command !== "wait") return 3;
  const { promise, resolve } = Promise.withResolvers<void>();
  finished.push(resolve);
  signal.addEventListener("abort", () => resolve());
  await promise;
  return 0;
};
let finished: (() => void)[];

beforeEach(() => {
  [carriedOut, left, finished] = [[], [], []];
  finish = () => finished.forEach((resolve) => resolve());
  clock = createFakeClock();
  control = listenForCommands({ carryOut, version: "9.8.7", clock });
});
afterEach(() => control.stop());

const bodyOf = (command: string, changes: object = {}) =>
  JSON.stringify({ protocol: PROTOCOL, command, texts: {}, asJson: false, ...changes });

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

function send({ path = CONTROL_PATH, method = "POST", headers = {}, ...more }: Sent = {}) {
  const body = "body" in more ? more.body : bodyOf("key list");
  return fetch(`http://127.0.0.1:${control.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${control.token}`, ...headers },
    ...(method === "POST" && body !== undefined && { body }),
    ...(more.signal && { signal: more.signal }),
  });
}

/** Begins a command that waits, and returns what makes its client leave. */
async function begin(): Promise<() => void> {
  const leaving = new AbortController();
  const { status } = await send({ body: bodyOf("wait"), signal: leaving.signal });
  expect(status).toBe(200);
  return () => leaving.abort();
}

/** A client that writes to the listener what it likes, and reads nothing. */
async function connectRaw(text: string) {
  let isClosed = false;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: control.port,
    socket: { data() {}, error() {}, close: () => void (isClosed = true) },
  });
  socket.pause();
  socket.write(text);
  return { isClosed: () => isClosed, leave: () => socket.terminate() };
}

const rawCommand = (command: string) => {
  const body = bodyOf(command);
  return `POST ${CONTROL_PATH} HTTP/1.1\r\nHost: 127.0.0.1:${control.port}\r\nAuthorization: Bearer ${control.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

describe("the listener for commands", () => {
  test("carries a command out, and answers with its lines and its exit code", async () => {
    const response = await send();
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { out: "out of key list" },
      { error: "error of key list" },
      { exit: 3 },
    ]);
  });

  test("listens on this machine only, with 256 random bits that are others at each start", async () => {
    const other = listenForCommands({ carryOut, version: "9.8.7", clock });
    expect(control.token).toMatch(/^[\da-f]{64}$/);
    expect(other.token).not.toBe(control.token);
    await other.stop();
    const outside = Object.values(process.getBuiltinModule("node:os").networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === "IPv4");
    if (!outside) return;
    const url = `http://${outside.address}:${control.port}${CONTROL_PATH}`;
    await expect(fetch(url, { method: "POST" })).rejects.toThrow();
  });

  test.each([
    ["without a token", () => ({ Authorization: "" })],
    ["with another token", () => ({ Authorization: `Bearer ${"0".repeat(64)}` })],
    ["with a part of the token", () => ({ Authorization: `Bearer ${control.token.slice(1)}` })],
    ["with the token in another scheme", () => ({ Authorization: `Basic ${control.token}` })],
    ["with a foreign Host", () => ({ Host: "evil.test" })],
    ["with the Host of another port", () => ({ Host: "127.0.0.1:1" })],
    ["with this machine's name as Host", () => ({ Host: `localhost:${control.port}` })],
    ["with an Origin", () => ({ Origin: "http://evil.test" })],
    ["with its own Origin", () => ({ Origin: `http://127.0.0.1:${control.port}` })],
    ["with an Origin that is hidden", () => ({ Origin: "null" })],
  ] as const)("answers 401 %s, and carries nothing out", async (_, headersOf) => {
    const response = await send({ headers: headersOf() });
    expect(response.status).toBe(401);
    expect(await response.text()).toBe("Not allowed\n");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(carriedOut).toEqual([]);
  });

  test.each([
    ["another path", { path: "/" }],
    ["a path that ends as the right one", { path: "/x/command" }],
    ["a query that ends as the right path", { path: "/?/command" }],
    ["GET", { method: "GET" }],
    ["PUT", { method: "PUT" }],
    ["OPTIONS", { method: "OPTIONS" }],
  ] as const)("answers 404 to %s", async (_, sent) => {
    expect((await send(sent)).status).toBe(404);
    expect(carriedOut).toEqual([]);
  });

  test.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["no number of the protocol", bodyOf("key list", { protocol: "1" })],
    ["no words", bodyOf("key list", { command: 7 })],
    ["texts that are a list", bodyOf("key list", { texts: ["ada"] })],
    ["a text that is a number", bodyOf("key list", { texts: { user: 7 } })],
    ["no form of the output", bodyOf("key list", { asJson: undefined })],
  ])("answers 400 to %s", async (_, body) => {
    const response = await send({ body: body as string });
    expect(response.status).toBe(400);
    expect(carriedOut).toEqual([]);
  });

  test("answers 413 to more than 64 KiB, whether its length was said or not", async () => {
    const long = bodyOf("x".repeat(LONGEST_REQUEST));
    expect((await send({ body: long })).status).toBe(413);
    const stream = new Response(long).body ?? undefined;
    expect(await send({ ...(stream && { body: stream }) })).toMatchObject({ status: 413 });
    expect(carriedOut).toEqual([]);
    const longest = bodyOf("x".repeat(LONGEST_REQUEST - bodyOf("").length));
    expect((await send({ body: longest })).status).toBe(200);
  });

  test("says what to do to a program of another protocol, whatever that sends besides", async () => {
    for (const body of [
      bodyOf("key list", { protocol: PROTOCOL - 1 }),
      JSON.stringify({ protocol: PROTOCOL + 1, command: "key list", words: ["ada"] }),
    ]) {
      const response = await send({ body });
      expect(response.status).toBe(409);
      const text = await response.text();
      expect(text).toContain("Marquee 9.8.7");
      expect(text).toContain('stop the server with "marquee stop"');
    }
    expect(carriedOut).toEqual([]);
  });

  test("is stopped by a program of any protocol", async () => {
    for (const protocol of [0, PROTOCOL, PROTOCOL + 7]) {
      const body = JSON.stringify({ protocol, command: "stop", more: true });
      expect((await send({ body })).status).toBe(200);
    }
    expect(carriedOut).toEqual(["stop", "stop", "stop"]);
  });

  test("gives the longest of commands a sign of life at once, and every five seconds", async () => {
    const response = await send({ body: bodyOf("wait") });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    const read = async (what: RegExp) => {
      while (!what.test(text)) text += decoder.decode((await reader?.read())?.value);
    };
    await inTime("the first sign", read(/^\{"out".*\n\{"error".*\n\n$/));
    await clock.advance(SIGN_EVERY_MS);
    await inTime("the second sign", read(/\n\n\n$/));
    finish();
    await inTime("the end", read(/\n\{"exit":0\}\n$/));
  });
});

describe("commands at once", () => {
  test("are twenty, and the next is refused with words until one of them is done", async () => {
    const clients = await Promise.all(Array.from({ length: MOST_COMMANDS }, begin));
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("busy with other commands. Try again in a moment.");
    expect(carriedOut).toHaveLength(MOST_COMMANDS);
    finished[0]?.();
    await until(async () => (await send()).status === 200 || undefined);
    for (const leave of clients) leave();
  });

  test("give their places back when their clients leave", async () => {
    const clients = await Promise.all(Array.from({ length: MOST_COMMANDS }, begin));
    for (const leave of clients) leave();
    await until(() => left.length === MOST_COMMANDS || undefined);
    await until(async () => (await send()).status === 200 || undefined);
  });

  test("give their places back when they are done, though their clients never read", async () => {
    const clients = await Promise.all(
      Array.from({ length: MOST_COMMANDS }, () => connectRaw(rawCommand("long"))),
    );
    await until(() => carriedOut.length === MOST_COMMANDS || undefined);
    expect((await send()).status).toBe(200);
    for (const { leave } of clients) leave();
  });

  test("leave places to others while clients send slowly", async () => {
    const beginning = rawCommand("key list").slice(0, -1);
    const clients = await Promise.all(
      Array.from({ length: 3 * MOST_COMMANDS }, () => connectRaw(beginning)),
    );
    expect((await send()).status).toBe(200);
    expect(carriedOut).toEqual(["key list"]);
    for (const { leave } of clients) leave();
  });

  test("are taken while hundreds of connections send nothing", async () => {
    const clients = await Promise.all(Array.from({ length: 300 }, () => connectRaw("")));
    expect((await send()).status).toBe(200);
    for (const { leave } of clients) leave();
  });

  test("are cut off when the server ends, and nobody listens any more", async () => {
    const response = await send({ body: bodyOf("wait") });
    await control.stop();
    await until(() => left.length === 1 || undefined);
    expect(await response.text().catch(() => "cut off")).not.toContain("exit");
    await expect(send()).rejects.toThrow();
  });
});
