import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { PLAYER_PATH } from "../../src/sources/kinds/beefweb/player.ts";
import { attributeOf, textOf, unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";

const MUSIC = "/en/dashboard/music";
const LIST = `${MUSIC}?look=list`;
const CIDER = "http://127.0.0.1:10767";

let server: TestServer;
let ada: AddedUser;
let owner: SignedIn;
/** The addresses that were asked. */
let asked: string[];
/** What is at the addresses of this machine. */
let answers: Record<string, () => Response>;

beforeEach(async () => {
  asked = [];
  answers = {
    [`${CIDER}/api/v1/playback/now-playing`]: () =>
      Response.json({ info: { name: "Paper <b>", artistName: "Juniper Vale" } }),
    "http://127.0.0.1:8080/requests/status.json": () =>
      new Response("", {
        status: 401,
        headers: { "WWW-Authenticate": 'Basic realm="VLC stream"' },
      }),
    "http://127.0.0.1:26538/api/v1/song": () => new Response("", { status: 401 }),
  };
  server = await createTestServer({
    realSources: true,
    machine: {
      ...emptyMachine,
      at: (usual) => (usual.startsWith("http") ? usual : "127.0.0.1:1"),
    },
    fetch: async (url) => {
      asked.push(url);
      const answer = answers[url];
      if (!answer) throw new Error("nobody is there");
      return answer();
    },
  });
  ada = await server.addUser("ada", false);
  owner = await signIn(server, ada);
});

afterEach(() => server.close());

const text = async (answer: Response) => unescapeHtml(await answer.text());
const connections = async () =>
  server.accounts.connections.allOf(ada.user.id).map(({ source, name, settings }) => ({
    source,
    name,
    settings,
  }));
/** Sends the first form of a list, as a click on its button does. */
const listen = async (list?: Response) => {
  const html = await (list ?? (await owner.get(LIST))).text();
  const [form = ""] = /<form.*?<\/form>/s.exec(html) ?? [];
  const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  const values = fields.map(([, name = "", value = ""]) => [name, unescapeHtml(value)]);
  return owner.submit(MUSIC, Object.fromEntries(values.filter(([name]) => name !== "token")));
};

test("the page itself asks nobody, and says where its list is", async () => {
  const page = await owner.get(MUSIC);
  expect(await attributeOf(page.clone(), "#found", "data-found")).toBe(LIST);
  expect(await attributeOf(page, "#found a", "href")).toBe(`${MUSIC}?look=here#found`);
  expect(asked).toEqual([]);
});

test("without a script a link shows the page with the list", async () => {
  const page = await owner.get(`${MUSIC}?look=here`);
  expect(await attributeOf(page.clone(), "#found", "data-found")).toBeUndefined();
  expect(await textOf(page, "#found h3 span")).toBe("Cider");
});

test("a member's page does not look, whatever its address says", async () => {
  const member = await signIn(server, await server.addUser("grace", false));
  for (const path of [MUSIC, LIST, `${MUSIC}?look=here`, `${MUSIC}?choose=vlc`]) {
    expect(await (await member.get(path)).text()).not.toContain('id="found"');
  }
  expect(asked).toEqual([]);
});

test("what plays can be listened to with one click, and is then not offered again", async () => {
  expect(await text(await owner.get(LIST))).toContain("Paper <b> – Juniper Vale");
  expect(await (await listen()).text()).toContain("Cider is added, but");
  expect(await connections()).toEqual([
    { source: "cider", name: "", settings: { url: CIDER, token: "" } },
  ]);
  expect(await text(await owner.get(LIST))).not.toContain("Juniper Vale");
});

test("a player that says its name gives it to its connection, also by two clicks", async () => {
  const player = {
    info: { title: "DeaDBeeF" },
    activeItem: { columns: ["Paper Lanterns", "Juniper Vale", "Slow Weather"] },
    playbackState: "playing",
  };
  answers = { [`http://127.0.0.1:8880${PLAYER_PATH}`]: () => Response.json({ player }) };
  const list = await owner.get(LIST);
  const row = await listen(list.clone());
  await listen(list);
  expect(await textOf(row, ".source h2")).toBe("Beefweb · DeaDBeeF");
  expect((await connections()).map(({ name }) => name)).toEqual(["DeaDBeeF"]);
});

test("two clicks connect it once, too, beside one with a name", async () => {
  const { connections: stored } = server.accounts;
  await stored.connect(ada.user, "cider", { url: "http://192.168.1.20:10767", token: "" }, "Attic");
  const list = await owner.get(LIST);
  await listen(list.clone());
  await listen(list);
  expect((await connections()).map(({ name }) => name)).toEqual(["Attic", ""]);
});

test("a second connection to a source gets the name of its player", async () => {
  const elsewhere = { url: "http://192.168.1.20:10767", token: "" };
  const { connections: stored } = server.accounts;
  await stored.connect(ada.user, "cider", elsewhere);
  await stored.connect(ada.user, "cider", elsewhere, "Cider");
  await listen();
  expect((await connections()).map(({ name }) => name)).toEqual(["", "Cider", "Cider 2"]);
});

test("what asks for a secret leads to its form, with the address filled in", async () => {
  const html = await (await owner.get(LIST)).text();
  const links = [...html.matchAll(/href="([^"]*choose[^"]*)"/g)].map(([, href = ""]) =>
    unescapeHtml(href),
  );
  expect(links).toEqual([
    `${MUSIC}?add=player&choose=vlc#way`,
    `${MUSIC}?add=sites&choose=pear#way`,
  ]);
  expect(html).toContain(languages.en.dashboard.music.found.needs.password);
  for (const [id, url] of [
    ["vlc", "http://127.0.0.1:8080"],
    ["pear", "http://127.0.0.1:26538"],
  ]) {
    const page = await owner.get(`${MUSIC}?choose=${id}`);
    expect(await attributeOf(page, `#way #option-url-${id}`, "value")).toBe(url);
  }
});

test("an address is filled in only if a player was found there", async () => {
  answers = {};
  const page = await owner.get(`${MUSIC}?choose=pear&option-url=http://evil.example`);
  expect(await attributeOf(page, "#option-url-pear", "value")).toBe("");
});
