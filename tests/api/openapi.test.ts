import { Type } from "@sinclair/typebox";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { openApiDocument } from "../../src/api/openapi.ts";
import {
  type ApiDescription,
  ENDPOINT_PATHS,
  readApiDescription,
} from "../fixtures/http/api-description.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const NOW_PLAYING = "/api/v1/now-playing";
const USER = "/api/v1/user";
const EVENTS = "/api/v1/now-playing/events";

let server: TestServer;
let ada: AddedUser;
let description: ApiDescription;

async function start(settings: Record<string, string> = {}): Promise<void> {
  server = await createTestServer({ settings });
  ada = await server.addUser("ada");
  description = await readApiDescription(server);
}
beforeEach(() => start());
afterEach(() => server.close());

describe("the description of the API", () => {
  test("names the schema of an answer after its operation where it has no name", () => {
    const about = { operationId: "getUser", description: "" } as const;
    const answer = { about: "", schema: Type.Object({}), examples: {} };
    const endpoints = [{ path: "/api/v1/user", ...about, answer }];
    const { components } = openApiDocument({ baseUrl: "", rateLimitSeconds: 0, endpoints });
    expect(Object.keys(components.schemas)).toContain("getUserAnswer");
  });

  test("is served to everybody as JSON", async () => {
    const response = await server.get("/api/v1/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test.each([{}, { musicPrefix: "branded" }, { rateLimitSeconds: "0" }])(
    "is valid OpenAPI 3.1 with the settings %j",
    async (settings) => {
      server.close();
      await start(settings);
      const validator = new Validator();
      const { valid, errors } = await validator.validate(structuredClone(description.document));
      expect(errors ?? []).toEqual([]);
      expect(valid).toBe(true);
      expect(validator.version).toBe("3.1");
    },
  );

  test("offers the key in the header or in the query, either alone", () => {
    const { components, security } = description.document;
    const places = Object.values(components.securitySchemes);
    expect(places).toContainEqual({ type: "apiKey", in: "header", name: "X-Api-Key" });
    expect(places).toContainEqual({ type: "apiKey", in: "query", name: "api_key" });
    const names = Object.keys(components.securitySchemes);
    expect<unknown>(security).toEqual(names.map((name) => ({ [name]: [] })));
  });

  test("describes exactly the endpoints that ask for a key", () => {
    const guarded = server.routes
      .filter((route) => route.startsWith("GET /api/") && !route.endsWith(".json"))
      .map((route) => route.slice("GET ".length));
    expect(Object.keys(description.document.paths).toSorted()).toEqual(guarded.toSorted());
  });

  test("names the server's base URL", () => {
    expect(description.document.servers).toEqual([{ url: "http://127.0.0.1:4747" }]);
  });

  test("gives examples that follow its own schemas", () => {
    let examples = 0;
    for (const path of ENDPOINT_PATHS) {
      for (const status of description.statusesOf(path)) {
        for (const example of description.examplesOf(path, status)) {
          expect(description.mistakesIn(path, status, example)).toEqual([]);
          examples += 1;
        }
      }
    }
    expect(examples).toBeGreaterThan(10);
  });

  test("gives examples of events whose data follows the schema of now-playing", () => {
    const examples = description.eventExamplesOf(EVENTS);
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) {
      const data = /^event: now-playing\nid: \d+\ndata: (.*)\n\n$/.exec(String(example))?.[1];
      expect(description.mistakesIn(NOW_PLAYING, 200, JSON.parse(data ?? ""))).toEqual([]);
    }
  });

  test.each([
    ["0", "does not limit how often a key may call."],
    ["1", "once every 1 second."],
    ["5", "once every 5 seconds."],
  ])("says how often a key may call, with a limit of %s seconds", async (seconds, sentence) => {
    server.close();
    await start({ rateLimitSeconds: seconds });
    expect(description.document.info.description).toEndWith(sentence);
  });

  test("says of each endpoint why it refuses calls for a while", async () => {
    const about = (path: string) =>
      description.document.paths[path]?.get.responses["429"]?.description;
    expect(about(USER)).toContain("too soon");
    expect(about(USER)).not.toContain("streams");
    expect(about(`${NOW_PLAYING}/events`)).toContain("too many event streams with one key");
    server.close();
    await start({ rateLimitSeconds: "0" });
    expect(about(USER)).not.toContain("too soon");
  });

  test("has no property that is only ever null, which generated clients lose", () => {
    const { schemas } = description.document.components;
    expect(JSON.stringify(schemas)).not.toContain(':{"type":"null"}');
    expect(schemas["NowPlayingAnswer"]).toMatchObject({
      properties: {
        data: { anyOf: [{ $ref: "#/components/schemas/Playback" }, { type: "null" }] },
      },
      required: ["success", "data"],
    });
  });

  test.each(["1", "5", "60"])("quotes the limit's sentence at %s seconds", async (seconds) => {
    server.close();
    await start({ rateLimitSeconds: seconds });
    await server.getAs(ada, USER);
    const refused: unknown = await (await server.getAs(ada, USER)).json();
    expect(description.examplesOf(USER, 429)).toContainEqual(refused);
  });
});

/** Those that many random requests come to are held to it in tests/fuzz/api.test.ts. */
describe("a real answer follows the description", () => {
  const expectToFollow = async (path: string, status: number, response: Response) => {
    expect(response.status).toBe(status);
    expect(description.mistakesIn(path, status, await response.json())).toEqual([]);
    expect(description.missingHeaders(path, status, response.headers)).toEqual([]);
  };

  test("while playing, with a cover", async () => {
    const artworks = [{ key: "cover", load: async () => solidPicture("#e07a5f", 8) }];
    await server.sourceOf(ada).says(aPlayback({ album: { name: "A", artworks } }));
    await expectToFollow(NOW_PLAYING, 200, await server.getAs(ada, NOW_PLAYING));
  });

  test("for a user without a connection", async () => {
    const bob = await server.addUser("bob", false);
    await expectToFollow(USER, 200, await server.getAs(bob, USER));
  });

  const ELSEWHERE = { headers: { host: "elsewhere.example" } };

  describe.each(ENDPOINT_PATHS)("of %s", (path) => {
    test.each<[string, number, () => Promise<Response>]>([
      ["with another method", 405, () => server.getAs(ada, path, { method: "PUT" })],
      ["for another host", 421, () => server.getAs(ada, path, ELSEWHERE)],
    ])("%s", async (_, status, ask) => expectToFollow(path, status, await ask()));

    test("past the limit on guesses", async () => {
      for (let guesses = 0; guesses < 10; guesses++) await server.get(`${path}?api_key=x`);
      const response = await server.get(`${path}?api_key=x`);
      expect(response.status).toBe(429);
      expect(description.mistakesIn(path, 429, await response.json())).toEqual([]);
      expect(response.headers.has("retry-after")).toBe(true);
    });

    test("when something inside fails", async () => {
      server.store.queries.run(sql`DROP TABLE api_keys`);
      await expectToFollow(path, 500, await server.getAs(ada, path));
    });
  });

  test("with the fields named after another service", async () => {
    server.close();
    await start({ musicPrefix: "branded" });
    await expectToFollow(USER, 200, await server.getAs(ada, USER));
  });
});
