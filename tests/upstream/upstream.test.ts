import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import fc from "fast-check";
import {
  createUpstream,
  type Fetch,
  LARGEST_ANSWER_BYTES,
  UPSTREAM_DEADLINE_MS,
  type Upstream,
  UpstreamError,
} from "../../src/upstream/index.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { networkOf } from "../fixtures/http/network.ts";

let clock: FakeClock;
beforeEach(() => {
  clock = createFakeClock();
});

/** An upstream without a network, and the addresses that it called. */
function recorded(trustedOrigins: readonly string[] = [], fetch?: Fetch) {
  const called: { url: string; init: RequestInit }[] = [];
  const upstream = createUpstream({
    clock,
    trustedOrigins,
    network: networkOf(async (url, init) => {
      called.push({ url, init });
      return fetch ? fetch(url, init) : new Response("hello");
    }),
  });
  return { upstream, called };
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an address", () => {
  test("that is public is called over https", async () => {
    const { upstream, called } = recorded();
    const response = await upstream.fetch("https://api.example.com/v1?q=1");
    expect(await response.text()).toBe("hello");
    expect(called.map(({ url }) => url)).toEqual(["https://api.example.com/v1?q=1"]);
  });

  const refused = [
    "http://api.example.com/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "https://ada:secret@example.com/",
    "https://127.1/",
    "https://0177.0.0.1/",
    "https://0.0.0.0/",
    "https://[::1]/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST./",
    "https://deep.localhost/",
    "https://deep.localhost./",
    "https://printer/",
    "https://printer./",
    "https://printer.local/",
    "https://db.internal/",
    "https://router.home.arpa/",
    "https://１２７.0.0.1/",
  ];
  for (const address of refused) {
    test(`like ${address} is not called`, async () => {
      const { upstream, called } = recorded();
      expect(await failureOf(upstream.fetch(address))).toBeInstanceOf(UpstreamError);
      expect(called).toEqual([]);
    });
  }

  test("that the operator chose is called, private and over http though it is", async () => {
    const { upstream, called } = recorded(["http://127.0.0.1:8080", "https://music.lan"]);
    await upstream.fetch("http://127.0.0.1:8080/a");
    await upstream.fetch("http://2130706433:8080/b");
    await upstream.fetch("https://music.lan/c");
    expect(called.map(({ url }) => new URL(url).pathname)).toEqual(["/a", "/b", "/c"]);
  });

  test("that only resembles the operator's is not called", async () => {
    const { upstream, called } = recorded(["http://127.0.0.1:8080", "https://music.lan"]);
    for (const address of [
      "http://127.0.0.1/",
      "http://127.0.0.1:8081/",
      "https://127.0.0.1:8080/",
      "http://music.lan/",
      "http://ada@127.0.0.1:8080/",
      "http://127.0.0.1:8080@10.0.0.1/",
    ]) {
      expect(await failureOf(upstream.fetch(address))).toBeInstanceOf(UpstreamError);
    }
    expect(called).toEqual([]);
  });

  test("in any private network is not called, however its number is spelt", async () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const privateAddress = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    );
    const spellings = privateAddress.chain((octets) => {
      const number = octets.reduce((sum, part) => sum * 256 + part, 0);
      return fc.constantFrom(
        octets.join("."),
        String(number),
        `0x${number.toString(16)}`,
        `0${number.toString(8)}`,
        octets.map((part) => `0x${part.toString(16)}`).join("."),
        `[::ffff:${octets.join(".")}]`,
        `${octets.join(".")}.`,
      );
    });
    await fc.assert(
      fc.asyncProperty(spellings, async (host) => {
        const { upstream, called } = recorded();
        expect(await failureOf(upstream.fetch(`https://${host}/`))).toBeInstanceOf(UpstreamError);
        expect(called).toEqual([]);
      }),
    );
  });
});

