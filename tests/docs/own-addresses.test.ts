import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { withWidgetToken } from "../../src/docs/own-addresses.ts";
import { DOCS_PAGES, docsPath, examplesIn } from "../fixtures/docs/docs-pages.ts";
import { DOCUMENTS, type Fence } from "../fixtures/docs/documents.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";
import { startMarquee } from "../fixtures/servers/marquee-process.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";

/** What the files say where a page says the server's own. */
const ADDRESS_IN_FILES = "127.0.0.1:4747";
/** Where it means no server that runs: the default of a setting, and a container's port. */
const DEFAULTS = /<td><code>http:\/\/127\.0\.0\.1:4747<\/code><\/td>|-p 127\.0\.0\.1:4747:4747/g;
const METRICS_TOKEN = "0123456789abcdef";

const folder = createDataFolder();
beforeAll(() => Bun.write(`${folder.path}/metrics-token`, METRICS_TOKEN));
afterAll(() => folder.remove());

const linesOf = (examples: readonly Fence[], pattern: RegExp) =>
  examples.flatMap(({ text }) => text.split("\n")).filter((line) => pattern.test(line));

/** Pastes a line into a shell, with a key or a secret where it says that one belongs there. */
async function paste(line: string, key: string, secret = ""): Promise<string> {
  const real = line.replace("mq_…", key).replace("mqi_…", secret);
  // A stream of events does not end by itself.
  const command = real.replace("curl -N", "curl -N --max-time 1");
  const shell = Bun.spawn(["sh", "-c", command], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "ignore",
  });
  return new Response(shell.stdout).text();
}

/** What a line's answer has in it when it works. */
function answerTo(line: string): string {
  if (line.includes("/readyz")) return "ok";
  return line.includes("/metrics") ? "marquee_info" : '"success":true';
}

/** A line of Caddy, nginx, Apache or HAProxy that names the server, and its address there. */
const LEADS_ON =
  /(?:reverse_proxy|proxy_pass|ProxyPass \/|server marquee) (?:http:\/\/)?([^\s;/]+)/;

/** Where the examples' proxies pass requests on to. */
const proxiedTo = (examples: readonly Fence[]): string[] =>
  linesOf(examples, LEADS_ON)
    .map((line) => LEADS_ON.exec(line)?.[1] ?? "")
    .filter((address) => !OTHER_SERVERS.includes(address));

/** Those that the page about a second server starts. */
const OTHER_SERVERS: readonly string[] = ["127.0.0.1:4801", "127.0.0.1:4802"];

/** Any credential with random letters, not the `mqw_…` of the files. */
const SECRET = /\bmq[a-z]?_\w{8,}/g;

/** The widget token that a page's copy buttons insert. */
const tokenToCopy = (html: string): string | undefined =>
  /<div class="docs"[^>]* data-widget-token="(\w+)"/.exec(html)?.[1];

const hasCurl = Bun.which("curl") !== null;

