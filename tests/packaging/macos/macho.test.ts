import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signMacho, verifyMacho } from "../../../packaging/macos/macho.ts";
import { MachoError } from "../../../packaging/macos/program.ts";
import { machoProgram, readSignature } from "../../fixtures/packaging/macho.ts";
import { SEED } from "../../fixtures/seed.ts";

const AD_HOC = 0x2;

const programs = fc
  .record({
    processor: fc.constantFrom("x64", "arm64"),
    code: fc.uint8Array({ minLength: 1, maxLength: 20_000 }),
    staleSignature: fc.option(fc.uint8Array({ minLength: 16, maxLength: 9_000 }), {
      nil: undefined,
    }),
  })
  .map(({ staleSignature, ...parts }) =>
    machoProgram({ ...parts, ...(staleSignature && { staleSignature }) }),
  );

/** What {@link verifyMacho} finds wrong; `undefined` for a valid signature. */
function mistakeIn(program: Uint8Array): string | undefined {
  try {
    verifyMacho(program);
    return undefined;
  } catch (error) {
    if (error instanceof MachoError) return error.message;
    throw error;
  }
}

const small = () =>
  machoProgram({
    processor: "x64",
    code: new Uint8Array(4_500).map((_, index) => index * 7),
    staleSignature: new Uint8Array(40).fill(0xfa),
  });

describe("signing a program for macOS", () => {
  test("gives every page its hash, and leaves nothing outside", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const signed = signMacho(program);
        const { at, bytes, flags, identifier, pageHashes, pages } = readSignature(signed);
        expect(pageHashes).toEqual([...pages]);
        expect(pages).toHaveLength(Math.ceil(at / 4_096));
        expect(at + bytes).toBe(signed.length);
        expect({ flags, identifier }).toEqual({ flags: AD_HOC, identifier: "marquee" });
        expect(mistakeIn(signed)).toBeUndefined();
      }),
      { seed: SEED },
    );
  });

  test("changes nothing in a program that is signed already", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const signed = signMacho(program);
        expect(Buffer.compare(signMacho(signed), signed)).toBe(0);
      }),
      { seed: SEED },
    );
  });

  test("gives the same bytes whatever signature there was before", () => {
    const code = new Uint8Array(10_000).fill(7);
    const [one, other] = [40, 4_000].map((length) =>
      signMacho(
        machoProgram({ processor: "arm64", code, staleSignature: new Uint8Array(length).fill(1) }),
      ),
    );
    expect(Buffer.compare(one ?? Buffer.of(), other ?? Buffer.of())).toBe(0);
  });

  test("gives each program a UUID of its own, of the version for what others define", () => {
    const uuids = [1, 2].map((value) => {
      const code = new Uint8Array(5_000).fill(value);
      return readSignature(signMacho(machoProgram({ processor: "x64", code }))).uuid;
    });
    expect(new Set(uuids).size).toBe(2);
    for (const uuid of uuids) expect(uuid).toMatch(/^.{12}8.{3}[89ab].{15}$/);
  });

  test("leaves the code as it is", () => {
    const code = new Uint8Array(9_000).map((_, index) => index * 13);
    const signed = signMacho(machoProgram({ processor: "x64", code }));
    expect(Buffer.from(signed).includes(code)).toBe(true);
  });

  test("needs room for the load command of a first signature", () => {
    const program = machoProgram({ processor: "x64", code: new Uint8Array(100), freeBytes: 8 });
    expect(() => signMacho(program)).toThrow(MachoError);
    expect(() => signMacho(program)).toThrow(/no room/);
  });

  test("refuses what is no such program, and never reads beyond its end", () => {
    const program = small();
    const texts = ["", "#!/bin/sh\n", "\x7fELF", "\xca\xfe\xba\xbe\0\0\0\x02"];
    for (const text of texts) {
      expect(() => signMacho(Buffer.from(text.padEnd(64), "latin1"))).toThrow(MachoError);
    }
    // The load commands are what is read: any of their bytes may be anything.
    fc.assert(
      fc.property(fc.nat(340), fc.integer({ min: 0, max: 255 }), (at, value) => {
        const changed = program.slice();
        changed[at] = value;
        try {
          signMacho(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(MachoError);
        }
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });
});

describe("a signature is found wrong", () => {
  const signed = signMacho(small());

  test("when any bit of the file is another", () => {
    const changed = signed.slice();
    const unnoticed: string[] = [];
    for (let at = 0; at < changed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        changed[at] = (signed[at] ?? 0) ^ (1 << bit);
        if (mistakeIn(changed) === undefined) unnoticed.push(`byte ${at}, bit ${bit}`);
      }
      changed[at] = signed[at] ?? 0;
    }
    expect(unnoticed).toEqual([]);
    expect(mistakeIn(changed)).toBeUndefined();
  });

  test("when the file is cut, anywhere", () => {
    for (let length = 0; length < signed.length; length++) {
      expect(mistakeIn(signed.subarray(0, length))).toBeString();
    }
  });

  test.each([1, 16, 4_096])("when the file is %d bytes longer", (more) => {
    expect(mistakeIn(new Uint8Array([...signed, ...new Uint8Array(more)]))).toMatch(/ends at byte/);
  });

  test("when there is none, or one of other parts", () => {
    const code = new Uint8Array(100);
    expect(mistakeIn(machoProgram({ processor: "x64", code }))).toBe("it is not signed");
    expect(mistakeIn(small())).toBe("its signature is not an ad hoc one");
  });

  test("with the number of pages that are wrong", () => {
    const changed = signed.slice();
    changed[1_000] = 1;
    expect(mistakeIn(changed)).toBe("the hashes of 1 of its 2 pages are wrong");
  });
});
