import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createUpstream,
  type Fetch,
  NETWORK,
  UPSTREAM_DEADLINE_MS,
  type UpstreamDeps,
  UpstreamError,
} from "../../src/upstream/index.ts";
import { keepingAnswers } from "../../src/upstream/look-up.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { exitOf, inTime } from "../fixtures/clock/waiting.ts";
import { networkOf } from "../fixtures/http/network.ts";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  testWithCertificates,
} from "../fixtures/http/certificates.ts";

// They are loaded when first needed, which no clock that stands still waits for.
await import("../../src/upstream/socket.ts");
await import("../../src/upstream/stream.ts");

const root = join(import.meta.dir, "../..");

let clock: FakeClock;
beforeEach(() => {
  clock = createFakeClock();
});

const PUBLIC = "93.184.215.14";
const OTHER_PUBLIC = "93.184.215.15";
const PUBLIC_IPV6 = "2606:2800:21f:cb07::1";

interface Call {
  readonly url: string;
  readonly host: string | null;
  readonly serverName: string | undefined;
}

/** An upstream for which names have these addresses, the calls it made, and the names it asked for. */
function withNames(
  namesTo: (name: string) => readonly string[] | Promise<readonly string[]>,
  {
    fetch = async () => new Response("hello"),
    ...deps
  }: Partial<UpstreamDeps> & { readonly fetch?: Fetch } = {},
) {
  const calls: Call[] = [];
  const names: string[] = [];
  const upstream = createUpstream({
    clock,
    trustedOrigins: [],
    ...deps,
    network: {
      ...networkOf(async (url, init) => {
        calls.push({
          url,
          host: new Headers(init.headers).get("host"),
          serverName: init.tls?.serverName,
        });
        return fetch(url, init);
      }),
      lookUp: async (name) => {
        names.push(name);
        return namesTo(name);
      },
    },
  });
  return { upstream, calls, names };
}

const failureOf = async (call: Promise<unknown>): Promise<Error> => {
  const error = await inTime("a failure", call).catch((reason: unknown) => reason);
  if (error instanceof Error) return error;
  throw new Error("it did not fail");
};

/** An error as `fetch` throws it. */
const failedWith = (code: string) => Object.assign(new Error("failed"), { code });

