import { expect, test } from "bun:test";
import { createHeadReader, HeadTooLong, LARGEST_HEAD_BYTES } from "../../src/upstream/head.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

test.each(["\r\n", "\n"])("a head with lines that end in %p is read wherever it is cut", (line) => {
  const text = ["PUT /live HTTP/1.1", "Ice-Name: Lantern", "x", ": y", "", "audio"].join(line);
  const bytes = bytesOf(text);
  for (let cut = 0; cut <= bytes.length - "audio".length; cut += 1) {
    const reader = createHeadReader();
    const found = reader.push(bytes.subarray(0, cut)) ?? reader.push(bytes.subarray(cut));
    expect(found?.head.start).toBe("PUT /live HTTP/1.1");
    expect([...(found?.head.fields ?? [])]).toEqual([["ice-name", "Lantern"]]);
    expect(Buffer.from(found?.rest ?? []).toString()).toBe(
      "audio".slice(0, cut === bytes.length - 5 ? 0 : 5),
    );
  }
});

test("a head that never ends is refused when it comes byte by byte", () => {
  const reader = createHeadReader();
  for (let sent = 1; sent < LARGEST_HEAD_BYTES; sent += 1) reader.push(bytesOf("x"));
  expect(() => reader.push(bytesOf("x"))).toThrow(HeadTooLong);
});
