import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { InboxSecret } from "../../src/accounts/credential.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** What each socket and each path that programs push to takes, in counts and bytes, and from whom. */

let server: TestServer;
let port: RealPort;
let ada: AddedUser;
let secrets: Map<string, InboxSecret>;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  port = openPort(server);
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
  secrets = new Map();
  const { connections } = server.accounts;
  for (const source of PUSHED) {
    const { id } = await connections.connect(ada.user, source, null);
    secrets.set(source, await connections.secretOf(id));
  }
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await port.end();
  server.close();
});

const PUSHED = ["json", "tuna", "webscrobbler", "listenbrainz", "audioscrobbler", "webnowplaying"];
const secretOf = (source: string): InboxSecret => {
  const secret = secrets.get(source);
  if (!secret) throw new Error(`nobody pushes by ${source}`);
  return secret;
};

const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("hex");
const handshake = () => {
  const t = String(Math.floor(server.clock.wallMs() / 1_000));
  const a = md5(md5(secretOf("audioscrobbler")) + t);
  const query = { hs: "true", p: "1.2.1", c: "tst", v: "1", u: "ada", t, a };
  return `/audioscrobbler/?${new URLSearchParams(query)}`;
};

interface Client {
  readonly isOpen: boolean;
  send(...frames: (string | Uint8Array<ArrayBuffer>)[]): void;
  /** Resolves when the server has read all that was sent. */
  read(): Promise<void>;
  /** The code with which the server closes it. */
  readonly closed: Promise<number>;
}

/** Opens a socket, or is refused. */
async function open(address: string, headers: Record<string, string> = {}): Promise<Client> {
  // Bun's client sends headers, which a browser's type does not know.
  const socket: WebSocket = Reflect.construct(WebSocket, [
    address.replace("http", "ws"),
    { headers },
  ]);
  sockets.push(socket);
  const opened = Promise.withResolvers<boolean>();
  const closed = Promise.withResolvers<number>();
  socket.onopen = () => opened.resolve(true);
  socket.onclose = ({ code }) => {
    opened.resolve(false);
    closed.resolve(code);
  };
  const isOpen = await inTime("a socket's opening", opened.promise);
  return {
    isOpen,
    send: (...frames) => frames.forEach((frame) => socket.send(frame)),
    async read() {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.addEventListener("pong", () => resolve(), { once: true });
      if ("ping" in socket && typeof socket.ping === "function") socket.ping();
      await inTime("an answer to a ping", promise);
    },
    get closed() {
      return inTime("a socket's end", closed.promise);
    },
  };
}

const openDashboard = async (cookie: string) =>
  open(`${port.origin}/en/dashboard/live`, { cookie, origin: port.origin });

const openOverlay = () => open(`${port.origin}/en/widget/${ada.widgetToken}/live`);
const openDemo = () => open(`${port.origin}/en/demo/live`);
const openEvents = () => open(`${port.origin}/api/v1/now-playing/events`, { "x-api-key": ada.key });

describe.each([
  ["an overlay", openOverlay],
  ["the public demo", openDemo],
  ["a dashboard", async () => openDashboard((await signIn(server, ada)).cookie)],
  ["a client of events", openEvents],
])("the socket of %s", (_, openIt) => {
  const twenty = Array.from({ length: 20 }, () => "x");

  test("takes twenty frames in a second, and is closed at the next one", async () => {
    const client = await openIt();
    client.send(...twenty);
    await client.read();
    await server.clock.advance(1_000);
    client.send(...twenty);
    await client.read();
    client.send("x");
    expect(await client.closed).toBe(1008);
  });

  test("takes a kilobyte at a time", async () => {
    const client = await openIt();
    client.send("x".repeat(1_024));
    await client.read();
    client.send(new Uint8Array(1_025));
    expect(await client.closed).toBe(1009);
  });
});