describe("a name", () => {
  test("is called at its address, by its name, and looked up once", async () => {
    const answers = [[PUBLIC], ["127.0.0.1"]];
    const { upstream, calls, names } = withNames(() => answers.shift() ?? []);
    const response = await upstream.fetch("https://covers.example:8443/art?size=1");
    expect(await response.text()).toBe("hello");
    expect(calls).toEqual([
      {
        url: `https://${PUBLIC}:8443/art?size=1`,
        host: "covers.example:8443",
        serverName: "covers.example",
      },
    ]);
    expect(names).toEqual(["covers.example"]);
  });

  test("may end with a dot, which its certificate does not", async () => {
    const { upstream, calls } = withNames(() => [PUBLIC]);
    await upstream.fetch("https://covers.example./");
    expect(calls[0]?.serverName).toBe("covers.example");
  });

  test.each([
    "127.0.0.1",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00::1",
    "ff02::1",
    "not an address",
  ])("that leads to %s is not called", async (address) => {
    const { upstream, calls } = withNames(() => [address]);
    const signal = new AbortController().signal;
    for (const call of [
      upstream.fetch("https://covers.example/a?secret=hunter2"),
      upstream.openSocket("https://covers.example/a?secret=hunter2", { signal }),
      upstream.openStream("https://covers.example/a?secret=hunter2", { signal, silenceMs: 1 }),
    ]) {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error.message).toContain("https://covers.example/a leads to a private address");
      expect(error.message).toContain("operator");
      expect(Bun.inspect(error)).not.toContain("hunter2");
    }
    expect(calls).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });

  test("is called only at public addresses, whatever else it leads to", async () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const address = fc.oneof(
      fc.tuple(octet, octet, octet, octet).map((octets) => octets.join(".")),
      fc.constantFrom("127.0.0.1", "10.1.2.3", "192.168.0.9", "169.254.169.254", "::1", "fd00::7"),
      fc.constantFrom(PUBLIC, OTHER_PUBLIC, PUBLIC_IPV6, `::ffff:${PUBLIC}`),
    );
    const isPrivate = /^https:\/\/(0|10|127|192\.168|169\.254|22[4-9]|23\d|24\d|25\d)\./;
    await fc.assert(
      fc.asyncProperty(fc.array(address, { maxLength: 6 }), async (addresses) => {
        const { upstream, calls } = withNames(() => addresses, {
          fetch: () => Promise.reject(failedWith("ECONNREFUSED")),
        });
        await failureOf(upstream.fetch("https://covers.example/"));
        for (const { url } of calls) expect(url).not.toMatch(isPrivate);
        for (const { url } of calls) expect(url).not.toMatch(/\[(::1|fd)/);
      }),
    );
  });

  test.each([
    [["10.0.0.1", PUBLIC, "fd00::1"], PUBLIC],
    [[`::ffff:${PUBLIC}`], PUBLIC],
    [[PUBLIC_IPV6], `[${PUBLIC_IPV6}]`],
    [[PUBLIC_IPV6, PUBLIC], PUBLIC],
    [["64:ff9b::5db8:d70e"], "[64:ff9b::5db8:d70e]"],
  ])("that leads to %j is called at %s", async (addresses, host) => {
    const { upstream, calls } = withNames(() => addresses);
    await upstream.fetch("https://covers.example/");
    expect(calls.map(({ url }) => url)).toEqual([`https://${host}/`]);
  });

  test("is called at its next address where nobody answers at the first", async () => {
    const { upstream, calls } = withNames(() => [PUBLIC, PUBLIC_IPV6, OTHER_PUBLIC], {
      fetch: async (url) => {
        if (!url.includes("2606")) throw failedWith("EHOSTUNREACH");
        return new Response("hello");
      },
    });
    expect((await upstream.fetch("https://covers.example/")).status).toBe(200);
    expect(calls.map(({ url }) => new URL(url).hostname)).toEqual([
      PUBLIC,
      OTHER_PUBLIC,
      `[${PUBLIC_IPV6}]`,
    ]);
  });

  test("is not called again where somebody has answered, however badly", async () => {
    const { upstream, calls } = withNames(() => [PUBLIC, OTHER_PUBLIC], {
      fetch: () => Promise.reject(failedWith("ERR_TLS_CERT_ALTNAME_INVALID")),
    });
    await failureOf(upstream.fetch("https://covers.example/"));
    expect(calls).toHaveLength(1);
  });

  test("is called at few of very many addresses", async () => {
    const many = Array.from({ length: 200 }, (_, at) => `93.184.215.${at}`);
    const { upstream, calls } = withNames(() => many, {
      fetch: () => Promise.reject(failedWith("ECONNREFUSED")),
    });
    await failureOf(upstream.fetch("https://covers.example/"));
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  test("that nobody knows fails with its place", async () => {
    const { upstream } = withNames(() => Promise.reject(new Error("ENOTFOUND ?secret=hunter2")));
    const error = await failureOf(upstream.fetch("https://covers.example/a?secret=hunter2"));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error.message).toStartWith("https://covers.example/a could not be reached");
    expect(Bun.inspect(error)).not.toContain("hunter2");
  });

  test("that is never told is given up after five seconds", async () => {
    const { upstream } = withNames(() => new Promise(() => {}));
    const signal = new AbortController().signal;
    const calls = [
      upstream.fetch("https://covers.example/"),
      upstream.openSocket("https://covers.example/", { signal }),
      upstream.openStream("https://covers.example/", { signal, silenceMs: 1 }),
    ].map(failureOf);
    await clock.advance(UPSTREAM_DEADLINE_MS);
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error.message).toContain("in time");
    }
    expect(clock.waiting()).toBe(0);
  });

  test("that is never told lets its caller give up", async () => {
    const { upstream } = withNames(() => new Promise(() => {}));
    const caller = new AbortController();
    const call = failureOf(upstream.fetch("https://covers.example/", { signal: caller.signal }));
    const gaveUp = new Error("gave up");
    caller.abort(gaveUp);
    expect(await call).toBe(gaveUp);
    expect(clock.waiting()).toBe(0);
  });

  test("that is never told is not waited for by a caller who has given up", async () => {
    const { upstream } = withNames(() => new Promise(() => {}));
    const signal = AbortSignal.abort(new Error("gave up"));
    expect(await failureOf(upstream.fetch("https://covers.example/", { signal }))).toBe(
      signal.reason,
    );
    expect(clock.waiting()).toBe(0);
  });

  const TRUSTED = { trustedOrigins: ["http://music.lan:8096", "https://music.example"] };

  test("that the operator trusts is called at its address, by its name, though it is private", async () => {
    const { upstream, calls, names } = withNames(() => ["10.0.0.1"], TRUSTED);
    await upstream.fetch("http://music.lan:8096/a");
    await upstream.fetch("https://music.example/b");
    expect(calls).toEqual([
      { url: "http://10.0.0.1:8096/a", host: "music.lan:8096", serverName: "music.lan" },
      { url: "https://10.0.0.1/b", host: "music.example", serverName: "music.example" },
    ]);
    expect(names).toEqual(["music.lan", "music.example"]);
  });

  test.each([
    [["169.254.169.254", "fe80::1", "192.168.1.20"], ["192.168.1.20"]],
    [
      ["fd00::20", "192.168.1.20", "127.0.0.1"],
      ["192.168.1.20", "127.0.0.1", "[fd00::20]"],
    ],
    [["100.64.0.7"], ["100.64.0.7"]],
    [["198.18.0.7"], ["198.18.0.7"]],
    [["64:ff9b::5db8:d70e"], ["[64:ff9b::5db8:d70e]"]],
  ])("that the operator trusts and leads to %j is called at %j", async (addresses, hosts) => {
    const { upstream, calls } = withNames(() => addresses, {
      ...TRUSTED,
      fetch: () => Promise.reject(failedWith("ECONNREFUSED")),
    });
    await failureOf(upstream.fetch("http://music.lan:8096/"));
    expect(calls.map(({ url }) => new URL(url).hostname)).toEqual(hosts);
  });

  test.each([
    "169.254.169.254",
    "169.254.1.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "fe80::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "100.100.100.200",
    "192.0.0.192",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "255.255.255.255",
  ])(
    "that the operator trusts is not called at %s, nor is that address itself",
    async (address) => {
      const origin = `http://${address.includes(":") ? `[${address}]` : address}:8096`;
      const { upstream, calls } = withNames(() => [address], {
        trustedOrigins: [...TRUSTED.trustedOrigins, new URL(origin).origin],
      });
      const signal = new AbortController().signal;
      for (const place of ["http://music.lan:8096/a", `${origin}/a`]) {
        for (const call of [
          upstream.fetch(place),
          upstream.openSocket(place, { signal }),
          upstream.openStream(place, { signal, silenceMs: 1 }),
        ]) {
          expect((await failureOf(call)).message).toContain("leads to an address that is never");
        }
      }
      expect(calls).toEqual([]);
    },
  );

  test("that the operator trusts is judged and called at one and the same address", async () => {
    const answers = [["192.168.1.20"], ["169.254.169.254"]];
    const { upstream, calls } = withNames(() => answers.shift() ?? [], TRUSTED);
    await upstream.fetch("http://music.lan:8096/");
    await failureOf(upstream.fetch("http://music.lan:8096/"));
    expect(calls.map(({ url }) => url)).toEqual(["http://192.168.1.20:8096/"]);
  });
});

