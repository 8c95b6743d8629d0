import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { LONGEST_CSS } from "../../src/looks/look.ts";
import { openStore } from "../../src/db/open.ts";
import { widgets } from "../../src/db/schema.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

let token: string;
beforeEach(async () => {
  const [ada] = await documentsOf("user", "add", "ada");
  token = String(ada?.["widget_token"]);
});

describe("marquee widget url", () => {
  test("prints exactly the token and the address", async () => {
    expect(await documentsOf("widget", "url", "ada")).toEqual([
      { widget_token: token, widget_url: `http://127.0.0.1:4747/en/widget/${token}` },
    ]);
  });

  test("prints the address alone for people", async () => {
    const { out } = await marquee("widget", "url", "ada");
    expect(out).toBe(`http://127.0.0.1:4747/en/widget/${token}`);
  });

  test("refuses an unknown language", async () => {
    const { code, errors } = await marquee("widget", "url", "ada", "--lang", "xx");
    expect([code, errors]).toEqual([2, "marquee: --lang must be one of en, fr, es, pt, de."]);
  });

  test("prints it below the base URL and on the port that are set", async () => {
    environment["MARQUEE_PORT"] = "8080";
    expect((await marquee("widget", "url", "ada")).out).toStartWith("http://127.0.0.1:8080/en/");
    environment["MARQUEE_BASE_URL"] = "https://example.org/music";
    expect((await marquee("widget", "url", "ada")).out).toStartWith(
      "https://example.org/music/en/",
    );
    const flag = await marquee("widget", "url", "ada", "--base-url", "https://other.example");
    expect(flag.out).toStartWith("https://other.example/en/");
  });
});

describe("marquee widget rotate", () => {
  test("prints exactly another token and its address, which stays", async () => {
    const [rotated] = await documentsOf("widget", "rotate", "ada");
    expect(Object.keys(rotated ?? {})).toEqual(["widget_token", "widget_url"]);
    expect(rotated?.["widget_token"]).not.toBe(token);
    expect(await documentsOf("widget", "url", "ada")).toEqual([rotated ?? {}]);
  });
});

/** Adds a widget and returns its id. */
const add = async (...options: string[]) => {
  const [added] = await documentsOf("widget", "add", "ada", ...options);
  return added ?? {};
};

describe("marquee widget add", () => {
  test("prints exactly the id, the token and the address of the new one", async () => {
    const added = await add("--name", "Starting soon");
    expect(Object.keys(added)).toEqual(["id", "widget_token", "widget_url"]);
    expect(added["widget_token"]).toStartWith("mqw_");
    expect(added["widget_token"]).not.toBe(token);
    expect(added["widget_url"]).toBe(`http://127.0.0.1:4747/en/widget/${added["widget_token"]}`);
  });

  test("prints the address that a kind has", async () => {
    const text = await add("--name", "Chat", "--kind", "text");
    const card = await add("--name", "Profile", "--kind", "card");
    expect(text["widget_url"]).toEndWith(`/en/text/${text["widget_token"]}`);
    expect(card["widget_url"]).toEndWith(`/en/card/${card["widget_token"]}.svg`);
  });

  test.each([
    { problem: "no name", options: [], code: 2, why: "--name" },
    { problem: "an empty name", options: ["--name", " "], code: 2, why: "--name must be" },
    {
      problem: "an unknown kind",
      options: ["--name", "A", "--kind", "gif"],
      code: 2,
      why: "--kind must be one of overlay, text, card",
    },
    { problem: "a name that is taken", options: ["--name", "Main"], code: 1, why: "already" },
  ])("refuses $problem", async ({ options, code: expected, why }) => {
    const { code, errors } = await marquee("widget", "add", "ada", ...options);
    expect(code).toBe(expected);
    expect(errors).toContain(why);
    expect(await documentsOf("widget", "list", "ada")).toHaveLength(1);
  });
});

describe("marquee widget list", () => {
  test("prints a line for each, the first one first", async () => {
    const second = await add("--name", "Second");
    const documents = await documentsOf("widget", "list", "ada");
    expect(documents).toEqual([
      {
        id: expect.any(Number),
        name: "Main",
        kind: "overlay",
        widget_url: `http://127.0.0.1:4747/en/widget/${token}`,
      },
      { id: second["id"], name: "Second", kind: "overlay", widget_url: second["widget_url"] },
    ]);
    const { out } = await marquee("widget", "list", "ada");
    expect(out).toContain("Second");
  });
});

describe("marquee widget remove", () => {
  test.each(["0", "-1", "1x", ""])("refuses the id %p", async (id) => {
    expect((await marquee("widget", "remove", "ada", "--", id)).code).toBe(2);
  });
});

