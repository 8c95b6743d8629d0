import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectPurpose, SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { TILES } from "../../src/dashboard/music/tiles.tsx";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { FAILURE_REASONS } from "../../src/music/connection-status.ts";
import { unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** No page shows English where its language is another, whatever it has to say. */

let server: TestServer;
let owner: SignedIn;
let member: SignedIn;
/** The pages that each may see, by what stands after the language. */
let seen: readonly (readonly [paths: readonly string[], get: SignedIn["get"]])[];

beforeAll(async () => {
  server = await createTestServer({ realSources: true });
  const ada = await server.addUser("ada", false);
  const grace = await server.addUser("grace", false);
  [owner, member] = [await signIn(server, ada), await signIn(server, grace)];
  const cleo = await server.addUser("cleo", false);
  const other = await signIn(server, cleo);
  const { connections, keys, history, widgets, magicLinks } = server.accounts;
  const now = server.clock.wallMs();
  const address = { address: "127.0.0.1:9", password: "" };
  // A user has ten connections at most.
  for (const [index, reason] of FAILURE_REASONS.entries()) {
    const { user } = index < 8 ? ada : cleo;
    const { id } = await connections.connect(user, "mpd", address, reason);
    await connections.storeStatus(id, { state: "retrying", since: now, reason });
  }
  const limited = await connections.connect(cleo.user, "mpd", address, "limited");
  await connections.storeStatus(limited.id, { state: "limited", since: now, until: now + 60_000 });
  await connections.markRefused(
    (await connections.connect(cleo.user, "mpd", address, "refused")).id,
  );
  const pushed = await connections.connect(ada.user, "json", null);
  const song = JSON.stringify({ title: "Paper Lanterns", artist: "Juniper Vale" });
  const inbox = `/in/${await connections.secretOf(pushed.id)}/json`;
  await server.get(inbox, { method: "POST", body: song });
  await server.accounts.privacy.change(ada.user, { pausedUntil: now + 3_600_000 });
  await keys.rotate(ada.user, (await keys.add(ada.user, "bot")).id, 3_600_000);
  await history.change(ada.user, { keeps: "always", followsStreams: true });
  for (const kind of ["text", "card"] as const) await widgets.add(ada.user, { name: kind, kind });

  const sections = SECTION_NAMES.map(sectionPath);
  const ways = TILES.map((tile) => `dashboard/music?add=${tile}`);
  const editors = [1, 2, 3].map((id) => `dashboard/widget?id=${id}`);
  const links = [
    `sign-in/${magicLinks.issue(ada.user, SIGN_IN_PURPOSE)}`,
    ...[ada, grace].map(
      ({ user }) => `connect/spotify/${magicLinks.issue(user, connectPurpose("spotify"))}`,
    ),
  ];
  const forAll = [
    "",
    "sign-in",
    "sign-in/x",
    "connect/spotify/x",
    "nothing",
    "dashboard",
    ...links,
  ];
  seen = [
    [[...sections, ...editors, "dashboard/chat?with=bot"], owner.get],
    [[...sections, ...ways, "dashboard/music?look=here"], member.get],
    [["dashboard/music"], other.get],
    [forAll, server.get],
    [["dashboard/music"], (path) => owner.get(path, { method: "POST" })],
  ];
});
afterAll(() => server.close());

/** The parts of all texts between the places that are filled. */
const partsOf = (words: unknown): string[] =>
  typeof words === "string"
    ? words.split(/\{\w+\}/).map((part) => part.trim())
    : typeof words === "object" && words !== null
      ? Object.values(words).flatMap(partsOf)
      : [];
/** Long enough to be in no other text by chance. */
const sentencesOf = (words: unknown) =>
  new Set(partsOf(words).filter((part) => part.length > 8 && part.includes(" ")));

/** What a page says, also in its attributes, but for data of scripts. */
const saidBy = async (page: Response) =>
  unescapeHtml((await page.text()).replaceAll(/="\{&#34;[^"]*"/g, ""));

test.each(LANGUAGES.filter((language) => language !== "en"))(
  "the pages in %s are in no English",
  async (language) => {
    const own = sentencesOf(languages[language]);
    // Names of other programs' buttons stand in both.
    const all = partsOf(languages[language]).join("\n");
    const foreign = [...sentencesOf(languages.en)].filter((sentence) => !all.includes(sentence));
    let shown = 0;
    for (const [paths, get] of seen) {
      for (const path of paths) {
        const page = await get(`/${language}/${path}`);
        expect([path, page.status < 500]).toEqual([path, true]);
        const text = await saidBy(page);
        expect([path, foreign.filter((sentence) => text.includes(sentence))]).toEqual([path, []]);
        shown += [...own].filter((sentence) => text.includes(sentence)).length;
      }
    }
    expect(shown).toBeGreaterThan(500);
  },
);