describe("all at once", () => {
  const openMany = async (many: number, openOne: () => Promise<Client>) => {
    const clients = await Promise.all(Array.from({ length: many }, openOne));
    return clients.filter(({ isOpen }) => isOpen).length;
  };

  test("a hundred viewers of the public demo are let in", async () => {
    expect(await openMany(130, openDemo)).toBe(100);
  });

  test("twenty dashboards of one browser are let in, and a hundred of a user", async () => {
    const browsers = await Promise.all(Array.from({ length: 7 }, async () => signIn(server, ada)));
    const [first] = browsers;
    expect(await openMany(30, () => openDashboard(first?.cookie ?? ""))).toBe(20);
    for (const { cookie } of browsers.slice(1)) await openMany(20, () => openDashboard(cookie));
    await until(() =>
      sockets.filter(({ readyState }) => readyState === 1).length === 100 ? true : undefined,
    );
    const grace = await server.addUser("grace");
    const { cookie } = await signIn(server, grace);
    expect(await openMany(2, () => openDashboard(cookie))).toBe(2);
  });

  test("eight browsers are let in on the port for WebNowPlaying, which may speak as often as others", async () => {
    const webnowplayingPort = freePort();
    const local = openPort(server, { webnowplayingPort });
    const openLocal = () => open(`http://127.0.0.1:${webnowplayingPort}/`);
    const clients = await Promise.all(Array.from({ length: 12 }, openLocal));
    await Promise.all(clients.slice(8).map(({ closed }) => closed));
    expect(sockets.filter(({ readyState }) => readyState === 1)).toHaveLength(8);
    // Twenty a second are upgraded: these are closed again, and the rest is refused.
    expect(await openMany(30, openLocal)).toBe(8);
    await server.clock.advance(1_000);
    const [client] = clients;
    client?.send(...Array.from({ length: 201 }, () => "4 0"));
    expect(await client?.closed).toBe(1008);
    await local.end();
  });
});

describe("a program that pushes", () => {
  const session = () => server.accounts.connections.sessionOf(secretOf("audioscrobbler"));
  const inbox = (source: string) => `/in/${secretOf(source)}/${source}`;
  const listenBrainz = (path: string, method: string) =>
    server.get(`/listenbrainz/1/${path}`, {
      method,
      headers: { authorization: `Token ${secretOf("listenbrainz")}` },
      ...(method === "POST" && { body: "{}" }),
    });
  const post = (path: string, body: string) => server.get(path, { method: "POST", body });
  const isLimitedBy = async (response: Response, reason: string) => {
    const text = await response.text();
    return (response.status === 429 || text.startsWith("FAILED")) && text.includes(reason);
  };
  const isLimited = (response: Response) =>
    isLimitedBy(response, "Too many messages: at most 20 a second");

  const songs = [
    ["JSON in the body", () => post(inbox("json"), '{"title":"A"}')],
    ["JSON in the address", () => server.get(`${inbox("json")}?title=A`)],
    ["what Tuna sends", () => post(inbox("tuna"), "{}")],
    ["what Web Scrobbler sends", () => post(inbox("webscrobbler"), "{}")],
    ["listens", () => listenBrainz("submit-listens", "POST")],
    ["a song of Audioscrobbler", () => post("/audioscrobbler/np", `s=${session()}&t=A&a=B`)],
  ] as const;

  test.each([
    ...songs,
    ["the end of a listen", () => listenBrainz("playing-now/delete", "POST")],
    ["a token to validate", () => listenBrainz("validate-token", "GET")],
    ["a handshake of Audioscrobbler", () => server.get(handshake())],
    ["the end of such a song", () => post("/audioscrobbler/submit", `s=${session()}`)],
    ["a request for a socket", () => server.get(inbox("webnowplaying"))],
  ])("%s is followed twenty times in a second", async (_, push) => {
    await server.clock.advance(1_000);
    const answers = await Promise.all(Array.from({ length: 100 }, push));
    const limited = await Promise.all(answers.map(isLimited));
    expect(limited.filter((one) => one)).toHaveLength(80);
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(headers.get("retry-after")).toBe("1");
    }
    await server.clock.advance(1_000);
    expect(await isLimited(await push())).toBe(false);
  });

  /** Each look at the processor's time finds that much more of it used. */
  const everythingTakes = (ms: number) => {
    let workedMs = 0;
    return spyOn(server.clock, "processorMs").mockImplementation(() => (workedMs += ms));
  };

  test.each(songs)(
    "%s is refused once its user's work is spent, and no other user's",
    async (_, push) => {
      const { id } = await server.accounts.connections.connect(
        (await server.addUser("bob")).user,
        "json",
        null,
      );
      const bobs = `/in/${await server.accounts.connections.secretOf(id)}/json`;
      using _work = everythingTakes(700);
      const isRefused = async (response: Response) =>
        isLimitedBy(response, "Too much work for this user");
      for (let times = 0; times < 3; times++) {
        expect(await isRefused(await push())).toBe(false);
        await settle();
      }
      expect(await isRefused(await push())).toBe(true);
      expect((await post(bobs, '{"title":"A"}')).status).toBe(200);
      await server.clock.advance(1_000);
      expect(await isRefused(await push())).toBe(false);
    },
  );

  test("is hung up on by a socket once its user's work is spent", async () => {
    const client = await open(`${port.origin}${inbox("webnowplaying")}`);
    using _work = everythingTakes(700);
    for (let frames = 0; frames < 3; frames++) {
      client.send("4 0");
      await client.read();
      await settle();
    }
    client.send("4 0");
    expect(await client.closed).toBe(1008);
  });
});

