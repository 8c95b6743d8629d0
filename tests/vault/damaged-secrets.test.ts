import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { and, eq, getTableName } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { AnyAction, Texts } from "../../src/actions/action.ts";
import { widgets } from "../../src/db/schema.ts";
import { sealedColumns } from "../../src/db/sealed-values.ts";
import { HOOK_EVENTS } from "../../src/hooks/store.ts";
import { SECTION_NAMES, pathTo } from "../../src/html/section-paths.ts";
import { languages } from "../../src/i18n/index.ts";
import { listWidgets } from "../../src/looks/actions.ts";
import { saveWidget } from "../../src/looks/editor-actions.ts";
import { connect } from "../../src/music/connect-actions.ts";
import { listConnections } from "../../src/music/connection-actions.ts";
import { documentsOf } from "../fixtures/data/actions.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const { unreadable } = languages.en.dashboard.gallery;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;
/** The ids of Ada's widgets, the first one's first. */
let ids: readonly number[];

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada", false);
  const { accounts } = server;
  const { user } = ada;
  for (const kind of ["text", "card"] as const) await addWidget(server, ada, kind);
  ids = accounts.widgets.allOf(user).map(({ id }) => id);
  await ask(saveWidget, { id: String(ids[0]), draft: '{"options":{"shown":"asked"}}' });
  const { id } = await accounts.connections.connect(user, "json", null);
  await accounts.connections.secretOf(id);
  const url = "https://example.org/hook";
  await accounts.hooks.add(user, { url, events: HOOK_EVENTS, action: null });
  const account = { service: "twitch", login: "ada", channel: "ada", settings: {} } as const;
  await accounts.chat.link(user, account);
  await accounts.upstreams.enterApp("spotify", { clientId: "a", clientSecret: null });
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

/** Asks for an action as Ada, and resolves with its documents. */
const ask = (action: AnyAction, texts: Texts) => documentsOf(server, ada, action, texts);

/** Changes a byte of every value in a column. */
function damage(column: { readonly name: string; readonly table: string }, at: number) {
  const damaged = server.store.sealed
    .all()
    .filter(({ table, column: name }) => table === column.table && name === column.name);
  expect(damaged.length).toBeGreaterThan(0);
  for (const value of damaged) {
    const bytes = Buffer.from(value.bytes);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    server.store.sealed.replace(value, bytes);
  }
}

const columns = sealedColumns.map(({ column }) => ({
  table: getTableName(column.table),
  name: column.name,
}));
const places = { format: 0, "id of the key": 1, "sealed text": 30 };

describe.each(columns)("where $name of $table is damaged", (column) => {
  test.each(Object.entries(places))("in its %s, every page is shown", async (_, at) => {
    damage(column, at);
    const sections = SECTION_NAMES.map((name) => pathTo({ basePath: "", language: "en" }, name));
    const pages = [
      ...sections,
      ...ids.map((id) => `/en/dashboard/widget?id=${id}`),
      "/en/dashboard/chat?with=bot",
      "/en/dashboard/account/export",
      "/en/docs/widget",
    ];
    const answers = await Promise.all(pages.map((page) => browser.get(page)));
    expect(answers.map(({ status }) => status)).toEqual(pages.map(() => 200));
  });
});

describe("a widget whose address is damaged", () => {
  const column = { table: "widgets", name: "sealed_token" };
  const pages = () => [
    "/en/dashboard",
    "/en/dashboard/widget",
    "/en/dashboard/chat?with=bot",
    ...ids.map((id) => `/en/dashboard/widget?id=${id}`),
  ];

  test("is said to have none to show, until it is replaced", async () => {
    damage(column, 30);
    for (const page of pages()) {
      expect(await textOf(await browser.get(page), ".unreadable-address .status.bad")).toBe(
        unreadable,
      );
    }
    for (const id of ids) {
      const page = `/en/dashboard/widget?id=${id}`;
      await browser.submit(page, { do: "widget rotate", id: String(id) });
    }
    for (const page of pages()) {
      expect(await textOf(await browser.get(page), ".unreadable-address")).toBe(undefined);
    }
  });

  test("is still shown at it", async () => {
    damage(column, 30);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(200);
  });

  test("is listed without it, beside the others", async () => {
    const [before] = await ask(listWidgets, {});
    const isSecond = and(eq(widgets.userId, ada.user.id), eq(widgets.id, ids[1] ?? 0));
    const sealedToken = Buffer.from("damaged");
    server.store.queries.update(widgets).set({ sealedToken }).where(isSecond).run();
    const [first, second] = await ask(listWidgets, {});
    expect(first).toEqual(before);
    expect(second).toMatchObject({ id: ids[1], widget_url: null });
  });
});

describe("an overlay whose addresses on demand are damaged", () => {
  test("is saved, and its editor offers to replace them", async () => {
    damage({ table: "widgets", name: "sealed_show_token" }, 30);
    const id = String(ids[0]);
    const page = `/en/dashboard/widget?id=${id}&tab=obs`;
    expect(await ask(saveWidget, { id, draft: '{"css":".np{}"}' })).toMatchObject([
      { saved: true, show_url: null, hide_url: null },
    ]);
    expect(await textOf(await browser.get(page), ".unreadable-address .status.bad")).toBe(
      unreadable,
    );
    await browser.submit(page, { do: "widget rotate", id, show: "1" });
    expect(await textOf(await browser.get(page), ".unreadable-address")).toBe(undefined);
    expect((await server.accounts.widgets.showTokenOf(ada.user, ids[0] ?? 0)).length).toBe(42);
  });
});

describe("a connection whose secret is damaged", () => {
  test("is listed and connected without it", async () => {
    damage({ table: "connections", name: "sealed_secret" }, 30);
    const [listed] = await ask(listConnections, { showSecrets: "1" });
    const [connected] = await ask(connect, { source: "json" });
    for (const document of [listed, connected]) {
      expect(document).toMatchObject({ source: "json", secret: null, url: null });
    }
  });
});

test("the owner is told where the key cannot be replaced because something is damaged", async () => {
  damage({ table: "hooks", name: "sealed_settings" }, 30);
  const page = await browser.submit("/en/dashboard/settings/server", { do: "secret rotate" });
  expect(await textOf(page, ".notice.bad")).toContain("secret rotate");
});
