/** Each command, carried out by a running server and, on a copy of its data, without one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, cpSync, openSync, writeFileSync } from "node:fs";
import { ACTIONS } from "../../src/actions/index.ts";
import { run } from "../../src/cli/run.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { watchFile, writersOf } from "../fixtures/data/opened-files.ts";
import { testWith } from "../fixtures/real-parts.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";

/** Set for the server and for each command. */
const SURROUNDINGS = {
  MARQUEE_BASE_URL: "http://music.test",
  MARQUEE_PLAYER_HOSTS: "127.0.0.1",
};

/** What each command line is given: the user of its own test, and names of files. */
const USER = "USER";
const FILE = { css: "css=@CSS", password: "PASSWORD-FILE", key: "KEY-FILE" };

/** What is done before, and the command. Each of the commands has at least one, and each kind of refusal. */
const SCENES: readonly (readonly string[])[] = [
  ["user add new-USER"],
  ["user add first-USER second-USER --source demo"],
  ["user add new-USER Bad!"],
  ["user add new-USER --source json"],
  ["connect USER vlc --url http://127.0.0.1:9", "user list"],
  ["user covers USER on"],
  ["user remove USER"],
  ["user remove nobody"],
  ["key add USER"],
  ["key add USER --name 'chat bot'"],
  ["key add USER --name bot", "key list USER"],
  ["key revoke USER nothing"],
  ["key rotate USER"],
  ["key rotate USER --grace 1h", "key list USER"],
  ["key add USER", "key rotate USER"],
  ["widget list USER"],
  ["widget add USER --name Starting --kind text"],
  ["widget set USER 1 theme=vinyl accent=ff8800"],
  [`widget set USER 1 theme=vinyl ${FILE.css}`],
  ["widget set USER 1 css=@nothing"],
  ["widget url USER"],
  ["widget url USER 1 --lang fr"],
  ["widget url USER --show"],
  ["widget rotate USER"],
  ["widget rotate USER 1 --show"],
  ["widget add USER --name Second", "widget remove USER 2"],
  ["widget remove USER nothing"],
  ["widget add USER --name Second", "widget rename USER 2 Third"],
  ["widget copy USER 1"],
  ["widget restore USER 1"],
  ['widget save USER 1 \'{"name":"Third"}\''],
  ["widget set USER 1 theme=vinyl", "widget versions USER 1"],
  ["widget test USER"],
  ["font add USER Mine nothing"],
  ["font list USER"],
  ["font remove USER nothing"],
  ["cover set USER nothing"],
  ["cover remove USER"],
  ["look make USER cosy"],
  ["look use USER 1 @CSS"],
  ["connect USER json --name Kitchen"],
  ["connect USER demo"],
  [`connect USER vlc --url http://127.0.0.1:9 --password-file ${FILE.password}`],
  ["connect USER vlc --url http://127.0.0.1:9 --password-file nothing"],
  ["connect USER lastfm --user nobody"],
  ["connect USER spotify"],
  ["connect USER mpd --address http://nowhere --nothing 1"],
  ["connect USER json", "connection list USER --show-secrets"],
  ["connect USER json", "connect USER demo", "connection order USER 2 1"],
  ["connect USER json", "connect USER demo", "connection move USER 2 1"],
  ["connect USER json", "connection rename USER 1 Kitchen"],
  ["app enter spotify 0123456789abcdef0123456789abcdef"],
  ["connect USER json", "connection titles USER 1 off"],
  ["connect USER json", "connection covers USER 1 found"],
  ["titles set USER --clean off --brackets 'Night Edit'"],
  ["user welcome USER"],
  ["privacy pause USER --for hour"],
  ["privacy pause USER", "privacy resume USER"],
  ["privacy rules USER --titles Wall --artists Juniper"],
  ["privacy hide USER 'Paper Lanterns'"],
  ["privacy hide USER Wall", "privacy show USER Wall"],
  ["history keep USER month --streams on"],
  ["history keep USER always", "history clear USER"],
  ["connect USER json", "connection rotate USER 1"],
  ["connect USER demo", "disconnect USER"],
  ["connect USER json", "connect USER demo", "disconnect USER"],
  ["connect USER json", "connect USER demo", "disconnect USER 2"],
  ["connect USER json", "disconnect USER --all"],
  ["disconnect USER 1 --all"],
  ["hook add USER https://songs.test/x"],
  ["hook add USER http://127.0.0.1:9/DoAction --events song.started --action 'New song'"],
  ["hook add USER http://192.168.1.2/DoAction"],
  ["hook add USER http://169.254.169.254/"],
  ["hook add USER https://songs.test/x", "hook list USER"],
  ["hook add USER http://127.0.0.1:9/DoAction", "hook test USER 1"],
  ["hook add USER https://songs.test/x", "hook remove USER 1"],
  ["chat app 'NOT ONE'"],
  ["chat link USER"],
  ["chat list USER"],
  ["chat options USER bob --quiet 20"],
  ["chat say USER bob"],
  ["chat unlink USER bob"],
  ["login USER"],
  ["account language USER fr", "login USER"],
  ["account language USER klingon"],
  ["account delete USER --confirm USER", "user list"],
  ["account delete USER --confirm nobody"],
  ["session list USER"],
  ["session end USER nothing"],
  ["logout USER"],
  ["secret rotate"],
  [`secret rotate --old-key-file ${FILE.key}`],
  ["secret rotate --old-key-file nothing"],
];