describe("marquee widget set", () => {
  test("saves options one by one, and an empty value forgets one", async () => {
    const { id } = await add("--name", "Second");
    const set = (...assignments: string[]) =>
      documentsOf("widget", "set", "ada", String(id), ...assignments);
    expect(await set("theme=vinyl", "size=20")).toMatchObject([
      { id, name: "Second", revision: 2, options: { theme: "vinyl", size: "20" } },
    ]);
    expect(await set("size=", "idleText=a=b")).toMatchObject([
      { revision: 3, options: { theme: "vinyl", idleText: "a=b" } },
    ]);
  });

  test.each([
    { assignment: "theme", why: "<key=value> must be an option, = and its value" },
    { assignment: "theme=huge", why: "<theme> must be one of card" },
    { assignment: "Theme=card", why: "no option" },
    { assignment: "demo=1", why: "no option" },
  ])("refuses $assignment, and saves nothing", async ({ assignment, why }) => {
    const { id } = await add("--name", "Second");
    const refused = await marquee("widget", "set", "ada", String(id), "size=20", assignment);
    expect(refused.code).toBe(2);
    expect(refused.errors).toContain(why);
    expect(await documentsOf("widget", "set", "ada", String(id), "label=0")).toMatchObject([
      { options: { label: "0" } },
    ]);
  });
});

describe("marquee widget set css", () => {
  const cssOf = async (id: unknown) => {
    const store = openStore(path("data"));
    const [row] = await store.queries
      .select()
      .from(widgets)
      .where(eq(widgets.id, Number(id)));
    store.close();
    return row?.css;
  };
  const set = (id: unknown, ...assignments: string[]) =>
    marquee("widget", "set", "ada", String(id), ...assignments);

  test("saves a file as the overlay's own CSS with its options, and clears it", async () => {
    const { id } = await add("--name", "Second");
    writeFileSync(path("my look.css"), "\uFEFF.np { color: lime }\r\n");
    const { out } = await set(id, "theme=vinyl", `css=@${path("my look.css")}`);
    expect(out).toContain("theme=vinyl\nCSS of 20 bytes");
    expect(await cssOf(id)).toBe(".np { color: lime }\n");
    await set(id, "size=20");
    expect(await cssOf(id)).toBe(".np { color: lime }\n");
    expect((await set(id, "css=")).out).not.toContain("CSS");
    expect(await cssOf(id)).toBe("");
  });

  test("takes as much as the editor", async () => {
    const { id } = await add("--name", "Second");
    writeFileSync(path("long.css"), "é".repeat(LONGEST_CSS / 2));
    expect((await set(id, `css=@${path("long.css")}`)).code).toBe(0);
    expect(await cssOf(id)).toHaveLength(LONGEST_CSS / 2);
  });

  test.each([
    ["CSS itself", () => "css=.np{}"],
    ["no file's name", () => "css=@"],
    ["a file that is not there", () => `css=@${path("none.css")}`],
    ["a folder", () => `css=@${path()}`],
    ["too large a file", () => written("x".repeat(LONGEST_CSS + 1))],
    ["an endless file", () => "css=@/dev/zero"],
    ["a file of another encoding", () => written(new Uint8Array([0xe9]))],
  ])("refuses %s, and saves nothing", async (_, assignment) => {
    const { id } = await add("--name", "Second");
    const { code, errors } = await set(id, "theme=vinyl", assignment());
    expect(code).toBe(2);
    expect(errors).toContain(
      "css was refused. Write @ and the name of a text file in UTF-8 that can be read here, of at most 20480 bytes.",
    );
    expect((await set(id, "label=0")).out).toBe("theme=ambient\nlabel=0");
  });

  const written = (what: string | Uint8Array) => {
    writeFileSync(path("wrong.css"), what);
    return `css=@${path("wrong.css")}`;
  };

  test("is an overlay's alone", async () => {
    const { id } = await add("--name", "Card", "--kind", "card");
    const { code, errors } = await set(id, "css=");
    expect(code).toBe(2);
    expect(errors).toContain("There is no option “css”. There are: mode, progress, source.");
  });
});

