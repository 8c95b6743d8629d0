import { afterEach, describe, expect, test } from "bun:test";
import { checkHealth } from "../../src/cli/healthcheck.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { exitOf } from "../fixtures/clock/waiting.ts";
import { CommandError } from "../../src/control/execution.ts";

const { marquee } = useCommandLine();

let stop = () => {};
afterEach(() => stop());

/** A server on any free port that answers as told; answers what it was asked. */
function serverThat(answer: (path: string) => Response, hostname = "127.0.0.1") {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(`${request.headers.get("host")}${pathname}`);
      return answer(pathname);
    },
  });
  stop = () => void server.stop(true);
  return { port: server.port ?? 0, asked };
}

describe("marquee healthcheck", () => {
  test("exits 0 and says nothing when the server lives", async () => {
    const { port, asked } = serverThat(() => new Response("ok"));
    const ran = await marquee("healthcheck", "--port", String(port));
    expect(ran).toMatchObject({ code: 0, out: "", errors: "" });
    expect(asked).toEqual([`127.0.0.1:${port}/livez`]);
  });

  test("asks this machine when the server listens on every network", async () => {
    const { port, asked } = serverThat(() => new Response("ok"));
    await checkHealth({ host: "0.0.0.0", port });
    expect(asked).toEqual([`127.0.0.1:${port}/livez`]);
  });

  test("asks no proxy", async () => {
    const { port } = serverThat(() => new Response("ok"));
    const child = Bun.spawn(
      [process.execPath, "src/main.ts", "healthcheck", "--port", String(port)],
      {
        env: { ...process.env, HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" },
      },
    );
    expect(await exitOf(child)).toBe(0);
  });

  test("exits 1 when the server answers anything else", async () => {
    const { port } = serverThat(() => new Response("no", { status: 500 }));
    const ran = await marquee("healthcheck", "--port", String(port));
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("500");
  });

  test("exits 1 when nobody answers", async () => {
    const { port } = serverThat(() => new Response("ok"));
    stop();
    const ran = await marquee("healthcheck", "--port", String(port));
    expect(ran.code).toBe(1);
    expect(ran.errors).toStartWith("marquee: No answer from 127.0.0.1");
  });

  test("gives up on a server that hangs up", async () => {
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end(), data: () => {} },
    });
    stop = () => listener.stop(true);
    await expect(checkHealth({ host: "127.0.0.1", port: listener.port })).rejects.toThrow(
      CommandError,
    );
  });

  test("is not listed among the commands for people", async () => {
    expect((await marquee("--help")).out).not.toContain("healthcheck");
  });
});