describe("a request", () => {
  test("says who calls, whatever the caller would rather say", async () => {
    const { upstream, called } = recorded();
    await upstream.fetch("https://example.com/", { headers: { "user-agent": "Something else" } });
    const headers = new Headers(called[0]?.init.headers);
    expect(headers.get("user-agent")).toMatch(/^Marquee\/\d/);
  });

  test("says whose server calls only where that is asked for", async () => {
    const { upstream, called } = recorded();
    await upstream.fetch("https://example.com/", { contact: "https://music.example.org" });
    const headers = new Headers(called[0]?.init.headers);
    expect(headers.get("user-agent")).toMatch(/^Marquee\/\S+ \( https:\/\/music\.example\.org \)$/);
  });

  test("keeps its method, headers and body", async () => {
    const { upstream, called } = recorded();
    await upstream.fetch("https://example.com/", {
      method: "POST",
      headers: { Authorization: "Bearer token" },
      body: "a=1",
    });
    const { method, headers, body } = called[0]?.init ?? {};
    expect({ method, body }).toEqual({ method: "POST", body: "a=1" });
    expect(new Headers(headers).get("authorization")).toBe("Bearer token");
  });

  test("is not made when its caller has given up already", async () => {
    const { upstream } = recorded([], async (_, init) => {
      init.signal?.throwIfAborted();
      return new Response("too much");
    });
    const gaveUp = new Error("gave up");
    const call = upstream.fetch("https://example.com/", { signal: AbortSignal.abort(gaveUp) });
    expect(await failureOf(call)).toBe(gaveUp);
  });

  test("leaves no timer behind, however it ends", async () => {
    const { upstream } = recorded();
    await upstream.fetch("https://example.com/");
    const broken = recorded([], () => Promise.reject(new Error("refused")));
    await failureOf(broken.upstream.fetch("https://example.com/"));
    expect(clock.waiting()).toBe(0);
  });
});

describe("an answer", () => {
  test("keeps its status and headers, and one without a body stays without", async () => {
    const { upstream } = recorded([], async () =>
      Promise.resolve(new Response(null, { status: 204, headers: { "x-a": "b" } })),
    );
    const response = await upstream.fetch("https://example.com/");
    expect(response.status).toBe(204);
    expect(response.headers.get("x-a")).toBe("b");
    expect(await response.text()).toBe("");
  });

  test("of an error is an answer all the same", async () => {
    const { upstream } = recorded([], async () => new Response("oops", { status: 502 }));
    const response = await upstream.fetch("https://example.com/");
    expect(response.status).toBe(502);
    expect(await response.text()).toBe("oops");
  });
});

describe("a failure", () => {
  const secrets = fc.stringMatching(/^[a-z0-9]{12,24}$/);

  test("tells the place and neither query nor token, whatever went wrong", async () => {
    await fc.assert(
      fc.asyncProperty(secrets, secrets, async (query, token) => {
        const { upstream } = recorded([], (url, init) =>
          Promise.reject(new Error(`cannot reach ${url} with ${JSON.stringify(init.headers)}`)),
        );
        const error = await failureOf(
          upstream.fetch(`https://example.com/path?code=${query}#${query}`, {
            headers: { Authorization: `Bearer ${token}` },
            body: `refresh_token=${token}`,
            method: "POST",
          }),
        );
        expect(error).toBeInstanceOf(UpstreamError);
        const told = Bun.inspect(error);
        expect(told).toContain("https://example.com/path");
        expect(told).not.toContain(query);
        expect(told).not.toContain(token);
      }),
      { numRuns: 30 },
    );
  });

  test("tells nothing of a refused address but its place", async () => {
    const { upstream } = recorded();
    const error = await failureOf(upstream.fetch("https://ada:hunter2@10.0.0.1/x?key=hunter3"));
    expect(Bun.inspect(error)).not.toMatch(/hunter/);
  });
});

