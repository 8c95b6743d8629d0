import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { everySo } from "../fixtures/thorough.ts";
import type { Change } from "../../src/db/changes.ts";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createSessionToken } from "../../src/accounts/credential.ts";
import { SESSION_LIFETIME_MS } from "../../src/accounts/sessions.ts";
import { en } from "../../src/i18n/en.ts";
import { SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import * as schema from "../../src/db/schema.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { formsIn } from "../fixtures/http/forms.ts";
import { bodyAfter } from "../fixtures/http/late-body.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { sessionCookieName } from "../fixtures/http/own-cookies.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const ANY_CHANGE: Change = { userId: undefined, concerns: () => true };

const ORIGIN = "http://127.0.0.1:4747";
const EVIL = "https://evil.example";
const SESSION = sessionCookieName();

let server: TestServer;
let ada: AddedUser;
let grace: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  grace = await server.addUser("grace");
  for (const user of [ada, grace]) await server.sourceOf(user).says(aPlayback());
});
afterEach(() => server.close());

/** Every dashboard route as method and path in English. */
const routes = () =>
  server.routes
    .filter((route) => route.includes("/:lang/dashboard"))
    .map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return { method, path: path.replace(":lang", "en").replace(":source", "spotify") };
    });
const pagePaths = () =>
  routes()
    .filter(({ method }) => method === "POST")
    .map(({ path }) => path);

/** All that is stored, but for when somebody was last seen and what was found out by listening. */
const stored = (): string => {
  const { connectionStatuses: _, ...tables } = schema;
  const rows = Object.entries(tables).map(([name, table]) => [
    name,
    server.store.queries.select().from(table).all(),
  ]);
  return JSON.stringify(rows, (key, value: unknown) => (key === "lastSeenAt" ? 0 : value));
};

/** What a page's forms would send: every field as it is, texts filled in. */
async function formsOf(page: Response): Promise<Record<string, string>[]> {
  const forms = await formsIn(page);
  return forms.map(({ fields, buttons }) =>
    Object.fromEntries(
      [...Object.entries(fields), ...buttons].map(([name, value]) => [name, value || "typed"]),
    ),
  );
}

