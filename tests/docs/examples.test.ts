import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Command as CommanderCommand } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import {
  flagOf,
  resolveConfig,
  settingNames,
  settings,
  UPDATE_MIRROR_VARIABLE,
  variableOf,
} from "../../src/config.ts";
import type { DocumentName } from "../../src/docs/documents.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { type ApiDescription, readApiDescription } from "../fixtures/http/api-description.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { readEvents } from "../fixtures/http/event-reader.ts";
import { examplesIn } from "../fixtures/docs/docs-pages.ts";
import { DOCUMENTS, type Fence, readDocument } from "../fixtures/docs/documents.ts";
import { linesOf } from "../fixtures/servers/lines-of.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";
import { type AddedWidget, addWidget } from "../fixtures/data/widgets.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { exitOf, inTime } from "../fixtures/clock/waiting.ts";

// The other languages have the same examples: tests/docs/completeness.test.ts holds them to that.
const documents = DOCUMENTS.map((name) => ({ name, ...readDocument("en", name) }));

const fencesOf = (...kinds: readonly string[]): readonly (Fence & { name: DocumentName })[] =>
  documents.flatMap(({ name, fences }) =>
    fences.filter(({ language }) => kinds.includes(language)).map((fence) => ({ ...fence, name })),
  );

/** The words of a shell's line, quotes taken off. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );

interface Call {
  readonly line: string;
  /** What stands behind the program's name. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads a line that calls our program, whatever stands before it; undefined for any other line. */
function readCall(line: string): Call | undefined {
  const [command = ""] = line.split(/ [|>] /);
  const match =
    /^(?:sudo |podman exec marquee )?((?:MARQUEE_\w+=\S+ )*)(?:\.\/marquee|marquee|npx -y bun@[\d.]+ start)(?= |$)(.*)$/.exec(
      command.trim(),
    );
  if (!match || line.includes("…") || line.endsWith(" --version")) return undefined;
  const [, assignments = "", rest = ""] = match;
  return {
    line,
    words: wordsOf(rest),
    environment: Object.fromEntries(
      wordsOf(assignments).map((one) => one.split(/=(.*)/, 2) as [string, string]),
    ),
  };
}

