import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { tryAll } from "../../packaging/try-out.ts";
import { hostTarget, releaseName, type Target, TARGETS } from "../../packaging/targets.ts";
import { signMacho } from "../../packaging/macos/macho.ts";
import { machoProgram } from "../fixtures/packaging/macho.ts";
import { buildExecutable, BUILD_WITHIN_MS } from "../fixtures/servers/executable.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

function targetNamed(suffix: string): Target {
  const target = TARGETS.find((one) => one.suffix === suffix);
  if (!target) throw new Error(`${suffix} is not released.`);
  return target;
}

const host = await hostTarget();
if (!host) throw new Error("This platform is none that Marquee is released for.");

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** Tries one executable out; answers the exit code and the table's only line. */
async function tried(target: Target, path: string, stepWithinMs?: number) {
  let table = "";
  const code = await tryAll([{ target, path }], (text) => void (table += text), stepWithinMs);
  return { code, line: table.trimEnd() };
}

describe("trying a released executable out: a first start, the API, user add, the overlay, a stop", () => {
  test(
    "works for this machine's",
    async () => {
      const path = join(folder.path, releaseName(packageJson.version, host));
      copyFileSync((await buildExecutable()).path, path);
      const { code, line } = await tried(host, path);
      expect(line).toMatch(/^marquee-\S+ +works +\S/);
      expect(line).toMatch(/stopped by SIG(TERM|INT), [\d.]+ s$/);
      expect(code).toBe(0);
    },
    BUILD_WITHIN_MS,
  );

  test.skipIf(process.platform === "darwin")(
    "is left out for a Mac, whose signature is checked anyway",
    async () => {
      const path = join(folder.path, "marquee-1.2.3-macos-arm64");
      const signed = signMacho(machoProgram({ processor: "arm64", code: new Uint8Array(9_000) }));
      await Bun.write(path, signed);
      expect(await tried(targetNamed("macos-arm64"), path)).toEqual({
        code: 0,
        line: "marquee-1.2.3-macos-arm64  not tried  signature valid, needs a Mac",
      });
      signed[5_000] = 1;
      await Bun.write(path, signed);
      expect(await tried(targetNamed("macos-arm64"), path)).toEqual({
        code: 1,
        line: "marquee-1.2.3-macos-arm64  fails      signature: the hashes of 1 of its 3 pages are wrong",
      });
    },
  );
});

describe("an executable fails its try", () => {
  /** A program of a few lines of shell in the executable's place. */
  async function program(script: string): Promise<string> {
    const path = join(folder.path, "marquee");
    await Bun.write(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  const expectFailure = async (script: string, reason: string, stepWithinMs?: number) => {
    const { code, line } = await tried(host, await program(script), stepWithinMs);
    expect(line).toBe(`marquee  fails      directly: ${reason}`);
    expect(code).toBe(1);
  };

  test.each([
    ["ends before it is ready", "echo no room >&2; exit 3", "ended without a word: no room"],
    ["says nothing a program could read", "echo hello", "printed no JSON: hello"],
  ])("that %s", (_, script, reason) => expectFailure(script, `the first start ${reason}`));

  test("that never gets ready", async () => {
    await expectFailure("exec sleep 600", "the first start took longer than 0.05 s", 50);
  });

  describe("that gets ready, but", () => {
    let asked: string[];
    let server: ReturnType<typeof Bun.serve>;
    let hasPage: boolean;
    beforeEach(() => {
      asked = [];
      hasPage = true;
      server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch(request) {
          const { pathname } = new URL(request.url);
          asked.push(pathname);
          if (pathname.startsWith("/api/")) return Response.json({ id: "demo:x" });
          return new Response(hasPage ? '<html data-np-state="playing">' : "<html>");
        },
      });
    });
    afterEach(() => server.stop(true));

    /** A program whose answers are the test's own server's. */
    const script = (parts: { adds?: string; stops?: string } = {}) => {
      const url = `http://127.0.0.1:${server.port}`;
      const ready = JSON.stringify({ url, api_key: "k", widget_url: `${url}/en/widget/mqw_x` });
      const adds = parts.adds ?? `echo '{"api_key":"k"}'`;
      return [
        `if [ "$1" = user ]; then ${adds}; exit; fi`,
        `trap '${parts.stops ?? "exit 0"}' TERM`,
        `echo '${ready}'`,
        "while :; do sleep 0.02; done",
      ].join("\n");
    };

    test("whose overlay shows nothing", async () => {
      hasPage = false;
      await expectFailure(script(), "the overlay's page shows no track");
      expect(asked).toEqual(["/api/v1/now-playing", "/api/v1/now-playing", "/en/widget/mqw_x"]);
    });

    test("that does not answer", async () => {
      const text = script();
      await server.stop(true);
      await expectFailure(text, "/api/v1/now-playing gave no answer");
    });

    test.each([
      [
        "whose user add fails",
        { adds: "echo taken >&2; exit 1" },
        "user add ended without a word: taken",
      ],
      [
        "that stops with another code than 0",
        { stops: "echo broken >&2; exit 7" },
        "the stop ended with 7: broken",
      ],
      [
        "that leaves the database's log behind",
        { stops: "mkdir data; touch data/marquee.db-wal; exit 0" },
        "the stop left the database's log behind",
      ],
    ])("%s", (_, parts, reason) => expectFailure(script(parts), reason));
  });
});