test("a name is looked up as this machine knows it", async () => {
  for (const reach of ["public", "allowed"] as const) {
    expect(["127.0.0.1", "::1"]).toEqual(
      expect.arrayContaining([...(await NETWORK.lookUp("localhost", reach))]),
    );
  }
  expect(await NETWORK.lookUp("localhost", "allowed")).toEqual(["127.0.0.1", "::1"]);
  const { upstream, calls } = withNames(() => NETWORK.lookUp("localhost", "public"));
  const error = await failureOf(upstream.fetch("https://covers.example/"));
  expect(error.message).toContain("private address");
  expect(calls).toEqual([]);
});

test("an address instead of a name is called as it is", async () => {
  const { upstream, calls, names } = withNames(() => ["10.0.0.1"]);
  await upstream.fetch(`https://${PUBLIC}/`);
  await upstream.fetch(`https://[${PUBLIC_IPV6}]/`);
  expect(calls.map(({ url }) => url)).toEqual([`https://${PUBLIC}/`, `https://[${PUBLIC_IPV6}]/`]);
  expect(names).toEqual([]);
});

describe("a look-up whose answers are kept", () => {
  test("asks once in half a minute for a name, and again at once after a failure", async () => {
    const asked: string[] = [];
    let fails = true;
    const lookUp = keepingAnswers(async (name) => {
      asked.push(name);
      if (fails) throw new Error("no name server answers");
      return [PUBLIC];
    }, clock.monotonicMs);
    await failureOf(lookUp("nas.lan"));
    fails = false;
    for (let count = 0; count < 3; count += 1) expect(await lookUp("nas.lan")).toEqual([PUBLIC]);
    await clock.advance(29_999);
    await lookUp("nas.lan");
    expect(asked).toHaveLength(2);
    await clock.advance(1);
    await lookUp("nas.lan");
    expect(asked).toHaveLength(3);
  });
});

