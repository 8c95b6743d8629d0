import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Texts } from "../../src/actions/action.ts";
import { askServer, ServerGoneError } from "../../src/control/client.ts";
import { LONGEST_REQUEST } from "../../src/control/protocol.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { CommandError } from "../../src/control/execution.ts";

let clock: FakeClock;
let ends: (() => unknown)[];
let written: string[];
/** What stand-ins have received. */
let received: string;

beforeEach(() => {
  clock = createFakeClock();
  [ends, written, received] = [[], [], ""];
});
afterEach(() => {
  for (const end of ends) end();
});

const TOKEN = "0f".repeat(32);
const lines = {
  out: (line: string) => void written.push(`out: ${line}`),
  error: (line: string) => void written.push(`error: ${line}`),
};
const ask = (port: number, texts: Texts = { user: "ada" }) =>
  askServer(
    { pid: 7, control: { port, token: TOKEN } },
    { command: "key list", texts, asJson: false },
    lines,
    clock,
  );

/** What asking throws. */
const refusalOf = (port: number) =>
  ask(port).then(
    (code) => {
      throw new Error(`it was done with ${code}`);
    },
    (error: Error) => error,
  );

/** A stand-in that answers each connection with these parts, then closes it or is silent. */
function answering(parts: readonly string[], after: "close" | "cut" | "silence" = "close"): number {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        received += bytes.toString();
        if (!received.endsWith("}")) return;
        for (const part of parts) socket.write(part);
        if (after === "close") socket.end();
        if (after === "cut") socket.terminate();
      },
    },
  });
  ends.push(() => listener.stop(true));
  return listener.port;
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n";
const status = (code: number, body = "") =>
  `HTTP/1.1 ${code} Said\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("a command that asks the running server", () => {
  test("writes its lines as they come, wherever they are cut, and ends with its exit code", async () => {
    const text = `\n{"out":"é"}\n{"error":"b"}\n{"new":1}\nno line\n{"out":""}\n{"exit":3}\n`;
    const listener = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              for (const byte of Buffer.from(text)) {
                controller.enqueue(Uint8Array.of(byte));
                await Promise.resolve();
              }
              controller.close();
            },
          }),
        ),
    });
    ends.push(() => listener.stop(true));
    expect(await ask(listener.port ?? 0)).toBe(3);
    expect(written).toEqual(["out: é", "error: b", "out: "]);
  });

  test("sends the texts that were entered", async () => {
    const port = answering([HEAD, '{"exit":0}\n']);
    expect(await ask(port, { user: "ada", ids: ["2", "1"] })).toBe(0);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    expect(head).toContain(`Bearer ${TOKEN}`);
    expect(head).toContain(`127.0.0.1:${port}`);
    expect(JSON.parse(body)).toMatchObject({ texts: { user: "ada", ids: ["2", "1"] } });
  });

  test.each(["close", "cut"] as const)(
    "is told that the server has stopped in the middle, where its answer ends with a %s",
    async (how) => {
      for (const parts of [[], [HEAD], [HEAD, '{"out":"a"}\n{"ex']]) {
        received = "";
        const error = await refusalOf(answering(parts, how));
        expect(error).toBeInstanceOf(ServerGoneError);
        expect(error).toMatchObject({ hasTaken: true });
        expect(error.message).toContain("look whether the command has taken effect");
      }
    },
  );

  test.each([
    ["from the beginning", []],
    ["in the middle", [HEAD, '{"out":"a"}\n']],
  ])("gives up on a server that is silent for half a minute %s", async (_, parts) => {
    const refusal = refusalOf(answering(parts, "silence"));
    await until(() => received.endsWith("}") || undefined);
    if (parts.length > 0) await until(() => written.length > 0 || undefined);
    await clock.advance(29_000);
    expect(clock.waiting()).toBe(1);
    await clock.advance(1_000);
    expect((await refusal).message).toContain(
      "has not answered for 30 seconds. End its process (pid 7)",
    );
    expect(clock.waiting()).toBe(0);
  });

  test("waits for a server that gives signs of life", async () => {
    const taken = Promise.withResolvers<Bun.Socket>();
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => taken.resolve(socket),
      },
    });
    ends.push(() => listener.stop(true));
    const code = ask(listener.port);
    const socket = await taken.promise;
    socket.write(HEAD);
    for (let time = 0; time < 5; time++) {
      socket.write(`{"out":"${time}"}\n`);
      await until(() => written.length > time || undefined);
      await clock.advance(25_000);
    }
    socket.write('{"exit":0}\n');
    expect(await code).toBe(0);
  });

  test("knows that nobody has taken it where nobody listens, or another program", async () => {
    for (const port of [freePort(), answering([status(401)])]) {
      const error = await refusalOf(port);
      expect(error).toBeInstanceOf(ServerGoneError);
      expect(error).toMatchObject({ hasTaken: false });
      expect(error.message).toContain("Try again");
    }
  });

  test.each([
    [409, "The running server is another.", "The running server is another."],
    [503, "It is busy. Try again.\n", /^It is busy. Try again.$/],
    [404, "Not found", 'stop it with "marquee stop"'],
    [400, "This is no command", 'stop it with "marquee stop"'],
    [500, "", 'stop it with "marquee stop"'],
  ])("says what to do where the server answers %d", async (code, body, said) => {
    const error = await refusalOf(answering([status(code, body)]));
    expect(error).toBeInstanceOf(CommandError);
    expect(error.message).toMatch(said);
  });

  test("follows no redirect with its token", async () => {
    let asked = 0;
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(`${++asked}`),
    });
    ends.push(() => other.stop(true));
    const to = `HTTP/1.1 307 Said\r\nLocation: http://127.0.0.1:${other.port}/\r\nContent-Length: 0\r\n\r\n`;
    expect(await refusalOf(answering([to]))).toBeInstanceOf(CommandError);
    expect(asked).toBe(0);
  });

  test("is not sent where it is longer than the server takes", async () => {
    const port = answering([HEAD, '{"exit":0}\n']);
    await expect(ask(port, { user: "ü".repeat(LONGEST_REQUEST / 2) })).rejects.toThrow(
      "Give less at once",
    );
    expect(received).toBe("");
  });

  test("passes on what goes wrong where its lines are written", async () => {
    const port = answering([HEAD, '{"out":"a"}\n{"exit":0}\n']);
    const full = () => {
      throw new Error("the output is full");
    };
    const asked = askServer(
      { pid: 7, control: { port, token: TOKEN } },
      { command: "key add", texts: {}, asJson: false },
      { ...lines, out: full },
      clock,
    );
    await expect(asked).rejects.toThrow("the output is full");
    expect(clock.waiting()).toBe(0);
  });

  test("names no token in what it throws", async () => {
    const { inspect } = process.getBuiltinModule("node:util");
    for (const port of [freePort(), answering([], "cut"), answering([status(500)])]) {
      received = "";
      const error = await refusalOf(port);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(TOKEN);
    }
  });
});
