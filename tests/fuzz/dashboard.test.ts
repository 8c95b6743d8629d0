import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { formsIn, type PageForm } from "../fixtures/http/forms.ts";
import { addressesIn, unescapeHtml } from "../fixtures/http/html.ts";
import { isPlantedIn, PLANTED } from "../fixtures/http/planted.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { SEED } from "../fixtures/seed.ts";
import { isThorough } from "../fixtures/thorough.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const FORMS = isThorough ? 1_000 : 200;

let server: TestServer;
let ada: AddedUser;
beforeAll(async () => {
  server = await createTestServer({ logLevel: "info" });
  ada = await server.addUser("ada");
  await server.addUser("grace", false);
});
afterAll(() => server.close());

/** Adds the owner and the member again, where a form has removed one of them. */
async function restoreUsers(): Promise<void> {
  const { users } = server.accounts;
  const left = users.list();
  if (!left.some(({ name }) => name === "ada")) {
    // The first who is added owns the server.
    for (const { name } of left.splice(0)) await users.remove(name);
    ada = await server.addUser("ada");
    left.push(ada.user);
  }
  if (left.length < 2) await server.addUser("grace", false);
}

const hostileText = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      " ",
      "\0",
      "-1",
      "0",
      "1",
      "NaN",
      "1e309",
      "9007199254740993",
      "on",
      "null",
      "[]",
      "{}",
    ],
    ...["__proto__", "constructor", "../../etc/passwd", "javascript:alert(1)", "\ud800", "'; --"],
    ...["http://169.254.169.254/", "127.0.0.1:1", "file:///etc/passwd", "x".repeat(30_000)],
    ...[`">${PLANTED}`, `</textarea>${PLANTED}`, `</style>${PLANTED}`, `</script>${PLANTED}`],
    ...['{"marquee":1,"name":"x","options":{"__proto__":"1"}}', "ada", "grace", "demo", "json"],
  ),
  // Short enough for a name.
  fc.constantFrom(PLANTED, `a ${PLANTED} b`),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.nat({ max: 30 }).map(String),
);

/** Which page and form is next, and what becomes of its fields. */
const step = fc.record({
  page: fc.nat(),
  form: fc.nat(),
  button: fc.nat(),
  /** Whether what the form is for, and about, is spoilt too. */
  spoilsAll: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
  keep: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
  texts: fc.array(hostileText, { minLength: 1, maxLength: 8 }),
  extra: fc.option(fc.tuple(hostileText, hostileText)),
  language: fc.constantFrom("en", "fr", "es", "pt", "de"),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
  items[at % Math.max(1, items.length)];

/** A form's fields with some of them replaced; its token stays, or nothing would be read. */
function spoil({ fields, buttons }: PageForm, { spoilsAll, keep, texts, button, extra }: Step) {
  const stays = spoilsAll ? ["token"] : ["token", "do", "target", "revision"];
  const spoilt = Object.entries(fields).map(([name, value], at): [string, string] => [
    name,
    stays.includes(name) || pick(keep, at) ? value : (pick(texts, at) ?? ""),
  ]);
  const pressed = pick(buttons, button);
  return Object.fromEntries([
    ...spoilt,
    ...(extra ? [extra] : []),
    ...(pressed && pressed[0] !== "" ? [pressed] : []),
  ]);
}

/** The answer to a request; meanwhile the time goes by, as some pages wait for a first word. */
async function whileTimePasses<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  const noteEnd = () => void (isThere = true);
  answer.then(noteEnd, noteEnd);
  while (!isThere) await server.clock.advance(500);
  return answer;
}

test(`${FORMS} forms of the dashboard, filled with nonsense, are answered without a 500, and their texts come back escaped`, async () => {
  let browser: SignedIn = await signIn(server, ada);
  /** Pages that were linked from others, below the sections. */
  const pages = new Set<string>();
  const statuses = new Map<number, number>();
  const actions = new Set<string>();

  const look = async (response: Response, what: object): Promise<string> => {
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const html = /text\/html/.test(response.headers.get("content-type") ?? "");
    const text = await response.text();
    const isPlanted = html && (await isPlantedIn(text));
    if (!isPlanted && status < 500) return text;
    throw new Error(JSON.stringify({ seed: SEED, status, isPlanted, ...what }));
  };

  for (const one of fc.sample(step, { numRuns: FORMS, seed: SEED })) {
    const sections = SECTION_NAMES.map((name) => `/${one.language}/${sectionPath(name)}`);
    const known = [...sections, ...pages];
    const path = pick(known, one.page) ?? "";
    let shown = await whileTimePasses(browser.get(path));
    if (shown.status === 401) {
      // A form has signed this browser out, or ended the session.
      browser = await whileTimePasses(signIn(server, ada));
      shown = await whileTimePasses(browser.get(path));
    }
    const html = await look(shown.clone(), { path });
    const addresses = (await addressesIn(new Response(html))).map(unescapeHtml);
    for (const address of addresses) {
      if (/^\/\w\w\/dashboard\/.*[?]/.test(address) && pages.size < 300) pages.add(address);
    }
    const forms = (await formsIn(new Response(html))).filter(({ method }) => method === "post");
    const form = pick(forms, one.form);
    if (!form) continue;
    const action = form.action || path;
    actions.add(`${action.replace(/\?.*/, "")} ${Object.keys(form.fields).join()}`);
    const fields = spoil(form, one);
    const sent = await whileTimePasses(browser.post(action, fields));
    await look(sent.clone(), { path, action, fields });
    const next = sent.headers.get("location");
    if (next?.startsWith("/"))
      await look(await whileTimePasses(browser.get(next)), { path, action, fields, next });
    await restoreUsers();
  }
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 303]));
  // Otherwise the same few forms were tried again and again.
  expect(actions.size).toBeGreaterThan(20);
  expect(server.logged.filter((line) => / error /.test(line))).toEqual([]);
});