describe("marquee widget set of another kind", () => {
  const set = (id: unknown, ...assignments: string[]) =>
    marquee("widget", "set", "ada", String(id), ...assignments);

  test("saves the templates of a text, whose mistakes it refuses", async () => {
    const { id } = await add("--name", "Line", "--kind", "text");
    const template = "template={artist}: {title}[ ({album})]";
    const [saved] = await documentsOf("widget", "set", "ada", String(id), template, "url=1");
    expect(saved).toMatchObject({
      options: { template: "{artist}: {title}[ ({album})]", url: "1" },
    });
    for (const mistake of ["template={titel}", "idleTemplate=[", "theme=vinyl", "url=yes"]) {
      const refused = await set(id, mistake);
      expect([mistake, refused.code]).toEqual([mistake, 2]);
    }
  });
});

test.each(["url", "rotate"])("marquee widget %s takes the widget's id", async (command) => {
  const second = await add("--name", "Second");
  const id = String(second["id"]);
  const [addressed] = await documentsOf("widget", command, "ada", id, "--lang", "fr");
  expect(addressed?.["widget_url"]).toContain(`/fr/widget/${addressed?.["widget_token"]}`);
  expect(addressed?.["widget_token"] === second["widget_token"]).toBe(command === "url");
  const [first] = await documentsOf("widget", "url", "ada");
  expect(first?.["widget_token"]).toBe(token);
});

test("marquee widget rename, copy, remove and restore change what is listed", async () => {
  const names = async () => (await documentsOf("widget", "list", "ada")).map(({ name }) => name);
  const [copied] = await documentsOf("widget", "copy", "ada", "1");
  expect(Object.keys(copied ?? {})).toEqual(["id", "widget_token", "widget_url"]);
  expect(await documentsOf("widget", "rename", "ada", "1", "Intro")).toEqual([
    { id: 1, name: "Intro" },
  ]);
  expect(await documentsOf("widget", "remove", "ada", "1")).toEqual([{ id: 1, name: "Intro" }]);
  expect(await names()).toEqual(["Main 2"]);
  expect(await documentsOf("widget", "restore", "ada", "1")).toEqual([{ id: 1, name: "Intro" }]);
  expect(await names()).toEqual(["Intro", "Main 2"]);
});

describe("marquee widget url --show", () => {
  test("prints what shows and hides an overlay, until it is replaced", async () => {
    const [addresses] = await documentsOf("widget", "url", "ada", "--show");
    const shown = String(addresses?.["show_token"]);
    expect(addresses).toEqual({
      show_token: expect.stringMatching(/^mqs_/),
      show_url: `http://127.0.0.1:4747/show/${shown}`,
      hide_url: `http://127.0.0.1:4747/hide/${shown}`,
    });
    const [rotated] = await documentsOf("widget", "rotate", "ada", "--show");
    expect(rotated?.["show_token"]).not.toBe(shown);
    expect(await documentsOf("widget", "url", "ada", "1", "--show")).toEqual([rotated ?? {}]);
  });

  test("is an overlay's alone", async () => {
    const { id } = await add("--name", "Line", "--kind", "text");
    const { code, errors } = await marquee("widget", "url", "ada", String(id), "--show");
    expect([code, errors]).toEqual([1, "marquee: This works with overlays only."]);
  });
});

describe("marquee look", () => {
  const LOOK = { marquee: 1, name: "Ember", options: { theme: "bar" }, css: ".np{}" };

  test("makes an overlay with one of ours, or with one of a file", async () => {
    writeFileSync(path("ember.json"), JSON.stringify(LOOK));
    await documentsOf("look", "make", "ada", "cosy");
    await documentsOf("look", "make", "ada", `@${path("ember.json")}`, "--name", "Intro");
    const widgets = await documentsOf("widget", "list", "ada");
    expect(widgets.map(({ name }) => name)).toEqual(["Main", "Cosy", "Intro"]);
    const { out } = await marquee("look", "use", "ada", "1", JSON.stringify(LOOK));
    expect(out).toBe("“Main” now uses the look “Ember”.");
    expect(await documentsOf("widget", "set", "ada", "1", "size=20")).toMatchObject([
      { revision: 3, options: { theme: "bar", size: "20" } },
    ]);
  });

  test("refuses what is no look, and a text that has none", async () => {
    const wrong = await marquee("look", "make", "ada", "shiny");
    expect(wrong.code).toBe(2);
    expect(wrong.errors).toMatch(
      /This is not a look\. .*"marquee look make --help" lists the looks/,
    );
    const { id } = await add("--name", "Line", "--kind", "text");
    expect((await marquee("look", "use", "ada", String(id), "cosy")).code).toBe(1);
  });
});

describe("marquee widget test", () => {
  test("does not say that a track was sent where no server runs", async () => {
    const { code, errors } = await marquee("widget", "test", "ada");
    expect(code).toBe(1);
    expect(errors).toStartWith("marquee: No browser source is showing your overlay");
  });
});
