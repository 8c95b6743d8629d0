import { expect, test } from "bun:test";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";

/** What a page leads to, and what of it can be led to. */
interface PageLinks {
  /** Hyperlinks in `main`, as they are written. */
  readonly links: readonly string[];
  /** The ids of its elements that can be seen. */
  readonly shown: ReadonlySet<string>;
}

async function linksOf(page: Response): Promise<PageLinks> {
  const links: string[] = [];
  const shown = new Set<string>();
  const collect = new HTMLRewriter()
    .on("main a[href]", {
      element: (element) =>
        void links.push((element.getAttribute("href") ?? "").replaceAll("&amp;", "&")),
    })
    .on("[id]:not([hidden])", {
      element: (element) => void shown.add(element.getAttribute("id") ?? ""),
    });
  await collect.transform(page).text();
  return { links, shown };
}

test("every link of the dashboard's pages leads somewhere", async () => {
  using server = await createTestServer({ realSources: true });
  const ada = await server.addUser("ada", false);
  const { connections } = server.accounts;
  await connections.connect(ada.user, "json", null);
  await connections.connect(ada.user, "mpd", { address: "127.0.0.1:1", password: "" });
  await addWidget(server, ada, "text");
  await addWidget(server, ada, "card");
  const browser = await signIn(server, ada);
  const sections = SECTION_NAMES.map(sectionPath);
  const opened = ["widget?id=1", "widget?id=1&tab=obs", "widget?id=2", "widget?id=3"];
  const chosen = ["chat?with=twitch", "chat?with=bot", "chat?with=bot&bot=other"];
  const paths = [...opened, ...chosen, "history?settings", "music?add=spotify"];
  const pages = [...sections, ...paths.map((path) => `dashboard/${path}`)];

  const dead: string[] = [];
  const seen = new Set<string>();
  const follow = async (link: string): Promise<Response> => {
    const answer = await browser.get(link, { method: "HEAD" });
    const next = answer.headers.get("location");
    return next === null ? answer : follow(next.replace(/#.*$/, ""));
  };
  const check = async (page: string) => {
    const { links } = await linksOf(await browser.get(`/en/${page}`));
    for (const link of links) {
      if (seen.has(link) || link.startsWith("https://")) continue;
      seen.add(link);
      const [path = "", id] = link.split("#");
      const { status } = await follow(path);
      const tab = new URLSearchParams(path.split("?")[1]).get("tab");
      const wanted = [id, tab].filter((one) => one != null);
      const { shown } = await linksOf(await browser.get(path));
      const missing = wanted.filter((one) => !shown.has(one));
      if (status !== 200 || missing.length > 0) {
        dead.push([page, link, status, ...missing].join(" "));
      }
    }
  };
  for (const page of pages) await check(page);
  await server.accounts.users.welcome(ada.user);
  await check("dashboard");
  expect(dead).toEqual([]);
  expect(seen.size).toBeGreaterThan(40);
  expect([...seen]).toContain("/en/dashboard/widget?id=1&tab=obs");
});

test.each([
  ["widget", "id=1&tab=obs", "id=1&tab=obs"],
  ["widget", "id=1&look=cosy", "id=1"],
  ["chat", "with=bot&bot=other", "with=bot&bot=other"],
  ["music", "add=radio&choose=mixxx", "add=radio&choose=mixxx"],
  ["history", "find=night+drive", "find=night+drive"],
])("another language shows the same place of %s at %s", async (section, query, place) => {
  using server = await createTestServer();
  const browser = await signIn(server, await server.addUser("ada"));
  const other: string[] = [];
  const collect = new HTMLRewriter().on(".languages a[lang=de]", {
    element: (link) => void other.push((link.getAttribute("href") ?? "").replaceAll("&amp;", "&")),
  });
  await collect.transform(await browser.get(`/en/dashboard/${section}?${query}`)).text();
  expect(other).toEqual([`/de/dashboard/${section}?${place}`]);
});
