/** Every action, asked for by a form, by a command, and by a command that a running server carries out. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { AnyAction, Input, Texts } from "../../src/actions/action.ts";
import { ACTIONS } from "../../src/actions/index.ts";
import { perform } from "../../src/actions/run.ts";
import { carryOutServed } from "../../src/cli/served-commands.ts";
import { resolveConfig } from "../../src/config.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { callOf } from "../fixtures/data/actions.ts";
import { createDataFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { isThorough } from "../fixtures/thorough.ts";

type FormAction = Extract<AnyAction, { notice: unknown }>;
const isForm = (action: AnyAction): action is FormAction => "notice" in action;

describe("each action", () => {
  test("has a name of its own, of one or two words", () => {
    const names = ACTIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+( [a-z]+)?$/);
  });

  test("says who may ask for it, and a member is refused each of the owner's", async () => {
    const server = await createTestServer();
    await server.addUser("owner");
    const { user } = await server.addUser("member");
    const call = callOf(server, { user });
    const before = contentOf(server);
    for (const action of ACTIONS) {
      expect(["self", "owner"]).toContain(action.who);
      if (action.who === "self") continue;
      const refused = await perform(action, call, {}).catch((error: unknown) => error);
      expect(refused).toMatchObject({ reason: "entered.ownersOnly" });
    }
    const browser = await signIn(server, { user });
    for (const action of ACTIONS.filter(({ who }) => who === "owner").filter(isForm)) {
      const answer = await browser.post("/en/dashboard/settings/programs", { do: action.name });
      expect([action.name, answer.status]).toEqual([action.name, 403]);
    }
    expect(contentOf(server)).toEqual(before);
    server.close();
  });
});

test("each reason to refuse something is said in every language, with the same values", () => {
  for (const [room, reasons] of Object.entries(languages.en.refused)) {
    for (const [name, text] of Object.entries(reasons as Record<string, string>)) {
      const values = (sentence: string) => new Set(sentence.match(/\{\w+\}/g));
      for (const language of LANGUAGES) {
        const translated = (languages[language].refused as Record<string, Record<string, string>>)[
          room
        ]?.[name];
        expect([language, room, name, values(translated ?? "")]).toEqual([
          ...[language, room, name, values(text)],
        ]);
      }
    }
  }
});

/** What the tables hold, but for what a session and a notice leave behind, and a command's first try. */
function contentOf({ store: { queries } }: TestServer) {
  const tables = queries.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ('sessions', 'magic_links', 'connection_statuses')",
  );
  return tables.map(({ name }) => [name, queries.all(`SELECT * FROM "${name}"`)]);
}

