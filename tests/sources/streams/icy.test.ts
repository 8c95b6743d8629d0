import { describe, expect, test } from "bun:test";
import { createIcyReader } from "../../../src/sources/streams/icy.ts";
import { icyFlood, ICY_FLOODS } from "../../fixtures/streams/icy-floods.ts";
import { AUDIO, icyBlock, icyTitle, INTERVAL } from "../../fixtures/streams/radio-server.ts";

function read(bytes: Uint8Array, ...cuts: readonly number[]): string[] {
  const readBytes = createIcyReader(INTERVAL);
  const places = [0, ...cuts, bytes.length];
  return places
    .flatMap((from, index) => readBytes(bytes.subarray(from, places[index + 1])))
    .map(({ title }) => title);
}

const streamOf = (...blocks: readonly Uint8Array[]) =>
  Buffer.concat(blocks.flatMap((block) => [AUDIO, block]));
const EMPTY = Buffer.from([0]);

describe("an ICY stream", () => {
  const stream = streamOf(icyTitle("A - B"), EMPTY, icyTitle("Ночь - 夜"), EMPTY, icyTitle(""));
  const titles = ["A - B", "Ночь - 夜", ""];

  test("says each title, wherever it is cut", () => {
    for (let cut = 0; cut <= stream.length; cut += 1) expect(read(stream, cut)).toEqual(titles);
    expect(read(stream, ...stream.keys())).toEqual(titles);
  });

  test.each([
    ["semicolons, as of Icecast's Cyrillic", "&#1050;&#1080;&#1085;&#1086; - It's; 'x';"],
    ["apostrophes", "Guns N' Roses - Don't Cry"],
    ["a name with an equals sign", "E=mc2 - A='b'"],
  ])("says a title with %s whole", (_, title) => {
    expect(read(streamOf(icyTitle(title)))).toEqual([title]);
  });

  test("reads titles in UTF-8, else in windows-1252", () => {
    const latin = Buffer.from("StreamTitle='Bj\xf6rk - J\xf3ga';", "latin1");
    expect(read(streamOf(icyTitle("Björk - Jóga"), icyBlock(latin)))).toEqual([
      "Björk - Jóga",
      "Björk - Jóga",
    ]);
  });

  test("says nothing of a block without a title or its end", () => {
    const blocks = ["StreamUrl='x';", "StreamTitle='A - B", "'; StreamTitle"].map(icyBlock);
    expect(read(streamOf(...blocks, icyTitle("C")))).toEqual(["C"]);
  });

  test("says what is spliced in as an advertisement", () => {
    const readBytes = createIcyReader(INTERVAL);
    const spliced = icyBlock("StreamTitle='A - B';adw_ad='true';durationMilliseconds='30000';");
    expect(readBytes(streamOf(spliced))).toEqual([{ title: "A - B", isAdvertisement: true }]);
  });

  test.each(ICY_FLOODS)("whose blocks are full of $name is read to its end", ({ block }) => {
    const readBytes = createIcyReader(1);
    const last = Buffer.concat([AUDIO.subarray(0, 1), icyTitle("Last")]);
    const found = readBytes(Buffer.concat([icyFlood(block), last]));
    expect(found.at(-1)?.title).toBe("Last");
  });
});