const folder = createDataFolder();
const path = (name: string) => `${folder.path}/${name}`;
let server: MarqueeProcess;

/** Carries a command line out on a data folder. */
async function marquee(data: string, words: readonly string[], more: Record<string, string> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const environment = { ...SURROUNDINGS, MARQUEE_DATA: path(data), ...more };
  const io = { environment, out: (l: string) => out.push(l), error: (l: string) => errors.push(l) };
  return { code: await run(words, io), out, errors };
}

beforeAll(async () => {
  writeFileSync(path("look.css"), ".track { color: red }");
  writeFileSync(path("password"), "sesame\n");
  writeFileSync(path("old.key"), Buffer.alloc(32, 7).toString("base64"));
  const users = SCENES.flatMap((_, scene) => [`u${scene}p`, `u${scene}j`]);
  await marquee("alone", ["user", "add", "owner", ...users]);
  cpSync(path("alone"), path("served"), { recursive: true });
  server = await startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--data", path("served")],
    environment: SURROUNDINGS,
  });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

/** The words of a command line, for the user of a test. */
const wordsOf = (line: string, user: string): string[] =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) =>
    word
      .replaceAll("'", "")
      .replace(USER, user)
      .replace("@CSS", `@${path("look.css")}`)
      .replace(FILE.password, path("password"))
      .replace(FILE.key, path("old.key")),
  );

/** An output without what is random, and without the folder. */
const comparable = (data: string, { code, out, errors }: Awaited<ReturnType<typeof marquee>>) => ({
  code,
  lines: [...out, "—", ...errors].map((line) =>
    line
      .replaceAll(path(data), "FOLDER")
      .replaceAll(/\b(mq[a-z]?_|whsec_)[\w+/=-]+/g, "$1…")
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)?/g, "TIME")
      .replaceAll(/(?<=Key |"id":"|^)\w{8}(?="|  |$)/g, "KEY"),
  ),
});

/** The list in which a command's effect shows, of a user. */
function listAfter([group = ""]: readonly string[]) {
  const withoutList = ["app", "login", "secret", "titles", "privacy", "history"];
  if (withoutList.includes(group)) return undefined;
  if (group === "user") return () => ["user", "list", "--json"];
  const list = group.replace(/^(dis)?connect$/, "connection").replace("look", "widget");
  return (name: string) => [list, "list", name, "--json"];
}

describe("a command says the same, in both forms and with the same exit code, with a server and without:", () => {
  for (const [at, scene] of SCENES.entries()) {
    test(scene.join(", then "), async () => {
      for (const form of [[], ["--json"]]) {
        const said = [];
        const name = `u${at}${form.length > 0 ? "j" : "p"}`;
        for (const data of ["alone", "served"]) {
          const earlier = scene.slice(0, -1).map((line) => wordsOf(line, name));
          for (const words of earlier) await marquee(data, words);
          const words = [...wordsOf(scene.at(-1) ?? "", name), ...form];
          said.push(comparable(data, await marquee(data, words)));
          const list = form.length === 0 ? undefined : listAfter(words);
          // What the command did shows in the list.
          if (list) said.push(comparable(data, await marquee(data, list(name))));
        }
        const half = said.length / 2;
        expect(said.slice(half)).toEqual(said.slice(0, half));
      }
    });
  }

  test("there is one for each command", () => {
    const known = ACTIONS.map(({ name }) => name).toSorted();
    const tried = known.filter((words) =>
      SCENES.some((scene) => `${scene.at(-1)} `.startsWith(`${words} `)),
    );
    expect(tried).toEqual(known);
  });
});

const testOnLinux = testWith("Linux", process.platform === "linux");

describe("while a server runs, no other process opens the database for writing,", () => {
  const ALSO = [
    "backup COPY",
    "doctor",
    "doctor --songs",
    "open --open never",
    "config",
    "user list --base-url http://other.test",
  ];

  testOnLinux("whatever command runs", async () => {
    const database = watchFile(path("served/marquee.db"));
    const commands = ACTIONS.map(({ name }) =>
      SCENES.map((scene) => scene.at(-1) ?? "").find((line) => `${line} `.startsWith(`${name} `)),
    );
    for (const line of [...commands.filter((one) => one !== undefined), ...ALSO]) {
      const words = wordsOf(line, "ada").map((word) => word.replace("COPY", path("copy.db")));
      await marquee("served", ["user", "add", "ada"]);
      await marquee("served", words);
      expect({ line, openedForWriting: database.closedAfterWriting() }).toEqual({
        line,
        openedForWriting: 0,
      });
    }
    closeSync(openSync(path("served/marquee.db"), "r+"));
    expect(database.closedAfterWriting()).toBe(1);
    database.stop();
  });

  testOnLinux("nor has it open in the middle of a command", async () => {
    const called = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    const listener = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        called.resolve();
        return answer.promise;
      },
    });
    const file = path("served/marquee.db");
    await marquee("served", ["user", "add", "grace"]);
    const hook = ["hook", "add", "grace", `http://127.0.0.1:${listener.port}/DoAction`, "--json"];
    const { out } = await marquee("served", hook);
    const testing = runMarquee({
      folder: folder.path,
      arguments: ["hook", "test", "grace", String(JSON.parse(out[0] ?? "").id)],
      environment: { MARQUEE_DATA: path("served") },
    });
    await called.promise;
    expect(writersOf(file)).toEqual([server.pid]);
    answer.resolve(new Response("taken"));
    expect((await testing).code).toBe(0);
    await listener.stop(true);
  });
});
