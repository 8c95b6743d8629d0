import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { optionList } from "../../widget/options.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { isUsableCss, LONGEST_CSS } from "../../src/looks/look.ts";
import { WIDGET_KINDS } from "../../src/looks/new-widget.ts";
import { savedOptionsOf } from "../../src/outputs/options.ts";
import { readSharedLook } from "../../src/overlay/looks/shared-look.ts";
import { addWidget, type AddedWidget } from "../fixtures/data/widgets.ts";
import { hostileTexts } from "../fixtures/ingest/hostile.ts";
import { isPlantedIn, PLANTED } from "../fixtures/http/planted.ts";
import { SEED } from "../fixtures/seed.ts";
import { isThorough } from "../fixtures/thorough.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const ADDRESSES = isThorough ? 1_000 : 300;

let server: TestServer;
let ada: AddedUser;
let widgets: Record<(typeof WIDGET_KINDS)[number], AddedWidget>;
beforeAll(async () => {
  server = await createTestServer({ logLevel: "info" });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(
    aPlayback({
      track: { id: PLANTED, title: `"'>${PLANTED}`, durationMs: 1_000_000, explicit: false },
      artists: [`</style>${PLANTED}`],
      album: { name: `</script>${PLANTED}`, artworks: [] },
    }),
  );
  widgets = {
    overlay: await addWidget(server, ada, "overlay"),
    text: await addWidget(server, ada, "text"),
    card: await addWidget(server, ada, "card"),
  };
});
afterAll(() => server.close());

/** What follows the token in an address. */
const PARTS = { overlay: ["", "/launcher"], text: [""], card: ["", ".svg"] } as const;

const value = fc.oneof(
  fc.constantFrom(
    ...["", " ", "0", "-1", "1e9", "NaN", "Infinity", "on", "off", "true", "1", "fff", "zzz"],
    ...["__proto__", "url(http://evil.test/)", "expression(1)", "\0", "\ud800", "x".repeat(5_000)],
    ...[
      `">${PLANTED}`,
      `</style>${PLANTED}`,
      `</script>${PLANTED}`,
      "{title}",
      "{{",
      "[[{artist}]",
    ],
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const known = optionList.flatMap(([, { type }]) => (type.kind === "choice" ? type.choices : []));
const name = fc.constantFrom(
  ...optionList.map(([option]) => option),
  ...Object.values(savedOptionsOf).flatMap((options) => options.map(([option]) => option)),
  ...["template", "max", "back", "shown", "draft", "css", "__proto__", "constructor", ""],
);
const options = fc.array(fc.tuple(name, fc.oneof(value, fc.constantFrom(...known))), {
  maxLength: 12,
});
const css = fc.oneof(
  fc.constantFrom("", `</style>${PLANTED}`, "@import url(http://evil.test/);", "}}}{{{", "\\"),
  // What is saved has no control characters.
  fc
    .string({ unit: "binary", maxLength: 200 })
    .map((text) => text.replaceAll(/\p{Cc}/gu, ""))
    .filter(isUsableCss),
);
const address = fc.record({
  kind: fc.constantFrom(...WIDGET_KINDS),
  language: fc.constantFrom("en", "fr", "es", "pt", "de"),
  query: options,
  saved: options,
  css,
  size: fc.option(
    fc.record({ width: fc.integer({ min: 1, max: 9_000 }), height: fc.integer({ min: 1 }) }),
  ),
});

test(`${ADDRESSES} widgets with nonsense in their address and in what is saved are drawn, with every text escaped`, async () => {
  for (const one of fc.sample(address, { numRuns: ADDRESSES, seed: SEED })) {
    const { widget, token } = widgets[one.kind];
    const { revision } = server.accounts.widgets.byId(ada.user, widget.id);
    // As a look may lie in the database of another version.
    const look = { options: Object.fromEntries(one.saved), css: one.css, size: one.size };
    await server.accounts.widgets.save(ada.user, widget.id, look, { basedOn: revision });
    const query = new URLSearchParams(one.query.map(([option, text]) => [option, text]));
    const folder = one.kind === "overlay" ? "widget" : one.kind;
    for (const part of PARTS[one.kind]) {
      const response = await server.get(`/${one.language}/${folder}/${token}${part}?${query}`);
      const text = await response.text();
      const isMarkup = /html|svg/.test(response.headers.get("content-type") ?? "");
      const found = { status: response.status, isPlanted: isMarkup && (await isPlantedIn(text)) };
      expect({ seed: SEED, ...one, part, ...found }).toMatchObject({
        status: 200,
        isPlanted: false,
      });
      if (part !== "/launcher" && isMarkup)
        expect(response.headers.get("content-security-policy")).toBeTruthy();
      // A chat bot posts one line.
      if (one.kind === "text") expect(text.split("\n").length).toBeLessThanOrEqual(2);
    }
  }
  expect(server.logged.filter((line) => / error /.test(line))).toEqual([]);
});

test(`${ADDRESSES} looks that somebody may share are read whole or refused, and what is read can be saved`, async () => {
  const samples = [
    {
      marquee: 1,
      name: "Arena",
      options: { theme: "bar", bg: "101010" },
      css: "a{}",
      size: [640, 96],
    },
    { marquee: 1, name: "夜", options: {}, css: "", size: null },
  ];
  const { widget } = widgets.overlay;
  let read = 0;
  for (const text of fc.sample(hostileTexts(samples), { numRuns: ADDRESSES, seed: SEED })) {
    const found = readSharedLook(text);
    if ("mistake" in found) continue;
    read += 1;
    expect(Buffer.byteLength(found.look.css)).toBeLessThanOrEqual(LONGEST_CSS);
    const { revision } = server.accounts.widgets.byId(ada.user, widget.id);
    await server.accounts.widgets.save(ada.user, widget.id, found.look, { basedOn: revision });
    const page = await server.get(`/en/widget/${widgets.overlay.token}`);
    expect({ text, status: page.status }).toEqual({ text, status: 200 });
  }
  expect(read).toBeGreaterThan(10);
});