describe.each(["", "/music"])("copied from a server whose base URL ends with %j", (basePath) => {
  let server: ListeningServer;
  let ada: AddedUser;
  let grace: AddedUser;
  let secret: string;

  beforeAll(async () => {
    const settings = { rateLimitSeconds: "0", metricsToken: METRICS_TOKEN };
    server = await startTestServer({ basePath, settings });
    ada = await server.addUser("ada");
    grace = await server.addUser("grace");
    const { connections } = server.accounts;
    const { id } = await connections.connect(ada.user, "json", null);
    secret = await connections.secretOf(id);
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
  });
  afterAll(() => server.stop());

  const read = (path: string) => fetch(server.url + path);
  /** The examples of every page in a language. */
  const examplesOf = async (language: string, get = read): Promise<Fence[]> => {
    const paths = DOCUMENTS.map((name) => `/${language}/docs/${name}`);
    return (await Promise.all(paths.map(async (path) => examplesIn(await get(path))))).flat();
  };

  testWith("curl", hasCurl)("every line of curl works as pasted", async () => {
    // Those to other servers are for the programs that run them.
    const toThisServer = (examples: readonly Fence[]) =>
      linesOf(examples, /^curl /).filter((line) => line.includes(server.url));
    const lines = toThisServer(await examplesOf("en"));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      expect(`${line}: ${await paste(line, ada.key, secret)}`).toContain(answerTo(line));
    }
    for (const language of LANGUAGES) {
      expect(toThisServer(await examplesOf(language))).toEqual(lines);
    }
  });

  test.each(LANGUAGES)(
    "every widget address is copied as the reader's own, in %s",
    async (language) => {
      for (const user of [ada, grace]) {
        const { get } = await signIn(server, user, server.url);
        expect(tokenToCopy(await (await get(`/${language}/docs/widget`)).text())).toBe(
          user.widgetToken,
        );
        const addresses = linesOf(await examplesOf(language, get), /\/widget\//);
        expect(addresses.length).toBeGreaterThan(2);
        for (const shown of addresses) {
          expect(shown.trim()).toStartWith(`${server.url}/${language}/widget/mqw_…`);
          const address = withWidgetToken(shown.trim(), user.widgetToken);
          expect(address).toStartWith(`${server.url}/${language}/widget/${user.widgetToken}`);
          expect((await fetch(address)).status).toBe(200);
        }
      }
    },
  );

  test("no page has a token, a key or a secret of its reader, but for copying", async () => {
    const { get } = await signIn(server, ada, server.url);
    for (const page of DOCS_PAGES) {
      const html = await (await get(`/en/${docsPath(page)}`)).text();
      const token = tokenToCopy(html);
      const drawn = token ? html.replace(`data-widget-token="${token}"`, "") : html;
      expect({ page, secrets: drawn.match(SECRET) }).toEqual({ page, secrets: null });
    }
  });

  test("a page with a widget address is kept nowhere, and nobody else gets it", async () => {
    const path = "/en/docs/widget";
    const { get } = await signIn(server, ada, server.url);
    const own = await get(path);
    expect(own.headers.get("cache-control")).toBe("no-store");
    expect(await own.text()).toContain(ada.widgetToken);
    const { get: getAsGrace } = await signIn(server, grace, server.url);
    for (const others of [await read(path), await getAsGrace(path)]) {
      expect(await others.text()).not.toContain(ada.widgetToken);
    }
    expect(await (await read(path)).text()).toContain(`${server.url}/en/widget/mqw_…`);
    expect(await (await get("/en/docs/search.json")).text()).not.toContain(ada.widgetToken);
  });

  test("a proxy's configuration leads to where the server listens", async () => {
    for (const language of LANGUAGES) {
      const addresses = proxiedTo(await examplesOf(language));
      expect(addresses).toHaveLength(6);
      for (const address of addresses) {
        expect((await fetch(`http://${address}/livez`)).status).toBe(200);
      }
    }
  });

  test("the redirect URI is the one that the server uses", async () => {
    const [uri] = linesOf(await examplesOf("en"), /\/callback\/spotify$/);
    const spotify = server.sources.byId("spotify");
    expect(uri).toBe(server.url + (spotify?.oauth?.callbackPath ?? ""));
  });

  test.each(LANGUAGES)("no page says the address in its file, in %s", async (language) => {
    for (const name of DOCUMENTS) {
      const html = await (await read(`/${language}/docs/${name}`)).text();
      expect(`${name}: ${html.replace(DEFAULTS, "")}`).not.toContain(ADDRESS_IN_FILES);
    }
  });
});

test("behind a proxy, people are told its address and the proxy is told the server's", async () => {
  const baseUrl = "https://example.net/music";
  using server = await createTestServer({ baseUrl, listeningAddress: "[::1]:8080" });
  const pageOf = async (name: string) => examplesIn(await server.get(`/en/docs/${name}`));
  const reach = await pageOf("reach");
  expect(proxiedTo(reach)).toEqual(Array(6).fill("[::1]:8080"));
  const lines = linesOf([...(await pageOf("monitoring")), ...(await pageOf("api"))], /^curl /);
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(line).toContain(`${baseUrl}/`);
});

testWith("curl", hasCurl)("a server on any free port tells its own addresses", async () => {
  const data = createDataFolder();
  const marquee = await startMarquee({ folder: data.path });
  try {
    const pageOf = async (name: string) =>
      examplesIn(await fetch(`${marquee.url}/en/docs/${name}`));
    const [line = ""] = linesOf(await pageOf("api"), /^curl /);
    expect(await paste(line, marquee.ready["api_key"] ?? "")).toContain('"success":true');
    const { host } = new URL(marquee.url);
    expect(proxiedTo(await pageOf("reach"))).toEqual(Array(6).fill(host));
  } finally {
    await marquee.stop();
    data.remove();
  }
});
