import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createApiKey,
  createMagicLinkSecret,
  createSessionToken,
  createWidgetToken,
} from "../../src/accounts/credential.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { sessionCookieName } from "../fixtures/http/own-cookies.ts";
import { ENDPOINT_PATHS } from "../fixtures/http/api-description.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** What anybody may ask for. Whoever adds a route lists it here, or guards it with a key. */
const PUBLIC = [
  ...ENDPOINT_PATHS.map((path) => `OPTIONS ${path}`),
  "GET /api/v1/openapi.json",
  "OPTIONS /api/v1/openapi.json",
  "GET /",
  "GET /livez",
  "GET /readyz",
  "GET /assets/:file",
  "GET /art/:id/:rendition",
  "GET /fonts/:file",
  "GET /covers/:file",
  "GET /:lang",
  "GET /:lang/sign-in",
  "GET /:lang/sign-in/with/:source",
  "GET /:lang/demo",
  "GET /:lang/demo/live",
  "GET /:lang/docs",
  "GET /:lang/docs/:page",
  "GET /:lang/docs/sources/:source",
  "GET /docs-pictures/:file",
];
/** What is opened by the secret of a link that works once; the callback by what that began. */
const BY_LINK_SECRET = [
  "GET /:lang/connect/:source/:secret",
  "POST /:lang/connect/:source/:secret",
  "GET /:lang/connect/:source/:secret/start",
  "GET /callback/:source",
  "GET /:lang/sign-in/:secret",
  "POST /:lang/sign-in/:secret",
  "GET /sign-in/:secret",
  "POST /sign-in/:secret",
];
/** What is opened by the widget token in the path. */
const BY_WIDGET_TOKEN = [
  "GET /:lang/widget/:token",
  "GET /:lang/widget/:token/launcher",
  "GET /:lang/widget/:token/live",
  "GET /:lang/text/:token",
  "GET /:lang/card/:token",
];

/** What is opened by the secret of a connection, in the path or in a header. */
const BY_INBOX_SECRET = [
  "ALL /listenbrainz",
  "ALL /listenbrainz/*",
  "ALL /in/:secret/webscrobbler",
  "ALL /in/:secret/tuna",
  "ALL /in/:secret/json",
  "GET /in/:secret/webnowplaying",
];
/** What is opened by the show token of an overlay, in the path. */
const BY_SHOW_TOKEN = ["ALL /show/:token", "ALL /hide/:token"];
/** The same, but this protocol says with status 200 that a secret is wrong. */
const BY_AUDIOSCROBBLER = ["ALL /audioscrobbler", "ALL /audioscrobbler/*"];

const BASE_URLS = ["http://127.0.0.1:4747", "http://example.org/music"];