describe("over a real connection", () => {
  let server: Bun.Server<undefined> | undefined;
  afterEach(() => server?.stop(true));

  /** A server of this machine, an upstream that trusts it, and a promise for the first answer's head. */
  function serve(handle: (request: Request) => Response | Promise<Response>) {
    const running = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: handle });
    server = running;
    const origin = `http://127.0.0.1:${running.port}`;
    const head = Promise.withResolvers<void>();
    const upstream: Upstream = createUpstream({
      clock,
      trustedOrigins: [origin],
      network: networkOf(async (url, init) => {
        const response = await fetch(url, init);
        head.resolve();
        return response;
      }),
    });
    return { origin, upstream, head: head.promise };
  }

  test("a redirect is answered and not followed", async () => {
    const paths: string[] = [];
    const { origin, upstream } = serve((request) => {
      paths.push(new URL(request.url).pathname);
      return new Response(null, { status: 302, headers: { location: "/elsewhere" } });
    });
    expect((await upstream.fetch(`${origin}/here`)).status).toBe(302);
    expect(paths).toEqual(["/here"]);
  });

  test("a server that never answers is given up after five seconds", async () => {
    const arrived = Promise.withResolvers<void>();
    const { origin, upstream } = serve(() => {
      arrived.resolve();
      return new Promise<Response>(() => {});
    });
    let ended = false;
    const failure = failureOf(upstream.fetch(origin)).finally(() => {
      ended = true;
    });
    await arrived.promise;
    await clock.advance(UPSTREAM_DEADLINE_MS - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(await failure).toBeInstanceOf(UpstreamError);
    expect(UPSTREAM_DEADLINE_MS).toBe(5_000);
  });

  test("a body that drips is given up after the same five seconds", async () => {
    let drip = () => {};
    const { origin, upstream, head } = serve(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              drip = () => controller.enqueue(new Uint8Array([46]));
              drip();
            },
          }),
        ),
    );
    const failure = failureOf(upstream.fetch(origin));
    await head;
    for (let second = 0; second < 5; second++) {
      drip();
      await clock.advance(1_000);
    }
    const error = await failure;
    expect(error).toBeInstanceOf(UpstreamError);
    expect((error as Error).message).toContain("in time");
  });

  test.each([
    ["gzip", Bun.gzipSync(new Uint8Array(1024))],
    ["deflate", Bun.deflateSync(new Uint8Array(1024))],
    ["zstd", new Uint8Array(Bun.zstdCompressSync(new Uint8Array(1024)))],
    ["br", new Uint8Array(brotliCompressSync(new Uint8Array(1024)))],
    ["GZIP, br", new Uint8Array(8)],
  ])(
    "asks for no compression, and unpacks no %s that comes all the same",
    async (encoding, body) => {
      const asked: (string | null)[] = [];
      const { origin, upstream } = serve((request) => {
        asked.push(request.headers.get("accept-encoding"));
        const status = request.url.endsWith("/refused") ? 401 : 200;
        return new Response(body, {
          status,
          headers: { "content-encoding": encoding },
        });
      });
      const error = await failureOf(upstream.fetch(origin));
      expect(error).toBeInstanceOf(UpstreamError);
      expect((error as Error).message).toContain("answered compressed");
      const refused = await upstream.fetch(`${origin}/refused`);
      expect([refused.status, await refused.text()]).toEqual([401, ""]);
      expect((await upstream.fetch(origin, { wantsBody: false })).status).toBe(200);
      expect(asked).toEqual(asked.map(() => "identity"));
    },
  );

  test("a megabyte is read and one byte more is not", async () => {
    const { origin, upstream } = serve(
      (request) => new Response(new Uint8Array(Number(new URL(request.url).searchParams.get("n")))),
    );
    const whole = await upstream.fetch(`${origin}/?n=${LARGEST_ANSWER_BYTES}`);
    expect((await whole.bytes()).length).toBe(LARGEST_ANSWER_BYTES);
    const call = upstream.fetch(`${origin}/?n=${LARGEST_ANSWER_BYTES + 1}`);
    expect(await failureOf(call)).toBeInstanceOf(UpstreamError);
  });

  test("a caller that gives up while waiting gets its own reason at once", async () => {
    const { origin, upstream, head } = serve(
      () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) })),
    );
    const caller = new AbortController();
    const failure = failureOf(upstream.fetch(origin, { signal: caller.signal }));
    await head;
    await settle();
    const gaveUp = new Error("gave up");
    caller.abort(gaveUp);
    expect(await failure).toBe(gaveUp);
    expect(clock.waiting()).toBe(0);
  });

  test("a closed port fails with its place", async () => {
    const { origin, upstream } = serve(() => new Response());
    await server?.stop(true);
    const error = await failureOf(upstream.fetch(`${origin}/gone?secret=1`));
    expect(error).toBeInstanceOf(UpstreamError);
    expect((error as Error).message).toBe(`${origin}/gone could not be reached`);
  });
});