describe("a form, a command and a command of a running server", () => {
  let byForm: TestServer;
  let byServer: TestServer;
  let alone: TestServer;
  let ada: AddedUser;
  let browser: SignedIn;
  const folders: TempFolder[] = [];
  const all = () => [byForm, byServer, alone];

  beforeAll(async () => {
    const settings = { playerHosts: "127.0.0.1", coverSearch: "musicbrainz" };
    const create = async () => {
      const folder = createDataFolder();
      folders.push(folder);
      const ofServer = { ...settings, data: folder.path };
      return createTestServer({ settings: ofServer, realSources: true });
    };
    [byForm, byServer, alone] = [await create(), await create(), await create()];
  });
  afterAll(() => {
    for (const server of all()) server.close();
    for (const folder of folders) folder.remove();
  });

  /** Has ada, who owns each server, and grace there again, and ada signed in. */
  async function restoreUsers(): Promise<void> {
    for (const server of all()) {
      const { users } = server.accounts;
      if (users.owner()?.name !== "ada") {
        for (const { name } of users.list()) await users.remove(name);
        ada = await server.addUser("ada");
      }
      if (users.list().every(({ name }) => name !== "grace")) await server.addUser("grace");
    }
    browser = await signIn(byForm, ada);
  }

  /** What came of it: the documents, or why not. */
  interface Outcome {
    readonly done?: readonly unknown[];
    readonly refused?: string;
  }

  async function asForm(action: FormAction, texts: Texts): Promise<Outcome> {
    const fields = new URLSearchParams({ token: browser.formToken, do: action.name });
    for (const [name, text] of Object.entries(texts)) {
      for (const value of typeof text === "string" ? [text] : text) fields.append(name, value);
    }
    const answer = await browser.get("/en/dashboard/settings/programs", {
      method: "POST",
      headers: { origin: "http://127.0.0.1:4747", accept: "application/json" },
      body: fields,
    });
    const body = (await answer.json()) as Record<string, unknown>;
    return answer.status === 200 ? { done: [body].flat() } : { refused: String(body["error"]) };
  }

  async function asCommand(
    { app }: TestServer,
    action: FormAction,
    texts: Texts,
    isRunning: boolean,
  ): Promise<Outcome> {
    const out: string[] = [];
    const errors: string[] = [];
    const { running, ...parts } = app.actionParts;
    const code = await carryOutServed(
      {
        command: action.name,
        texts: { ...(action.who === "self" && { user: "ada" }), ...texts },
        asJson: true,
      },
      { out: (line) => out.push(line), error: (line) => errors.push(line) },
      {
        ...parts,
        ...(isRunning && running && { running }),
        settings: resolveConfig({}, {}),
        signal: AbortSignal.timeout(1_000),
        stop() {},
      },
    );
    if (code !== 0 && out.length === 0) return { refused: errors.join("\n") };
    return { done: out.map((line) => JSON.parse(line) as unknown) };
  }

  /** What a command says of a text that is not allowed differs from the page by design. */
  const comparable = ({ done, refused }: Outcome) =>
    done === undefined
      ? { isRefused: refused !== undefined }
      : JSON.parse(
          JSON.stringify(done)
            .replaceAll(/\b(mq[a-z]?_|whsec_)[\w+/=-]+/g, "$1…")
            .replaceAll(/(?<="id":")\w{8}(?=")/g, "KEY")
            .replaceAll(/(?<=sign-in\/)[\w-]+/g, "SECRET"),
        );

  test.each(ACTIONS.filter(isForm).map((action) => [action.name, action] as const))(
    "come to the same: %s",
    async (_, action) => {
      await fc.assert(
        fc.asyncProperty(textsFor(action), async (texts) => {
          await restoreUsers();
          // Only on a page it is the owner who asks, and owners do not remove themselves there.
          fc.pre(action.name !== "user remove" || texts["user"] !== "ada");
          const outcomes = [
            await asForm(action, texts),
            await asCommand(byServer, action, texts, true),
            await asCommand(alone, action, texts, false),
          ];
          // What a command prints before it is done, a page drops.
          const count = outcomes[0]?.done?.length ?? 0;
          const results = outcomes.map(({ done, ...outcome }) => ({
            ...outcome,
            ...(done && { done: done.slice(-count) }),
          }));
          const [form, ...commands] = results.map(comparable);
          expect(commands).toEqual([form, form]);
          for (const { clock } of all()) await clock.advance(6_000);
        }),
        { numRuns: isThorough ? 100 : 12 },
      );
      expect(contentLengths(byForm)).toEqual(contentLengths(byServer));
      expect(contentLengths(byForm)).toEqual(contentLengths(alone));
    },
  );

  /** How many rows each table has. */
  const contentLengths = (server: TestServer) =>
    contentOf(server).map(([name, rows]) => [name, (rows as unknown[]).length]);
});

/** Texts that an input takes, and others. */
function textFor(name: string, { type, fallback }: Input<unknown>): fc.Arbitrary<string> {
  const usual =
    type?.kind === "choice"
      ? fc.constantFrom(...type.choices)
      : type?.kind === "switch"
        ? fc.constantFrom("0", "1")
        : fc.constantFrom(
            ...["1", "2", "3", "on", "off", "bot", "ada-2", "0s", "1h", "en", "fr", "ada", "grace"],
            ...["https://example.org/songs", "http://127.0.0.1:9/x", "http://169.254.169.254/"],
            ...["cosy", "theme=vinyl", "url=1"],
          );
  const long = fc.constantFrom("Q".repeat(61), "Q".repeat(5_000));
  const texts = fc.oneof(
    { weight: 8, arbitrary: usual },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", `${name}\u0007`, "a\u009bb") },
    { weight: 1, arbitrary: long },
  );
  // A field that may be left empty, and is, gives no text.
  return fallback === null ? texts.filter((text) => text.trim() !== "") : texts;
}

const textsFor = ({ inputs }: AnyAction): fc.Arbitrary<Texts> =>
  fc.record(
    Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [
        name,
        input.several
          ? fc
              .array(textFor(name, input), { minLength: 1, maxLength: 3 })
              // A form leaves empty fields among others out, and a command does not.
              .filter((all) => new Set(all.map((text) => text.trim() === "")).size === 1)
          : textFor(name, input),
      ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Texts>;