describe("nobody who is not signed in gets anything of the dashboard", () => {
  const noSession: Record<string, () => Promise<Record<string, string>> | Record<string, string>> =
    {
      "no cookie": () => ({}),
      "an invented one": () => ({ cookie: `${SESSION}=${createSessionToken()}` }),
      "an API key": () => ({ cookie: `${SESSION}=${ada.key}`, "x-api-key": ada.key }),
      "a session that was closed": async () => {
        const { cookie } = await signIn(server, ada);
        await server.accounts.sessions.closeAll(ada.user);
        return { cookie };
      },
    };

  test.each(Object.keys(noSession))("%s", async (name) => {
    const headers = { origin: ORIGIN, ...(await noSession[name]?.()) };
    const before = stored();
    expect(routes().length).toBeGreaterThan(15);
    for (const { method, path } of routes()) {
      const body = method === "POST" ? new URLSearchParams({ do: "disconnect" }) : null;
      const answer = await server.get(path, { method, headers, body });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 401`);
      expect(answer.headers.get("set-cookie")).toBe(null);
      const text = await answer.text();
      for (const secret of ["grace", ada.key, ada.widgetToken, aPlayback().track.title]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(stored()).toBe(before);
  });

  test("and what there is no page for says nothing of who is in", async () => {
    const { get } = await signIn(server, ada);
    for (const path of [
      "/xx/dashboard",
      "/en/dashboard/nothing",
      "/en/dashboard/music/link/nothing",
    ]) {
      expect([303, 404]).toContain((await get(path)).status);
    }
  });
});

describe("a form changes nothing unless a page of this session sends it", () => {
  let own: SignedIn;
  let other: SignedIn;
  let stranger: SignedIn;

  beforeEach(async () => {
    own = await signIn(server, ada);
    other = await signIn(server, ada);
    stranger = await signIn(server, grace);
  });

  type Hostile = (fields: Record<string, string>) => RequestInit;
  const form = (fields: Record<string, string>) => new URLSearchParams(fields);
  const withoutToken = ({ token: _, ...fields }: Record<string, string>) => fields;
  const hostile: Record<string, Hostile> = {
    "without an origin": (fields) => ({ body: form(fields) }),
    "from a foreign origin": (fields) => ({ headers: { origin: EVIL }, body: form(fields) }),
    "without a token": (fields) => ({
      headers: { origin: ORIGIN },
      body: form(withoutToken(fields)),
    }),
    "with an empty token": (fields) => ({
      headers: { origin: ORIGIN },
      body: form({ ...fields, token: "" }),
    }),
    "with an invented token": (fields) => ({
      headers: { origin: ORIGIN },
      body: form({ ...fields, token: Bun.CSRF.generate("another secret") }),
    }),
    "with the token in the address": (fields) => ({
      headers: { origin: ORIGIN, "x-csrf-token": fields["token"] ?? "" },
      body: form(withoutToken(fields)),
    }),
    "with a token of the user's other session": (fields) => ({
      headers: { origin: ORIGIN },
      body: form({ ...fields, token: other.formToken }),
    }),
    "with another user's token": (fields) => ({
      headers: { origin: ORIGIN },
      body: form({ ...fields, token: stranger.formToken }),
    }),
    "with the right token second": (fields) => {
      const body = form({ ...fields, token: other.formToken });
      body.append("token", fields["token"] ?? "");
      return { headers: { origin: ORIGIN }, body };
    },
    "as text": (fields) => ({
      headers: { origin: ORIGIN, "content-type": "text/plain" },
      body: form(fields).toString(),
    }),
    "as JSON": (fields) => ({
      headers: { origin: ORIGIN, "content-type": "application/json" },
      body: JSON.stringify(fields),
    }),
    "as a file with a token": (fields) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(withoutToken(fields))) body.set(name, value);
      body.set("token", new File([fields["token"] ?? ""], "token"));
      return { headers: { origin: ORIGIN }, body };
    },
    "without a body": () => ({ headers: { origin: ORIGIN } }),
  };

  test.each(Object.keys(hostile))("%s", async (name) => {
    const forms = await Promise.all(
      pagePaths().map(async (path) => ({ path, forms: await formsOf(await own.get(path)) })),
    );
    expect(forms.flatMap((one) => one.forms).length).toBeGreaterThan(3);
    const before = stored();
    for (const { path, forms: found } of forms) {
      for (const fields of [...everySo(4, found), { token: own.formToken, do: "disconnect" }]) {
        const init = hostile[name]?.(fields) ?? {};
        const headers = { ...(init.headers as Record<string, string>), cookie: own.cookie };
        const query = name.includes("address") ? `?${form(fields)}` : "";
        const answer = await server.get(path + query, { ...init, method: "POST", headers });
        expect(`${path} ${answer.status}`).toBe(`${path} 403`);
      }
    }
    expect(stored()).toBe(before);
  });

  test("as is seen from the same form with all of it, which does something", async () => {
    const before = stored();
    const forms = await formsOf(await own.get("/en/dashboard/music"));
    const ending = forms.find((fields) => fields["do"] === "disconnect") ?? {};
    const answer = await own.post("/en/dashboard/music", ending);
    expect(answer.status).toBe(303);
    expect(stored()).not.toBe(before);
  });

  test("and looking at a page never does", async () => {
    const queries = ["", "?action=disconnect", `?action=remove&target=2&token=${own.formToken}`];
    const before = stored();
    for (const path of pagePaths()) {
      for (const query of queries) expect((await own.get(path + query)).status).toBe(200);
    }
    expect(stored()).toBe(before);
  });
});

describe("a form that is on its way", () => {
  const send = (browser: SignedIn, meanwhile: () => Promise<unknown>) => {
    const fields = { token: browser.formToken, do: "key add", name: "late" };
    return server.get("/en/dashboard/settings/programs", {
      method: "POST",
      headers: {
        origin: ORIGIN,
        cookie: browser.cookie,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: bodyAfter(meanwhile, new URLSearchParams(fields).toString()),
    });
  };

  test("changes nothing when its browser is signed out meanwhile", async () => {
    const browser = await signIn(server, grace);
    const before = server.accounts.keys.list(grace.user);
    const answer = await send(browser, () => server.accounts.sessions.closeAll(grace.user));
    expect(answer.status).toBe(401);
    expect(server.accounts.keys.list(grace.user)).toEqual(before);
  });

  test("is no failure of the server when its user is removed meanwhile", async () => {
    const browser = await signIn(server, grace);
    const answer = await send(browser, () => server.accounts.users.remove("grace"));
    expect(answer.status).toBe(401);
  });

  test("holds up no more than nine others of its user, and none of anybody else", async () => {
    const hers = await signIn(server, grace);
    const his = await signIn(server, ada);
    const held = Promise.withResolvers<void>();
    const forms = Array.from({ length: 10 }, () => send(hers, () => held.promise));
    await settle();
    const late = await send(hers, async () => {});
    const other = await send(his, async () => {});
    held.resolve();
    expect([late.status, other.status]).toEqual([429, 303]);
    expect(late.headers.get("retry-after")).toBe("5");
    expect(await late.text()).toContain(en.spent.title);
    expect((await Promise.all(forms)).map(({ status }) => status)).toEqual(forms.map(() => 303));
    expect((await send(hers, async () => {})).status).toBe(303);
  });

  test("counts no more when its sender has gone", async () => {
    const browser = await signIn(server, grace);
    for (let at = 0; at < 10; at++) {
      await send(browser, () => Promise.reject(new Error("gone")));
    }
    expect((await send(browser, async () => {})).status).toBe(303);
  });

  test("is taken otherwise", async () => {
    const answer = await send(await signIn(server, grace), async () => {});
    expect(answer.status).toBe(303);
    expect(server.accounts.keys.list(grace.user)).toHaveLength(2);
  });
});

describe("a member", () => {
  let member: SignedIn;

  beforeEach(async () => {
    member = await signIn(server, grace);
  });

  test("is refused the owner's page and the backup", async () => {
    for (const path of ["settings/server", "server/backup"]) {
      const answer = await member.get(`/en/dashboard/${path}`);
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain("ada");
    }
  });

  test("is shown no way there", async () => {
    for (const path of pagePaths().filter((one) => !one.endsWith("/server"))) {
      const page = await member.get(path);
      expect(page.status).toBe(200);
      expect(await page.text()).not.toContain("/dashboard/settings/server");
    }
  });

  test("becomes the owner for the same session when the owner is removed", async () => {
    await server.accounts.users.remove("ada");
    expect((await member.get("/en/dashboard/settings/server")).status).toBe(200);
  });
});

describe("no page of one user's", () => {
  const mark = fc.stringMatching(/^[a-z]{16}$/);
  const marks = fc.uniqueArray(mark, { minLength: 2, maxLength: 4 });

  test("contains names, keys, tokens, titles, addresses or browsers of another's", async () => {
    await fc.assert(
      fc.asyncProperty(marks, async (all) => {
        using own = await createTestServer();
        const seats: { mark: string; user: AddedUser; browser: SignedIn }[] = [];
        for (const one of all) {
          const user = await own.addUser(one);
          const browser = await signIn(own, user, ORIGIN, `Browser ${one}`);
          await own.accounts.keys.add(user.user, `key-${one}`);
          await own.accounts.privacy.change(user.user, {
            pausedUntil: null,
            hiddenTitles: [`hidden-${one}`],
            hiddenArtists: [`hermit-${one}`],
          });
          const settings = { address: `${one}.example:6600`, password: `pass-${one}` };
          await own.accounts.connections.connect(user.user, "mpd", settings);
          await own.sourceOf(user).says(
            aPlayback({
              track: { id: one, title: `title-${one}`, durationMs: 200_000, explicit: false },
              artists: [`artist-${one}`],
              device: { name: `device-${one}`, type: "speaker", volumePercent: 10 },
            }),
          );
          seats.push({ mark: one, user, browser });
        }
        const paths = [...pagePaths(), "/en/dashboard/account/export"];
        await Promise.all(
          seats.flatMap((seat) =>
            paths.map(async (path) => {
              const answer = await seat.browser.get(path);
              const text = JSON.stringify([...answer.headers]) + (await answer.text());
              const isServer = path.endsWith("/server");
              const isOwner = seat.mark === all[0];
              expect(answer.status).toBe(isServer && !isOwner ? 403 : 200);
              expect(text).not.toContain(`pass-${seat.mark}`);
              for (const other of seats.filter((one) => one !== seat)) {
                const { user } = other;
                for (const secret of [
                  user.key,
                  user.widgetToken,
                  other.browser.cookie.split("=")[1] ?? "?",
                ]) {
                  expect(text).not.toContain(secret);
                }
                // The owner sees who is there, and nothing else of them.
                const visible = isOwner
                  ? text.replaceAll(new RegExp(`(?<![-.\\w])${other.mark}(?![-.\\w])`, "g"), "")
                  : text;
                expect(visible).not.toContain(other.mark);
              }
            }),
          ),
        );
      }),
      { numRuns: 15 },
    );
  });
});

describe("every page", () => {
  let owner: SignedIn;

  beforeEach(async () => {
    owner = await signIn(server, ada);
    await server.sourceOf(ada).says(
      aPlayback({
        track: {
          id: "1",
          title: `</p><script>alert(1)</script>"'><img src=x onerror=alert(1)>`,
          durationMs: 1,
          explicit: false,
        },
        artists: ["<b onmouseover=alert(1)>"],
      }),
    );
  });

  const publicPaths = async () => [
    "/en/sign-in",
    `/en/sign-in/${server.accounts.magicLinks.issue(ada.user, SIGN_IN_PURPOSE)}`,
    "/en/sign-in/mql_ended",
  ];

  async function expectHarmless(page: Response, connections = "'self'"): Promise<void> {
    const policy = new Map(
      (page.headers.get("content-security-policy") ?? "").split("; ").map((rule) => {
        const [name = "", ...values] = rule.split(" ");
        return [name, values.join(" ")] as const;
      }),
    );
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("script-src")).toBe("'self'");
    expect(policy.get("base-uri")).toBe("'none'");
    expect(policy.get("frame-ancestors")).toBe("'none'");
    expect(policy.get("connect-src")).toBe(connections);
    expect(["'self'", "'none'"]).toContain(policy.get("form-action") ?? "");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(["same-origin", "no-referrer"]).toContain(page.headers.get("referrer-policy") ?? "");

    const complaints: string[] = [];
    let scriptText = "";
    const look = new HTMLRewriter()
      .on("*", {
        element(element) {
          for (const [name, value] of element.attributes) {
            if (name.startsWith("on")) complaints.push(`${element.tagName} ${name}`);
            const leads = ["href", "src", "action", "formaction"].includes(name);
            if (leads && /^\s*(javascript|data|vbscript):/i.test(value)) complaints.push(value);
          }
        },
      })
      .on("script", {
        element(element) {
          if (!element.getAttribute("src")?.startsWith("/assets/")) complaints.push("script");
        },
        text: (chunk) => void (scriptText += chunk.text),
      })
      .on("iframe, img, link", {
        element(element) {
          const address = element.getAttribute("src") ?? element.getAttribute("href") ?? "/";
          if (!address.startsWith("/")) complaints.push(address);
        },
      });
    await look.transform(page).text();
    expect(complaints).toEqual([]);
    expect(scriptText.trim()).toBe("");
  }

  test("of somebody signed in has a strict policy and no inline script", async () => {
    const editor = "/en/dashboard/widget?id=1";
    for (const path of [...pagePaths(), editor]) {
      const page = await owner.get(path);
      expect(page.status).toBe(200);
      // The editor alone talks to OBS, on the visitor's own computer.
      const reachesObs = path === editor;
      const connections = "'self' ws://127.0.0.1:* ws://localhost:*";
      await (reachesObs ? expectHarmless(page, connections) : expectHarmless(page));
    }
  });

  test("that refuses, and those to sign in, too", async () => {
    const member = await signIn(server, grace);
    const refusals = [
      await server.get("/en/dashboard"),
      await member.get("/en/dashboard/settings/server"),
      await owner.post("/en/dashboard/music", { token: "x" }),
      ...(await Promise.all((await publicPaths()).map((path) => server.get(path)))),
    ];
    for (const page of refusals) await expectHarmless(page);
  });
});