describe.each(BASE_URLS)("the census of routes at %s", (baseUrl) => {
  let server: TestServer;
  let ada: AddedUser;
  let revokedKey: string;

  beforeEach(async () => {
    server = await createTestServer({ baseUrl });
    ada = await server.addUser("ada");
    revokedKey = ada.key;
    await server.accounts.keys.rotate(ada.user, undefined, 0);
  });
  afterEach(() => server.close());

  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "");
  const routesThat = (isAsked: (route: string) => boolean) => server.routes.filter(isAsked);
  /** The path of a route, below the base URL. */
  const fill = (route: string, values: Record<string, string> = {}) =>
    prefix +
    route
      .slice(route.indexOf(" ") + 1)
      .replace(/:(\w+)/g, (_, name: string) => values[name] ?? "x");

  test("knows every route that it lists", () => {
    const { routes } = server;
    for (const route of [
      ...PUBLIC,
      ...BY_WIDGET_TOKEN,
      ...BY_LINK_SECRET,
      ...BY_INBOX_SECRET,
      ...BY_SHOW_TOKEN,
      ...BY_AUDIOSCROBBLER,
    ]) {
      expect(routes).toContain(route);
    }
  });

  test("finds no route that does not say who may use it", () => {
    const byName: Readonly<Record<string, readonly string[]>> = {
      open: PUBLIC,
      link: BY_LINK_SECRET,
      "widget token": BY_WIDGET_TOKEN,
      "inbox secret": [...BY_INBOX_SECRET, ...BY_AUDIOSCROBBLER],
      "show token": BY_SHOW_TOKEN,
    };
    const { routes } = server.app.elysia;
    expect(routes.filter(({ hooks }) => !hooks.detail?.security)).toEqual([]);
    for (const { method, path, hooks } of routes) {
      const [secrets = { open: [] }] = hooks.detail.security;
      const listed = byName[Object.keys(secrets)[0] ?? ""];
      const route = `${method} ${path}`;
      if (listed && server.routes.includes(route)) expect(listed).toContain(route);
    }
  });

  test("finds the guard of a key or a session at the routes that name it, and at no others", () => {
    const guarded = server.app.elysia.routes.map(({ method, path, hooks }) => {
      const names = hooks.detail.security.flatMap((one: object) => Object.keys(one));
      const isNamed = ["header", "query", "session"].some((name) => names.includes(name));
      return [`${method} ${path}`, isNamed, (hooks.transform?.length ?? 0) > 0];
    });
    expect(guarded.filter(([, isNamed, isGuarded]) => isNamed !== isGuarded)).toEqual([]);
    expect(guarded.filter(([, isNamed]) => isNamed).length).toBeGreaterThan(30);
  });

  test("finds nothing done for one feature's routes that is done for another's, but for all", () => {
    const { elysia } = server.app;
    const ofAll = ["request", "error", "mapResponse"];
    // What a macro brings is said by its route; the language is that of the path.
    const ofMacros = ["parse", "transform", "beforeHandle"];
    for (const { hooks, path } of elysia.routes) {
      const names = Object.keys(hooks).filter((name) => (hooks[name]?.length ?? 0) > 0);
      expect(names.filter((name) => ![...ofAll, ...ofMacros].includes(name))).toEqual([]);
      const { security } = hooks.detail;
      if (hooks.beforeHandle?.length > 0 && !path.startsWith("/:lang")) {
        expect(security).toEqual([{ header: [] }, { query: [] }]);
      }
    }
  });

  test("finds every guard before anything else of a request is judged", async () => {
    const guarded = server.app.elysia.routes.filter(({ hooks }) => hooks.transform?.length);
    const bodies = [
      ["{", "application/json"],
      ["%", "application/x-www-form-urlencoded"],
      ["--", "multipart/form-data; boundary=x"],
      ["x", "image/png"],
      ["x", ""],
    ] as const;
    for (const { method, path } of guarded) {
      for (const [body, type] of bodies) {
        const init = {
          method,
          headers: { ...(type && { "content-type": type }), upgrade: "x" },
          ...(method === "POST" && { body }),
        };
        const at = fill(`${method} ${path}`, { lang: "en" });
        const { status } = await server.get(`${at}?back=x&limit[]=-1&api_key=`, init);
        expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 401`);
      }
    }
  });

  test("finds every route of an overlay on demand closed to any other token", async () => {
    const tokens = [ada.widgetToken, createApiKey(), createSessionToken(), "x"];
    for (const route of BY_SHOW_TOKEN) {
      for (const token of tokens) {
        await server.clock.advance(60_000);
        expect((await server.get(fill(route, { token }))).status).toBe(404);
      }
    }
  });

  test("finds every route that is not listed asking for a key or a session", async () => {
    const credentials: [query: string, headers: Record<string, string>][] = [
      ["", {}],
      ["", { "x-api-key": "" }],
      ["?api_key=", {}],
      ["?api_key=null", {}],
      [`?api_key=${createApiKey()}&api_key=${createApiKey()}`, {}],
      ["", { "x-api-key": createApiKey() }],
      ["", { "x-api-key": revokedKey }],
      [`?api_key=${ada.widgetToken}`, { cookie: `session=${ada.widgetToken}` }],
      ["", { cookie: `${sessionCookieName(baseUrl)}=${createSessionToken()}` }],
      ["", { cookie: `${sessionCookieName(baseUrl)}=${ada.widgetToken}`, upgrade: "websocket" }],
    ];
    const unlisted = routesThat(
      (route) =>
        ![
          ...PUBLIC,
          ...BY_WIDGET_TOKEN,
          ...BY_LINK_SECRET,
          ...BY_INBOX_SECRET,
          ...BY_SHOW_TOKEN,
          ...BY_AUDIOSCROBBLER,
        ].includes(route),
    );
    expect(unlisted.length).toBeGreaterThan(0);
    for (const route of unlisted) {
      const [method = ""] = route.split(" ");
      for (const [query, headers] of credentials) {
        // So that no call finds the limit on guesses.
        await server.clock.advance(60_000);
        const init = { method: method === "ALL" ? "POST" : method, headers };
        const { status } = await server.get(fill(route, { lang: "en" }) + query, init);
        expect(`${route} ${status}`).toBe(`${route} 401`);
      }
    }
  });

  test("finds every method refused that a path does not have, with a key and without", async () => {
    const methodsAt = Map.groupBy(server.routes, (route) => route.split(" ")[1] ?? "");
    for (const [path, routes] of methodsAt) {
      const own = routes.map((route) => route.split(" ")[0] ?? "");
      if (own.includes("ALL")) continue;
      const allowed = own.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      const others = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"].filter(
        (method) => !allowed.includes(method),
      );
      for (const method of others) {
        for (const headers of [{}, { "x-api-key": ada.key }]) {
          const answer = await server.get(fill(path, { lang: "en" }), { method, headers });
          const allow = answer.headers.get("allow")?.split(", ").toSorted();
          expect([method, path, answer.status]).toEqual([method, path, 405]);
          expect(allow).toEqual(allowed.toSorted());
          expect(await answer.text()).toContain("Method not allowed");
        }
      }
    }
  });

  test("finds HEAD answered as GET is, at every path", async () => {
    for (const route of routesThat((one) => one.startsWith("GET "))) {
      // So that no call finds a limit.
      await server.clock.advance(60_000);
      const head = await server.get(fill(route, { lang: "en" }), { method: "HEAD" });
      await server.clock.advance(60_000);
      const get = await server.get(fill(route, { lang: "en" }));
      expect([route, head.status]).toEqual([route, get.status]);
    }
  });

  test("finds nothing in a language that does not exist, by any method", async () => {
    for (const route of routesThat((one) => one.includes("/:lang"))) {
      for (const method of ["GET", "POST", "DELETE"]) {
        expect((await server.get(fill(route, { lang: "xx" }), { method })).status).toBe(404);
      }
    }
  });

  test("finds no page behind a widget token that is not in use", async () => {
    const tokens = ["x", "null", "mqw_", createWidgetToken(), createApiKey(), ada.key];
    for (const route of routesThat((one) => BY_WIDGET_TOKEN.includes(one))) {
      for (const token of tokens) {
        for (const lang of ["en", "xx"]) {
          // So that no call finds the limit on guesses.
          await server.clock.advance(60_000);
          expect((await server.get(fill(route, { lang, token }))).status).toBe(404);
        }
      }
    }
  });

  test("finds nothing to link behind a secret that is not in use", async () => {
    const secrets = ["x", "mql_", createMagicLinkSecret(), ada.widgetToken, ada.key];
    for (const route of routesThat((one) => BY_LINK_SECRET.includes(one))) {
      const [method = ""] = route.split(" ");
      for (const secret of secrets) {
        for (const source of ["spotify", "demo", "nothing"]) {
          const path = fill(route, { lang: "en", source, secret });
          const { status } = await server.get(`${path}?state=${secret}&code=x`, { method });
          expect([400, 404]).toContain(status);
        }
      }
    }
  });

  test("finds no inbox behind a secret that is not in use", async () => {
    const secrets = ["x", "null", "mqi_", createApiKey(), ada.widgetToken, ada.key];
    for (const route of routesThat((one) => BY_INBOX_SECRET.includes(one))) {
      const [method = ""] = route.split(" ");
      for (const secret of secrets) {
        // So that no call finds the limit on guesses.
        await server.clock.advance(60_000);
        const init = {
          method: method === "ALL" ? "POST" : method,
          headers: { authorization: `Token ${secret}` },
          ...(method === "ALL" && { body: "{}" }),
        };
        const path = fill(route, { secret }).replace("*", "1/submit-listens");
        const { status } = await server.get(path, init);
        expect(`${route} ${status}`).toBe(`${route} 401`);
      }
    }
  });

  test("finds no session behind what an Audioscrobbler program may send", async () => {
    for (const route of routesThat((one) => BY_AUDIOSCROBBLER.includes(one))) {
      for (const secret of ["x", createApiKey(), ada.key]) {
        await server.clock.advance(60_000);
        const query = new URLSearchParams({ hs: "true", p: "1.2", u: "ada", t: "1", a: secret });
        const response = await server.get(`${fill(route).replace("*", "")}?${query}`);
        expect([response.status, await response.text()]).toEqual([200, "BADAUTH\n"]);
        const body = new URLSearchParams({ s: secret, a: "A", t: "T" }).toString();
        const path = `${prefix}/audioscrobbler/np`;
        const pushed = await server.get(path, { method: "POST", body });
        expect(await pushed.text()).toBe("BADSESSION\n");
      }
    }
  });

  test("finds no route that answers 422 or 500 to what it did not expect", async () => {
    for (const route of server.routes) {
      const [method = ""] = route.split(" ");
      for (const query of [
        "?api_key[]=a",
        "?api_key=%",
        "?=&&=",
        "?%00=%ff",
        `?${"a".repeat(5_000)}`,
      ]) {
        const init = { method: method === "ALL" ? "POST" : method };
        for (const lang of ["x", "en"]) {
          const { status } = await server.get(fill(route, { lang }) + query, init);
          expect(status).not.toBe(422);
          expect(status).toBeLessThan(500);
        }
      }
    }
  });
});