/** Every command that does something. */
const leavesOf = (command: CommanderCommand): CommanderCommand[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const calls = documents.flatMap(({ name, fences, codes }) =>
  [...fences.flatMap(({ text }) => text.split("\n")), ...codes.filter((code) => !isName(code))]
    .map(readCall)
    .filter((call) => call !== undefined)
    .map((call) => ({ ...call, name })),
);

/** Whether it only names a command, as running text does. */
function isName(code: string): boolean {
  const [program, ...words] = code.split(" ");
  const last = words.at(-1);
  const commands = leavesOf(createProgram({ environment: {}, out() {}, error() {} }));
  return program === "marquee" && words.length < 3 && commands.some((one) => one.name() === last);
}

const sources = allSources();

/** Reads a command line as the program does, but does nothing. @throws what the program would say */
async function parse({ words, environment }: Call): Promise<void> {
  const program = createProgram({ environment: {}, out() {}, error() {} });
  let ran: CommanderCommand | undefined;
  for (const leaf of leavesOf(program)) leaf.action(() => void (ran = leaf));
  await program.parseAsync([...words], { from: "user" });
  if (!ran) throw new Error("no command took it");
  const [first = "serve"] = words;
  if (!first.startsWith("-") && !words.includes(ran.name()) && first !== "serve") {
    throw new Error(`there is no command ${first}`);
  }
  const files = Object.keys(environment).filter((variable) => variable.endsWith("_FILE"));
  const given = Object.entries(environment).filter(([variable]) => !files.includes(variable));
  const { warnings } = resolveConfig(ran.opts(), Object.fromEntries(given));
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
  if (ran.name() === "connect") checkSource(ran.args);
}

function checkSource([, id = "", ...options]: readonly string[]): void {
  if (id === "SOURCE") return;
  const source = sources.find((one) => one.id === id);
  if (!source) throw new Error(`there is no source ${id}`);
  for (const flag of options.filter((word) => word.startsWith("--"))) {
    const isKnown = Object.entries(source.options).some(
      ([name, { secret }]) => flag === `--${name}` || (secret && flag === `--${name}-file`),
    );
    if (!isKnown) throw new Error(`${id} has no option ${flag}`);
  }
}

describe("a command in the documentation", () => {
  test.each(calls.map((call) => [`${call.name}: ${call.line}`, call] as const))(
    "is read by the program: %s",
    async (_, call) => {
      await parse(call);
    },
  );

  test("is found by these tests in number", () => {
    expect(calls.length).toBeGreaterThan(40);
  });

  test("that does not exist is noticed", async () => {
    for (const line of [
      "marquee user invite ada",
      "marquee invite ada",
      "marquee key rotate ada --grave 1h",
      "marquee user remove",
      "marquee serve --port 8o80",
      "marquee connect ada mpd --adress 127.0.0.1",
      "marquee connect ada winamp",
      "MARQUEE_PROT=1 marquee serve",
    ]) {
      const call = readCall(line);
      if (!call) throw new Error(`${line} is not read`);
      await expect(parse(call)).rejects.toThrow();
    }
  });

  test("names only flags and variables that there are", () => {
    const program = createProgram({ environment: {}, out() {}, error() {} });
    const flags = new Set([
      ...leavesOf(program).flatMap(({ options }) => options.map(({ long }) => long)),
      ...settingNames.map(flagOf),
    ]);
    const variables = new Set([
      UPDATE_MIRROR_VARIABLE,
      ...settingNames.flatMap((name) =>
        "secret" in settings[name]
          ? [variableOf(name), `${variableOf(name)}_FILE`]
          : [variableOf(name)],
      ),
    ]);
    const code = documents.flatMap(({ codes, fences }) => [
      ...codes,
      ...fences.map(({ text }) => text),
    ]);
    const unknownFlags = documents
      .flatMap(({ codes }) => codes)
      .filter((one) => /^--[a-z]/.test(one) && !one.startsWith("--np-"))
      .filter((one) => !flags.has(one.split(" ")[0] ?? ""));
    const unknownVariables = code
      .flatMap((one) => one.match(/MARQUEE_[A-Z_]+/g) ?? [])
      .filter((one) => !variables.has(one));
    expect(unknownFlags).toEqual([]);
    expect(unknownVariables).toEqual([]);
  });
});

/** What every example says of the tests' track. */
const SONG = "Juniper Vale – Paper Lanterns";

describe("an example of the API", () => {
  let server: TestServer;
  let description: ApiDescription;
  let ada: AddedUser;
  let secret: string;
  let line: AddedWidget;
  let card: AddedWidget;

  beforeAll(async () => {
    server = await createTestServer({
      settings: { rateLimitSeconds: "0", metricsToken: "0123456789abcdef" },
    });
    description = await readApiDescription(server);
    ada = await server.addUser("ada");
    line = await addWidget(server, ada, "text");
    card = await addWidget(server, ada, "card");
    const { connections } = server.accounts;
    const { id } = await connections.connect(ada.user, "json", null);
    secret = await connections.secretOf(id);
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
  });
  afterAll(() => server.close());

  // The API answers with objects; a list is a flow for another program.
  const answers = fencesOf("json").filter(({ text }) => text.startsWith("{"));

  test.each(answers.map(({ name, text }, index) => [name, index + 1, text] as const))(
    "is as described: %s, JSON %i",
    (_name, _index, text) => {
      const body = JSON.parse(text);
      const [path, status] =
        body.error !== undefined
          ? (["/api/v1/now-playing", 401] as const)
          : Array.isArray(body.data)
            ? (["/api/v1/recently-played", 200] as const)
            : body.data?.username === undefined
              ? (["/api/v1/now-playing", 200] as const)
              : (["/api/v1/user", 200] as const);
      expect(description.mistakesIn(path, status, body)).toEqual([]);
    },
  );

  test("adds up", () => {
    const playing = answers.map(({ text }) => JSON.parse(text).data).filter((data) => data?.device);
    expect(playing.length).toBeGreaterThan(0);
    for (const { progress_ms, time_remaining_ms, progress_percent, track } of playing) {
      expect(progress_ms + time_remaining_ms).toBe(track.duration_ms);
      expect(progress_percent).toBe(Math.round((progress_ms / track.duration_ms) * 10_000) / 100);
    }
  });

  const addresses = documents.flatMap(({ name, fences, codes }) =>
    [...fences.map(({ text }) => text), ...codes]
      .flatMap((text) => text.match(/http:\/\/127\.0\.0\.1:4747\/[^\s'"<>)]*/g) ?? [])
      .filter((address) => !address.includes("/art/"))
      .map((address) => [name, address] as const),
  );

  const statusOf = (path: string) => {
    // Nobody is on their way back from Spotify here, and an example sends its title in the body.
    if (path.startsWith("/callback/") || path.endsWith("/json")) return 400;
    // The secret of these examples opens another program's address only.
    if (path.endsWith("/tuna")) return 401;
    // Proxies are led there, and people on to their language.
    if (path === "/") return 302;
    // Programs post there.
    return path === "/listenbrainz/" ? 405 : 200;
  };

  test.each(addresses)("leads somewhere: %s %s", async (_, address) => {
    const real = address
      .replace(/(?<=\/text\/)TOKEN/, line.token)
      .replace(/(?<=\/card\/)TOKEN/, card.token)
      .replace(/mq_…/, ada.key)
      .replace(/mqw_…/, ada.widgetToken)
      .replace(/mqi_…/, secret);
    const { pathname, search } = new URL(real);
    const headers = { "x-api-key": ada.key, authorization: "Bearer 0123456789abcdef" };
    const response = await server.get(pathname + search, { headers });
    expect(response.status).toBe(statusOf(pathname + search));
    await response.body?.cancel();
  });

  test("is there to be found", () => expect(addresses.length).toBeGreaterThan(8));
});

describe("a program in the documentation", () => {
  let server: ListeningServer;
  let ada: AddedUser;
  const folder = createTempFolder();

  beforeAll(async () => {
    server = await startTestServer({ settings: { rateLimitSeconds: "0" } });
    ada = await server.addUser("ada");
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  /** The first program of a kind that says this, copied from this server's documentation. */
  const write = async (kind: string, part: string, file: string, key = ""): Promise<string> => {
    const examples = await examplesIn(await server.get("/en/docs/api"));
    const isIt = ({ language, text }: Fence) => language === kind && text.includes(part);
    const source = examples.find(isIt)?.text ?? "";
    const path = join(folder.path, file);
    await Bun.write(path, source.replace("mq_…", key));
    return path;
  };

  async function runs(kind: string, program: string, file: string): Promise<void> {
    const says = async (key: string) => {
      const path = await write(kind, "X-Api-Key", file, key);
      const child = Bun.spawn([program, path], {
        stdout: "pipe",
        stderr: "inherit",
        env: { ...process.env, PYTHONIOENCODING: "utf-8" },
      });
      return (await new Response(child.stdout).text()).trim();
    };
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
    expect(await says(ada.key)).toBe(SONG);
    await server.sourceOf(ada).says(null);
    expect(await says(ada.key)).toBe("Nothing is playing");
    expect(await says("mq_wrong")).toMatch(/401.* Invalid API key$/);
  }

  test("runs in JavaScript", () => runs("js", process.execPath, "example.mjs"), 20_000);

  /** Plays, then stops, while a program listens to events. */
  async function plays(lines: AsyncIterator<string>): Promise<void> {
    expect((await inTime("a line", lines.next())).value).toBe(SONG);
    await server.sourceOf(ada).says(null);
    expect((await inTime("a line", lines.next())).value).toBe("Nothing is playing");
  }
  const listensTo = async (command: string[]) => {
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
    const child = Bun.spawn(command, {
      stdout: "pipe",
      stderr: "ignore",
      env: { ...process.env, PYTHONIOENCODING: "utf-8" },
    });
    try {
      await plays(linesOf(child.stdout));
    } finally {
      child.kill();
      await exitOf(child);
    }
  };

  testWith("curl", Bun.which("curl") !== null)("listens to events with curl", async () => {
    const examples = await examplesIn(await server.get("/en/docs/api"));
    const line = examples.find(({ text }) => text.startsWith("curl -N"))?.text ?? "";
    const command = wordsOf(line.replace("mq_…", ada.key));
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "ignore" });
    try {
      const stream = readEvents(new Response(child.stdout));
      expect(await stream.nextData()).toMatchObject({ data: { artist_name: "Juniper Vale" } });
      await server.sourceOf(ada).says(null);
      expect(await stream.nextData()).toEqual({ success: true, data: null });
    } finally {
      child.kill();
      await exitOf(child);
    }
  });

  testWith(currentChromium.name, currentChromium.isInstalled)(
    "listens to events in a web page",
    async () => {
      await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
      const path = await write("js", "EventSource", "events.js", ada.key);
      const elsewhere = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: () =>
          new Response("<title>A page</title>", { headers: { "content-type": "text/html" } }),
      });
      const browser = await currentChromium.launch();
      try {
        const page = await browser.newPage();
        await page.goto(elsewhere.url.href);
        const lines = new ReadableStream<string>({
          start: (lines) => void page.on("console", (message) => lines.enqueue(message.text())),
        });
        await page.addScriptTag({ path });
        await plays(lines[Symbol.asyncIterator]());
      } finally {
        await browser.close();
        await elsewhere.stop(true);
      }
    },
  );

  const python = Bun.which("python3");
  testWith("Python 3", python !== null)("listens to events in Python", async () =>
    listensTo([python ?? "", await write("python", "/events", "events.py", ada.key)]),
  );
  testWith("Python 3", python !== null)("runs in Python", () =>
    runs("python", python ?? "", "example.py"),
  );
});
