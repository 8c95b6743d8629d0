import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UnreadableAnswer } from "../../../src/upstream/json.ts";
import {
  fieldsOf,
  MpdRefusal,
  MpdResponseReader,
  quote,
} from "../../../src/sources/kinds/mpd/protocol.ts";

const TRANSCRIPT = Buffer.from(
  "OK MPD 0.23.5\nArtist: Åda\nArtist: Grace: of sorts\nOK\nsize: 5\nbinary: 5\nOK\n\n\x00\nOK\nACK [50@0] {play} No such song\nOK\n",
);

function readInPieces(bytes: Uint8Array, cuts: readonly number[]) {
  const reader = new MpdResponseReader();
  const ends = [...new Set([...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  let start = 0;
  return ends.flatMap((end) => {
    const answers = reader.push(bytes.subarray(start, end));
    start = end;
    return answers;
  });
}

describe("MPD's answers", () => {
  test("are read with repeated fields, raw bytes and refusals", () => {
    const [greeting, song, picture, refusal, last] = readInPieces(TRANSCRIPT, []);
    expect(greeting).toEqual({ fields: [], binary: null });
    expect(song && !(song instanceof MpdRefusal) && fieldsOf(song, "Artist")).toEqual([
      "Åda",
      "Grace: of sorts",
    ]);
    expect(picture).toMatchObject({ binary: Uint8Array.from(Buffer.from("OK\n\n\x00")) });
    expect(refusal).toBeInstanceOf(MpdRefusal);
    expect(refusal).toMatchObject({ code: 50, message: "No such song" });
    expect(last).toEqual({ fields: [], binary: null });
  });

  test("are the same however the network cuts them", () => {
    const whole = readInPieces(TRANSCRIPT, []).map((answer) => ({ ...answer }));
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        const pieces = readInPieces(TRANSCRIPT, cuts).map((answer) => ({ ...answer }));
        expect(pieces).toEqual(whole);
      }),
    );
  });

  test("that are no protocol of MPD's are refused or waited for, never misread as an answer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString("latin1");
        fc.pre(!/^(OK|ACK )/m.test(text));
        try {
          expect(new MpdResponseReader().push(bytes)).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableAnswer);
        }
      }),
    );
  });
});

describe("arguments", () => {
  test("stay one argument on one line, whatever they hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const quoted = quote(text);
        expect(quoted).not.toMatch(/[\r\n]/);
        const inner = /^"((?:[^"\\]|\\["\\])*)"$/s.exec(quoted)?.[1];
        expect(inner?.replaceAll(/\\(.)/gs, "$1")).toBe(text.replaceAll(/[\r\n]/g, ""));
      }),
    );
  });
});
