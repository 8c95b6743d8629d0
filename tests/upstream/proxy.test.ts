import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { inTime } from "../fixtures/clock/waiting.ts";

let player: Bun.Server<undefined>;
let proxy: Bun.Server<undefined>;
beforeEach(() => {
  const answering = (text: string) =>
    Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(text) });
  player = answering("the player");
  proxy = answering("the proxy");
});
afterEach(async () => {
  await player.stop(true);
  await proxy.stop(true);
});

test.each([{}, { no_proxy: "a.test" }, { NO_PROXY: "a.test" }])(
  "a proxy of the environment gets what is for public addresses, and nothing for this network's (%j)",
  async (more) => {
    const at = `http://127.0.0.1:${proxy.port}`;
    const program = join(import.meta.dir, "../fixtures/http/fetch-as-server.ts");
    const own = `http://127.0.0.1:${player.port}/`;
    const addresses = ["http://192.0.46.8/", own, "http://192.0.46.8/", own];
    const child = Bun.spawn([process.execPath, program, ...addresses], {
      env: { PATH: process.env["PATH"], HTTP_PROXY: at, http_proxy: at, ...more },
      stdout: "pipe",
    });
    const out = await inTime("the answers", new Response(child.stdout).text());
    const before = JSON.stringify(more.no_proxy ?? null);
    const [ofProxy, ofPlayer] = ["proxy", "player"].map((who) => `the ${who} ${before}\n`);
    expect(out).toBe(`${ofProxy}${ofPlayer}${ofProxy}${ofPlayer}`);
  },
);
