import { afterEach, beforeEach, expect, test } from "bun:test";
import { resolve } from "node:path";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/settings/programs";

let server: TestServer;
let owner: SignedIn;
let member: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ settings: { files: "/srv/now-playing" } });
  const ada = await server.addUser("ada");
  // Editors wait for the music that they preview.
  await server.sourceOf(ada).says(aPlayback());
  owner = await signIn(server, ada);
  member = await signIn(server, await server.addUser("grace"));
});
afterEach(() => server.close());

test("texts and cards are listed, each with the way to its editor", async () => {
  const names = ["Line", "Badge"];
  await owner.post(PATH, { do: "widget add", kind: "text", name: "Line" });
  await owner.post(PATH, { do: "widget add", kind: "card", name: "Badge" });
  const page = await (await owner.get(PATH)).text();
  const links = [
    ...page.matchAll(/href="(\/en\/dashboard\/widget\?id=\d+)" aria-label="Edit: (\w+)"/g),
  ];
  expect(links.map(([, , name]) => name)).toEqual(names);
  for (const [, path = ""] of links) expect((await owner.get(path)).status).toBe(200);
});

test("a new text gets a name of its own with one click", async () => {
  const offered = () =>
    owner.get(PATH).then((page) => attributeOf(page, '#outputs [name="name"]', "value"));
  expect(await offered()).toBe("Text");
  await owner.post(PATH, { do: "widget add", kind: "text", name: "Text" });
  expect(await offered()).toBe("Text 2");
});

test("only the owner sees in which folder the files lie", async () => {
  expect(await textOf(await owner.get(PATH), "#files code")).toBe("/srv/now-playing/ada");
  expect(await textOf(await member.get(PATH), "#files code")).toBe(undefined);
});

test("the folder of the files is shown as programs on the computer find it", async () => {
  const other = await createTestServer({ settings: { files: "now-playing" } });
  const page = await (await signIn(other, await other.addUser("con"))).get(PATH);
  expect(await textOf(page, "#files code")).toBe(resolve("now-playing", "_con"));
  other.close();
});

test("the line that follows an event stream names an address that is there", async () => {
  const line = (await textOf(await owner.get(PATH), "#streams code")) ?? "";
  const { pathname } = new URL(/http:\S+/.exec(line)?.[0] ?? "");
  expect((await server.get(pathname)).status).toBe(401);
});