describe("a dashboard's socket", () => {
  let port: RealPort;
  let owner: SignedIn;

  beforeEach(async () => {
    port = openPort(server);
    owner = await signIn(server, ada);
  });
  afterEach(() => port.end());

  interface Opened {
    readonly messages: string[];
    readonly closed: Promise<number>;
    readonly first: Promise<string | undefined>;
    close(): void;
  }
  const openSocket = (path: string, headers: Record<string, string>) =>
    new WebSocket(port.origin.replace("http", "ws") + path, { headers } as unknown as string[]);
  const open = (headers: Record<string, string>): Opened => {
    const socket = openSocket("/en/dashboard/live", headers);
    const messages: string[] = [];
    const closed = Promise.withResolvers<number>();
    const first = Promise.withResolvers<string | undefined>();
    socket.onmessage = ({ data }) => {
      messages.push(String(data));
      first.resolve(String(data));
    };
    socket.onclose = ({ code }) => {
      closed.resolve(code);
      first.resolve(undefined);
    };
    return {
      messages,
      get closed() {
        return inTime("the socket's end", closed.promise);
      },
      get first() {
        return inTime("the socket's first message", first.promise);
      },
      close: () => socket.close(),
    };
  };

  test("tells a page of ours what the user plays", async () => {
    const opened = open({ cookie: owner.cookie, origin: port.origin });
    expect(await opened.first).toContain(aPlayback().track.title);
    opened.close();
  });

  test.each([EVIL, ""])("tells a page from %p nothing", async (origin) => {
    const opened = open({ cookie: owner.cookie, origin });
    expect(await opened.first).toBe(undefined);
    expect(opened.messages).toEqual([]);
  });

  test("tells nobody without a session anything", async () => {
    const closed = await signIn(server, ada);
    await server.accounts.sessions.closeAll(ada.user);
    const cookies = [
      "",
      `${SESSION}=${createSessionToken()}`,
      `${SESSION}=${ada.key}`,
      closed.cookie,
      owner.cookie,
    ];
    for (const cookie of cookies) {
      expect(await open({ cookie, origin: port.origin }).first).toBe(undefined);
      const { status } = await port.sendRaw(
        [
          "GET /en/dashboard/live HTTP/1.1",
          `Host: ${new URL(port.origin).host}`,
          `Origin: ${port.origin}`,
          `Cookie: ${cookie}`,
          "Upgrade: websocket",
          "Connection: Upgrade, close",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "",
          "",
        ].join("\r\n"),
      );
      expect(status).toBe(401);
    }
  });

  test("tells each user their own music alone", async () => {
    const say = (user: AddedUser, title: string) =>
      server
        .sourceOf(user)
        .says(aPlayback({ track: { id: title, title, durationMs: 200_000, explicit: false } }));
    await say(ada, "Song of Ada");
    await say(grace, "Song of Grace");
    const member = await signIn(server, grace);
    const one = open({ cookie: owner.cookie, origin: port.origin });
    const other = open({ cookie: member.cookie, origin: port.origin });
    expect(await one.first).toContain("Song of Ada");
    expect(await other.first).toContain("Song of Grace");
    await say(ada, "Another of Ada");
    await settle();
    expect(other.messages.join()).not.toContain("Ada");
    one.close();
    other.close();
  });

  const closings: Readonly<Record<string, (browser: SignedIn) => unknown>> = {
    "its session is ended": () => server.accounts.sessions.closeAll(grace.user),
    "its session expires while it is open": () =>
      server.clock.setWallMs(server.clock.wallMs() + SESSION_LIFETIME_MS),
    "the owner removes its user": () =>
      owner.post("/en/dashboard/settings/server", { do: "user remove", user: "grace" }),
    "its browser signs in anew, as another": ({ cookie }) => {
      const secret = server.accounts.magicLinks.issue(ada.user, SIGN_IN_PURPOSE);
      const headers = { origin: ORIGIN, cookie };
      return server.get(`/en/sign-in/${secret}`, { method: "POST", headers });
    },
  };

  test.each(Object.entries(closings))("is closed when %s", async (_, close) => {
    const member = await signIn(server, grace);
    const opened = open({ cookie: member.cookie, origin: port.origin });
    await opened.first;
    await close(member);
    await server.app.followChange(ANY_CHANGE);
    expect(await opened.closed).toBe(4001);
    const told = opened.messages.length;
    await server.sourceOf(grace).says(aPlayback({ positionMs: 100_000 }));
    expect(opened.messages).toHaveLength(told);
  });

  test("stays open when another session of the user's is ended", async () => {
    const opened = open({ cookie: owner.cookie, origin: port.origin });
    await opened.first;
    const { id: mine } = server.accounts.sessions.list(ada.user)[0]!;
    await signIn(server, ada);
    for (const { id } of server.accounts.sessions.list(ada.user)) {
      if (id !== mine) await server.accounts.sessions.close(ada.user, id);
    }
    await server.app.followChange(ANY_CHANGE);
    const told = opened.messages.length;
    await server.sourceOf(ada).says(null);
    await until(() => opened.messages.length > told || undefined);
    opened.close();
  });

  test("does not take the server down when there is nothing to be read", async () => {
    const opened = open({ cookie: owner.cookie, origin: port.origin });
    await opened.first;
    server.store.queries.run(sql`ALTER TABLE connections RENAME TO elsewhere`);
    await server.sourceOf(ada).says(null);
    const isLogged = () => server.logged.join("\n").includes("could not be sent what changed");
    // A state that is still being made when the table goes is sent first.
    await until(() => isLogged() || undefined);
    server.store.queries.run(sql`ALTER TABLE elsewhere RENAME TO connections`);
    await server.accounts.connections.disconnect(ada.user, "all");
    await server.accounts.connections.connect(ada.user, "demo", null);
    await until(() => opened.messages.at(-1)?.includes("Demo is connected") || undefined);
    opened.close();
  });

  test("tells without being asked what else changes, of its user alone", async () => {
    const { privacy, connections } = server.accounts;
    const opened = open({ cookie: owner.cookie, origin: port.origin });
    await opened.first;
    const saysAfter = async (change: () => unknown, what: string) => {
      const told = opened.messages.length;
      await change();
      await until(() => opened.messages.slice(told).join().includes(what) || undefined);
    };
    const { id = 0 } = (await onlyConnection(connections, ada.user.id)) ?? {};
    const limited = { state: "limited", since: 1, until: server.clock.wallMs() + 60_000 } as const;
    await saysAfter(() => connections.storeStatus(id, limited), "asked for a break");
    let overlay: WebSocket | undefined;
    await saysAfter(() => {
      overlay = openSocket(`/en/widget/${ada.widgetToken}/live`, { "user-agent": "OBS/32.0" });
    }, '"overlays":1');
    await saysAfter(() => overlay?.close(), '"overlays":0');
    const paused = () => ({ ...NOTHING_HIDDEN, pausedUntil: server.clock.wallMs() + 60_000 });
    await saysAfter(() => privacy.change(ada.user, paused()), "paused until");
    // What others are not shown changes for them in nothing.
    await saysAfter(() => server.sourceOf(ada).says(null), '"track":null');
    await saysAfter(() => server.clock.advance(60_000), '"privacy":""');
    const told = opened.messages.length;
    await privacy.change(grace.user, paused());
    await settle();
    await server.clock.advance(60_000);
    // One state may be sent twice, where two changes lead to it.
    expect([...new Set(opened.messages.slice(told - 1))]).toHaveLength(1);
    opened.close();
  });
});
