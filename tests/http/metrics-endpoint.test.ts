import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createLinkingServer, type LinkingServer } from "../fixtures/servers/linking-server.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const TOKEN = "metrics-0123456789abcdef";
const settings = { metricsToken: TOKEN, rateLimitSeconds: "0" };

/** The value of each sample by its name and labels, such as `marquee_info{version="0.1.0"}`. */
async function samplesOf(server: Pick<TestServer, "get">): Promise<Map<string, number>> {
  const response = await server.get("/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  const lines = (await response.text()).split("\n").filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

const requests = (route: string, status: number) =>
  `marquee_http_requests_total{route="${route}",status="${status}"}`;
const calls = (status: number | string) =>
  `marquee_upstream_calls_total{source="spotify",status="${status}"}`;

test("there are no metrics unless somebody asks for them", async () => {
  using server = await createTestServer();
  expect((await server.get("/metrics")).status).toBe(404);
  const headers = { authorization: "Bearer " };
  expect((await server.get("/metrics", { headers })).status).toBe(404);
  expect(server.routes).not.toContain("GET /metrics");
});

describe("the metrics", () => {
  let server: TestServer;
  let ada: AddedUser;

  beforeEach(async () => {
    server = await createTestServer({ settings });
    ada = await server.addUser("ada");
  });
  afterEach(() => server.close());

  test.each([
    ["nothing", undefined],
    ["an empty token", "Bearer "],
    ["another token", "Bearer metrics-0123456789abcdeg"],
    ["the token's beginning", "Bearer metrics-0123456789"],
    ["the token twice", `Bearer ${TOKEN} ${TOKEN}`],
    ["the token alone", TOKEN],
    ["the token as a password", `Basic ${btoa(`ada:${TOKEN}`)}`],
  ])("are refused to %s", async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await server.get("/metrics", { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.text()).not.toContain("marquee_");
  });

  test("tell how late the event loop was, which is not known at first", async () => {
    const samples = await samplesOf(server);
    for (const percentile of ["50", "99"]) {
      const name = `marquee_event_loop_delay_seconds{percentile="${percentile}"}`;
      expect(samples.get(name)).toBeNaN();
    }
  });

  testWith("promtool", Bun.which("promtool") !== null)("pass Prometheus's own check", async () => {
    await server.sourceOf(ada).says(aPlayback());
    await server.getAs(ada, "/api/v1/now-playing");
    const headers = { authorization: `Bearer ${TOKEN}` };
    const text = await (await server.get("/metrics", { headers })).text();
    const child = Bun.spawn(["promtool", "check", "metrics"], {
      stdin: new Blob([text]),
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("");
    expect(await child.exited).toBe(0);
  });

  test("are refused to keys, and to a token in the address", async () => {
    expect((await server.getAs(ada, "/metrics")).status).toBe(401);
    expect((await server.get(`/metrics?token=${TOKEN}`)).status).toBe(401);
  });

  test("come to whoever has the token, in Prometheus's format, and are not kept", async () => {
    for (const scheme of ["Bearer", "bearer"]) {
      const headers = { authorization: `${scheme} ${TOKEN}` };
      const response = await server.get("/metrics", { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const text = await response.text();
      for (const name of text.match(/^marquee_\w+?(?=_bucket|_sum|_count|[{ ])/gm) ?? []) {
        expect(text).toContain(`# HELP ${name} `);
      }
    }
  });

  test("count requests by route and status", async () => {
    await server.sourceOf(ada).says(null);
    await server.getAs(ada, "/api/v1/now-playing");
    await server.getAs(ada, "/api/v1/now-playing");
    await server.get("/api/v1/now-playing");
    await server.get("/api/v1/user", { method: "POST" });
    await server.get(`/fr/widget/${ada.widgetToken}`);
    await server.get("/de/widget/mqw_wrong");
    await server.get("/en/docs/widget");
    await server.get("/en/docs/nothing");
    await server.get("/wp-login.php");
    await server.get("/api/v1/user", { headers: { host: "elsewhere.example" } });
    const samples = await samplesOf(server);
    const counted = [...samples].filter(([name]) => name.startsWith("marquee_http_requests"));
    expect(Object.fromEntries(counted)).toMatchObject({
      [requests("/api/v1/now-playing", 200)]: 2,
      [requests("/api/v1/now-playing", 401)]: 1,
      [requests("/api/v1/user", 405)]: 1,
      [requests("/:lang/widget/:token", 200)]: 1,
      [requests("/:lang/widget/:token", 404)]: 1,
      [requests("/:lang/docs/:page", 200)]: 1,
      [requests("/:lang/docs/:page", 404)]: 1,
      [requests("other", 404)]: 1,
      [requests("other", 421)]: 1,
    });
  });

  test("count each request once, however it is answered", async () => {
    const port = openPort(server);
    const { host } = new URL(port.origin);
    const asked: readonly [status: number, line: string, headers?: string][] = [
      [200, "GET /livez"],
      [200, "HEAD /livez"],
      [200, "HEAD /livez/"],
      [200, "GET /liv%65z"],
      [200, "GET /en/docs"],
      [302, "GET /"],
      [401, "GET /api/v1/user"],
      [401, "HEAD /api/v1/now-playing/events"],
      [404, "GET /nothing"],
      [404, "GET /xx/docs"],
      [404, "POST /%zz"],
      [405, "POST /api/v1/user"],
      [405, "PROPFIND /api/v1/user"],
      [204, "OPTIONS /api/v1/user"],
      [413, "POST /en/dashboard", "Content-Length: 70000\r\n"],
      [426, "GET /en/demo/live"],
      [403, "GET /en/demo/live", "Origin: http://elsewhere.example\r\n"],
      [405, "GET /listenbrainz"],
    ];
    for (const [status, line, headers = ""] of asked) {
      const sent = `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;
      expect(`${line} ${(await port.sendRaw(sent)).status}`).toBe(`${line} ${status}`);
    }
    await port.sendRaw("GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n");
    const overlay = await openOverlay(`${port.origin}/en/demo/live`);
    overlay.close();
    const counts = new Map<string, number>();
    for (const [name, count] of await samplesOf(server)) {
      const status = /requests_total\{.*status="(\d+)"/.exec(name)?.[1];
      if (status) counts.set(status, (counts.get(status) ?? 0) + count);
    }
    const expected = Map.groupBy([...asked.map(([status]) => status), 421, 101], String);
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries([...expected].map(([status, all]) => [status, all.length])),
    );
    await port.end();
  });

  test("hold no address, key, token, name or music", async () => {
    await server.sourceOf(ada).says(aPlayback());
    const paths = [
      `/api/v1/now-playing?api_key=${ada.key}`,
      `/en/widget/${ada.widgetToken}`,
      `/en/widget/${ada.widgetToken}/launcher`,
      "/secret-path/ada?token=hush",
      "/en/sign-in/mql_hush",
      '/en/"}\n# hush',
    ];
    for (const path of paths) await server.get(path);
    const text = [...(await samplesOf(server)).keys()].join("\n");
    for (const secret of [ada.key, ada.widgetToken, TOKEN, "hush", "ada", "Paper", "192.0.2.1"]) {
      expect(text).not.toContain(secret);
    }
    expect(server.logged.join("\n")).not.toContain(TOKEN);
  });

  test("say how many users' music is listened to", async () => {
    expect((await samplesOf(server)).get("marquee_channels")).toBe(0);
    await server.sourceOf(ada).says(aPlayback());
    await server.getAs(ada, "/api/v1/now-playing");
    expect((await samplesOf(server)).get("marquee_channels")).toBe(1);
    await server.clock.advance(120_000);
    expect((await samplesOf(server)).get("marquee_channels")).toBe(0);
  });

  test("say how many overlays are connected, and how soon they were told", async () => {
    const observedAtMs = server.clock.monotonicMs();
    await server.sourceOf(ada).says(aPlayback({ observedAtMs }));
    const port = openPort(server);
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    await overlay.next();
    const before = await samplesOf(server);
    expect(before.get("marquee_overlays")).toBe(1);
    const told = before.get("marquee_fan_out_seconds_count") ?? 0;

    const track = { ...aPlayback().track, id: "test:2", title: "Next" };
    const earlierMs = server.clock.monotonicMs() - 40;
    await server.sourceOf(ada).says(aPlayback({ track, observedAtMs: earlierMs }));
    await overlay.next();
    const after = await samplesOf(server);
    expect(after.get("marquee_fan_out_seconds_count")).toBe(told + 1);
    expect(after.get("marquee_fan_out_seconds_sum")).toBeCloseTo(0.04);
    expect(after.get('marquee_fan_out_seconds_bucket{le="0.025"}')).toBe(told);
    expect(after.get('marquee_fan_out_seconds_bucket{le="0.05"}')).toBe(told + 1);

    overlay.close();
    await until(async () =>
      (await samplesOf(server)).get("marquee_overlays") === 0 ? true : undefined,
    );
    await port.end();
  });

  test("do not take what is shown again for slow", async () => {
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: server.clock.monotonicMs() }));
    const port = openPort(server);
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    await overlay.next();
    const told = (await samplesOf(server)).get("marquee_fan_out_seconds_count");
    const share = async (pausedUntil: number | null) => {
      await server.accounts.privacy.change(ada.user, {
        pausedUntil,
        hiddenTitles: [],
        hiddenArtists: [],
      });
      server.hub.notify();
      return overlay.next();
    };
    await share(server.clock.wallMs() + 3_600_000);
    await server.clock.advance(20_000);
    await share(null);
    expect((await samplesOf(server)).get("marquee_fan_out_seconds_count")).toBe(told);
    overlay.close();
    await port.end();
  });
});

describe("the metrics of Spotify", () => {
  let server: LinkingServer;
  let ada: AddedUser;

  beforeEach(async () => {
    server = await createLinkingServer({ settings });
    ada = await server.addUser("ada", false);
    await server.enterApp();
    await server.browser().link(await server.linkFor(ada.user));
  });
  afterEach(() => server.close());

  test("count calls by status, and those without an answer", async () => {
    const before = (await samplesOf(server)).get(calls(200)) ?? 0;
    expect(before).toBeGreaterThan(0);
    server.spotify.script({ status: 502 }, "hang");
    for (let asked = 0; asked < 8; asked++) {
      const answer = server.getAs(ada, "/api/v1/now-playing");
      for (let waited = 0; waited < 15; waited++) {
        // Settings are decrypted in real time, which the clock does not wait for.
        await onlyConnection(server.accounts.connections, ada.user.id);
        await server.clock.advance(1_000);
      }
      await answer;
    }
    const after = await samplesOf(server);
    expect(after.get(calls(502))).toBe(1);
    expect(after.get(calls("failed"))).toBe(1);
    expect(after.get(calls(200))).toBeGreaterThan(before);
    // Every look but a listener's first came some time after another.
    const again = after.get('marquee_poll_interval_seconds_count{source="spotify"}') ?? 0;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThan(after.get(calls(200)) ?? 0);
  });
});

describe("the route that a request is counted as", () => {
  const routesCounted = async (server: TestServer) => {
    const names = [...(await samplesOf(server)).keys()];
    return new Set(names.flatMap((name) => /requests_total\{route="(.*?)"/.exec(name)?.[1] ?? []));
  };

  test.each(["", "/music"])("is the one that answers it, below %j", async (basePath) => {
    using server = await createTestServer({ settings, baseUrl: `https://example.org${basePath}` });
    const example: Readonly<Record<string, string>> = { lang: "fr" };
    const paths = new Set(server.routes.map((route) => route.split(" ")[1] ?? ""));
    for (const path of paths) {
      const address = path.replace(/:(\w+)/g, (_, name: string) => example[name] ?? "x1");
      await server.get(`${basePath}${address}?x=1`);
    }
    expect([...(await routesCounted(server))].toSorted()).toEqual([...paths].toSorted());
  });

  test("is one of the map's or none of them, whatever is asked", async () => {
    using server = await createTestServer({ settings });
    const known = ["other", ...server.routes.map((route) => route.split(" ")[1] ?? "")];
    const piece = fc.oneof(
      fc.constantFrom("en", "api", "v1", "user", "widget", "live", "docs", "art", "..", "", "\n"),
      fc.string(),
    );
    const asked = fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      await server.app.elysia.handle(
        new Request(`http://127.0.0.1/${pieces.join("/")}`, { headers: { host: "127.0.0.1" } }),
      );
    });
    await fc.assert(asked);
    for (const route of await routesCounted(server)) expect(known).toContain(route);
  });
});
