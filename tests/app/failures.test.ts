import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { status, t } from "elysia";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const SECRET = "hush-0123456789";
const failure = () => new Error(SECRET);

/** Handlers that come to no answer. Elysia would send some of these, and knows others as its own. */
const FAILING: Readonly<Record<string, () => unknown>> = {
  "throws an error": () => {
    throw failure();
  },
  rejects: () => Promise.reject(failure()),
  "throws a text": () => {
    throw SECRET;
  },
  "throws an object": () => {
    throw { message: SECRET, response: SECRET };
  },
  "throws a Response": () => {
    throw new Response(SECRET);
  },
  "throws a status of Elysia's": () => {
    throw status(418, SECRET);
  },
  "throws an error with a status": () => {
    throw Object.assign(failure(), { code: "NOT_FOUND", status: 200 });
  },
  "throws an error that makes a Response": () => {
    throw Object.assign(failure(), { toResponse: () => new Response(SECRET) });
  },
  "returns an error": failure,
  "returns a status of Elysia's": () => status(418, SECRET),
  "returns a text": () => SECRET,
  "returns an object": async () => ({ secret: SECRET }),
  "returns a function": () => () => SECRET,
  "returns nothing": () => undefined,
  "returns null": async () => null,
};

describe("a handler", () => {
  let server: TestServer;
  let port: RealPort;
  const errors = () => server.logged.filter((line) => line.includes(" error "));

  beforeEach(async () => {
    server = await createTestServer();
    for (const [index, handler] of Object.values(FAILING).entries()) {
      server.app.elysia.get(`/api/v1/failing/${index}`, handler).get(`/failing/${index}`, handler);
    }
    server.app.elysia.get("/undefined", () => {
      throw undefined;
    });
    const query = t.Object({ api_key: t.Numeric() });
    server.app.elysia
      .get("/api/v1/judged", () => new Response("ok"), { query })
      .post("/judged", ({ body }) => new Response(JSON.stringify(body)));
    port = openPort(server);
  });
  afterEach(async () => {
    await port.end();
    server.close();
  });

  test.each(Object.keys(FAILING).entries().toArray())("%d that %s is 500", async (index) => {
    for (const slash of ["", "/"]) {
      const answer = await fetch(`${port.origin}/api/v1/failing/${index}${slash}`);
      expect(answer.status).toBe(500);
      expect(await answer.json()).toEqual({ success: false, error: "Internal server error" });
      const page = await fetch(`${port.origin}/failing/${index}${slash}`);
      expect([page.status, await page.text()]).toEqual([500, "Internal server error\n"]);
    }
    expect(errors()).toHaveLength(4);
  });

  test("that throws nothing at all is 500 and logged", async () => {
    const answer = await fetch(`${port.origin}/undefined`);
    expect([answer.status, await answer.text()]).toEqual([500, "Internal server error\n"]);
    expect(errors()).toHaveLength(1);
  });

  test("is not reached by what its schema refuses, of which nothing is told or logged", async () => {
    const refused = await fetch(`${port.origin}/api/v1/judged?api_key=${SECRET}`);
    expect(refused.status).toBe(400);
    const told = await refused.text();
    expect(JSON.parse(told).success).toBe(false);
    const unread = await fetch(`${port.origin}/judged`, {
      method: "POST",
      body: `{${SECRET}`,
      headers: { "content-type": "application/json" },
    });
    expect(unread.status).toBe(400);
    expect(told + (await unread.text()) + server.logged.join("\n")).not.toContain(SECRET);
  });
});

describe("Bun's router and Elysia's", () => {
  let server: TestServer;
  let port: RealPort;
  beforeEach(async () => {
    server = await createTestServer();
    port = openPort(server);
  });
  afterEach(async () => {
    await port.end();
    server.close();
  });

  /** Paths of routes, and those where one route's words stand in the place of another's parameters. */
  const pathsAmong = (routes: readonly string[]): ReadonlySet<string> => {
    const patterns = routes.map((route) => route.slice(route.indexOf(" ") + 1).split("/"));
    const paths = patterns.flatMap((pattern) =>
      patterns
        .filter(({ length }) => length === pattern.length)
        .map((other) =>
          pattern
            .map((word, at) =>
              word.startsWith(":") ? (other[at] ?? "").replace(/^:.*/, "x") : word,
            )
            .join("/"),
        ),
    );
    // Bun's router is given no route that ends in a star, and no browser asks these.
    return new Set(paths.filter((path) => !/^\/(?:listenbrainz|audioscrobbler)\/|\*/.test(path)));
  };

  test("find the same for every path", async () => {
    const headers = { host: "127.0.0.1:4747" };
    const differing: string[] = [];
    const paths = pathsAmong(server.routes);
    expect(paths.size).toBeGreaterThan(100);
    for (const path of paths) {
      // So that no request finds the limit on guesses.
      await server.clock.advance(60_000);
      const found = await fetch(port.origin + path, { headers, redirect: "manual" });
      await server.clock.advance(60_000);
      const handled = await server.get(path, { headers });
      const [one, other] = [found, handled].map(
        ({ status, headers }) => `${status} ${headers.get("content-type")}`,
      );
      if (one !== other) differing.push(`${path}: ${one}, not ${other}`);
    }
    expect(differing).toEqual([]);
  });

  test("answer HEAD of a stream that has no end", async () => {
    const ada = await server.addUser("ada");
    for (const slash of ["", "/"]) {
      await server.clock.advance(5_000);
      const headers = { "x-api-key": ada.key };
      const url = `${port.origin}/api/v1/now-playing/events${slash}`;
      const answer = await fetch(url, { method: "HEAD", headers });
      const type = answer.headers.get("content-type");
      expect([slash, answer.status, type]).toEqual([slash, 200, "text/event-stream"]);
    }
  });

  test("find a route for all methods before a page in a language", async () => {
    const audioscrobbler = await fetch(`${port.origin}/audioscrobbler`);
    expect(await audioscrobbler.text()).toStartWith("FAILED ");
    for (const method of ["GET", "HEAD"]) {
      const listenBrainz = await fetch(`${port.origin}/listenbrainz`, { method });
      expect([listenBrainz.status, listenBrainz.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });
});