describe("over TLS", () => {
  let authority: CertificateAuthority | undefined;
  const NAMES = ["media.example", "other.example"];
  const certificates: Bun.TLSOptions[] = [];
  beforeAll(async () => {
    if (Bun.which("openssl") === null) return;
    authority = await createCertificateAuthority();
    for (const serverName of NAMES) {
      certificates.push({ serverName, ...(await authority.issue(serverName)) });
    }
  });
  afterAll(() => authority?.remove());

  const servers: Bun.Server<undefined>[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop(true);
  });

  /** A server of this machine with both names, and an upstream for which it has a public address. */
  function serve() {
    const requests: { host: string | null; url: string; clientPort: number | undefined }[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: certificates,
      fetch(request, bun) {
        const clientPort = bun.requestIP(request)?.port;
        requests.push({ host: request.headers.get("host"), url: request.url, clientPort });
        if (request.headers.has("upgrade") && bun.upgrade(request)) return undefined;
        return new Response("hello");
      },
      websocket: { data: undefined, open: (socket) => void socket.send("hello"), message() {} },
    });
    servers.push(server);
    const here: Fetch = (url, init) =>
      fetch(url.replace(PUBLIC, "127.0.0.1"), {
        ...init,
        tls: { ...init.tls, ca: authority?.certificate },
      });
    const { upstream } = withNames(() => [PUBLIC], { fetch: here });
    return { upstream, requests, port: server.port };
  }

  testWithCertificates("a server is asked for by name, and its certificate is for it", async () => {
    const { upstream, requests, port } = serve();
    for (const name of NAMES) {
      const response = await upstream.fetch(`https://${name}:${port}/a?b=c`);
      expect(await response.text()).toBe("hello");
    }
    expect(requests.map(({ host, url }) => [host, url])).toEqual(
      NAMES.map((name) => [`${name}:${port}`, `https://${name}:${port}/a?b=c`]),
    );
  });

  testWithCertificates("a server with a certificate for another name gets nothing", async () => {
    const { upstream, requests, port } = serve();
    const error = await failureOf(upstream.fetch(`https://evil.example:${port}/`));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(requests).toEqual([]);
  });

  testWithCertificates(
    "a connection is used again for its own name, and for no other",
    async () => {
      const { upstream, requests, port } = serve();
      for (const name of ["media.example", "media.example", "other.example", "other.example"]) {
        await upstream.fetch(`https://${name}:${port}/`);
      }
      const [first, second, third, fourth] = requests.map(({ clientPort }) => clientPort);
      expect(second).toBe(first);
      expect(fourth).toBe(third);
      expect(third).not.toBe(first);
      // The name on that connection is another: it must not be used for this one.
      await failureOf(upstream.fetch(`https://evil.example:${port}/`));
      expect(requests).toHaveLength(4);
    },
  );

  testWithCertificates("a WebSocket is opened only to the server with the name", async () => {
    const { requests, port } = serve();
    const opened = await Promise.all(
      ["media.example", "evil.example"].map((name) => openElsewhere(name, port)),
    );
    expect(opened).toEqual(["hello", "UpstreamError"]);
    expect(requests.map(({ host }) => host)).toEqual([`media.example:${port}`]);
  });

  /** What a socket says to a process that trusts the authority, or the name of its error. */
  async function openElsewhere(name: string, port: number | undefined): Promise<string> {
    const destination = {
      url: `https://127.0.0.1:${port}/`,
      name: { hostHeader: `${name}:${port}`, tls: { serverName: name } },
    };
    const script = `
      import { systemClock } from "${root}/src/clock.ts";
      import { openSocket } from "${root}/src/upstream/socket.ts";
      const destination = ${JSON.stringify(destination)};
      const signal = new AbortController().signal;
      openSocket({ ...destination, url: new URL(destination.url) }, "here", { signal }, systemClock)
        .then((socket) => socket.receive())
        .then((text) => text, (error) => error.name)
        .then((text) => Bun.write(Bun.stdout, text))
        .then(() => process.exit());`;
    const program = Bun.spawn([process.execPath, "-e", script], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority?.path },
      stderr: "inherit",
    });
    await exitOf(program);
    return new Response(program.stdout).text();
  }
});
