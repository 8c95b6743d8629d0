import { describe, expect, test } from "bun:test";
import { createCider } from "../../src/sources/kinds/cider/index.ts";
import { createHomeAssistant } from "../../src/sources/kinds/homeassistant/index.ts";
import { createEmby, createJellyfin } from "../../src/sources/kinds/media-browser/index.ts";
import { createPear } from "../../src/sources/kinds/pear/index.ts";
import { createPlex } from "../../src/sources/kinds/plex/index.ts";
import { createVlc } from "../../src/sources/kinds/vlc/index.ts";
import { type Source, SourceFailure } from "../../src/sources/source.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { failureOf, noPauses, polledDeps } from "../fixtures/sources/polled.ts";
import { PLAYS, polledSources } from "../fixtures/sources/polled-sources.ts";

const clock = createFakeClock();
const answering = (status: number, text: string) => ({
  ...polledDeps(clock, async () => new Response(text, { status })),
  pauses: noPauses(),
  apiUrl: PLAYS,
  apiKey: "correct-horse",
});
type Deps = ReturnType<typeof answering>;

const SETTINGS = {
  ...{ url: PLAYS, user: "ada", password: "correct-horse", token: "correct-horse" },
  entity: "media_player.desk",
};
const sources: readonly (readonly [(deps: Deps) => Source, object])[] = [
  ...polledSources.map(({ create, good }) => [create, good] as const),
  ...[createVlc, createPear, createCider, createJellyfin, createEmby, createPlex].map(
    (create) => [create, SETTINGS] as const,
  ),
  [createHomeAssistant, SETTINGS],
];

describe.each(sources)("a server that is asked by %p", (create, settings) => {
  const meaningOf = async (status: number, text = "") => {
    const failure = await failureOf(create(answering(status, text)), settings, clock);
    if (failure instanceof SourceFailure) return failure;
    throw new Error(Bun.inspect(failure));
  };

  test.each<[status: number, text: string]>([
    [200, "<html>a router’s page</html>"],
    [404, ""],
    [302, ""],
  ])("answers, but not as expected: %d %p", async (status, text) => {
    const { meaning } = await meaningOf(status, text);
    expect(meaning).toEqual({ kind: "unavailable", reason: "unexpected" });
  });

  test("says what to do where it leads to another address", async () => {
    const { message } = await meaningOf(302);
    expect(message).toEndWith("leads to another address (302): enter that one");
  });

  test("cannot be reached while it starts", async () => {
    expect((await meaningOf(503)).meaning).toEqual({ kind: "unavailable" });
  });
});

test.each<[name: string, create: (deps: Deps) => Source, settings: object]>([
  ["VLC", createVlc, SETTINGS],
  ["Amuse", createPear, { url: PLAYS, token: "" }],
  ["Home Assistant", createHomeAssistant, SETTINGS],
  ...polledSources.map(({ create, good }, index): [string, typeof create, object] => [
    `polled ${index}`,
    create,
    good,
  ]),
])(
  "an object of another program is not what %s answers when nothing plays",
  async (_, create, settings) => {
    const failure = await failureOf(create(answering(200, '{"status":"ok"}')), settings, clock);
    if (!(failure instanceof SourceFailure)) throw new Error(Bun.inspect(failure));
    expect(failure.meaning).toEqual({ kind: "unavailable", reason: "unexpected" });
  },
);