describe("a page that loads it as one of its parts", () => {
  const paths = (): readonly string[] => [
    ...["json", "tuna", "webscrobbler", "webnowplaying"].map(
      (source) => `/in/${secretOf(source)}/${source}?title=A`,
    ),
    `/listenbrainz/1/validate-token?token=${secretOf("listenbrainz")}`,
    handshake(),
  ];

  test.each(["image", "style", "font", "iframe", "script", "audio", "nonsense"])(
    "as %s, pushes nothing and does not count",
    async (destination) => {
      const headers = { "sec-fetch-dest": destination };
      for (const path of paths()) {
        for (let times = 0; times < 21; times++) {
          const response = await server.get(path, { headers });
          const isAudioscrobbler = path.startsWith("/audioscrobbler");
          expect(response.status).toBe(isAudioscrobbler ? 200 : 403);
          expect(await response.text()).toContain("as a picture, a style or a font: open it");
        }
        const status = (await server.get(path)).status;
        expect([200, 405, 426]).toContain(status);
      }
    },
  );

  test.each(["empty", "document", null])("but not where it says %p: that pushes", async (dest) => {
    const headers: Record<string, string> = dest === null ? {} : { "sec-fetch-dest": dest };
    const [json = ""] = paths();
    expect((await server.get(json, { headers })).status).toBe(200);
    expect(await (await server.get(handshake(), { headers })).text()).toStartWith("OK\n");
    expect((await server.get(paths()[4] ?? "", { headers })).status).toBe(200);
  });
});

describe("a body that comes in parts", () => {
  const SOURCES = PUSHED.filter((source) => source !== "webnowplaying");
  const pathOf = (source: string) => {
    if (source === "listenbrainz") return "/listenbrainz/1/submit-listens";
    return source === "audioscrobbler" ? "/audioscrobbler/np" : `/in/${secretOf(source)}/${source}`;
  };

  const headOf = (source: string, ...headers: string[]) =>
    [
      `POST ${pathOf(source)} HTTP/1.1`,
      `Host: ${new URL(port.origin).host}`,
      `Authorization: Token ${secretOf("listenbrainz")}`,
      ...headers,
      "\r\n",
    ].join("\r\n");
  /** The beginning of a request, whose body does not end yet. */
  const begun = (source: string, parts: readonly string[]) => {
    const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    return headOf(source, "Transfer-Encoding: chunked") + chunks.join("");
  };
  const NINE_PARTS = Array.from({ length: 9 }, () => "x".repeat(8_192));
  const statusOf = (source: string) => (source === "audioscrobbler" ? 200 : 413);
  const statusesIn = (answers: string) =>
    [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

  test.each(SOURCES)("is not read past 64 KiB, and not waited for, by %s", async (source) => {
    const answer = await port.answersTo(begun(source, NINE_PARTS), 1);
    expect(statusesIn(answer)).toEqual([statusOf(source)]);
    expect(answer).toContain("body is larger than 64 KiB");
  });

  test.each(SOURCES)("is dropped past 64 KiB without hanging up by %s", async (source) => {
    // A proxy that is still sending when the connection ends answers 502 in our place.
    const next = `GET /livez HTTP/1.1\r\nHost: ${new URL(port.origin).host}\r\n\r\n`;
    const inParts = `${begun(source, NINE_PARTS)}0\r\n\r\n`;
    const announced = headOf(source, "Content-Length: 73728") + NINE_PARTS.join("");
    for (const request of [inParts, announced]) {
      const answers = await port.answersTo(request + next, 2);
      expect(statusesIn(answers)).toEqual([statusOf(source), 200]);
    }
  });

  test.each(SOURCES)("is waited for ten seconds at most by %s", async (source) => {
    const answer = port.sendRaw(begun(source, ["x"]));
    const waiting = server.clock.waiting();
    await until(() => (server.clock.waiting() > waiting ? true : undefined));
    await server.clock.advance(10_000);
    const { status, body } = await answer;
    expect(status).toBe(source === "audioscrobbler" ? 200 : 408);
    expect(body).toContain("body did not arrive within 10 seconds");
  });
});
