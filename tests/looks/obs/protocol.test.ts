import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { placeOf } from "../../../src/looks/page/editor/browser/obs/browser-source.ts";
import { draggedLink } from "../../../src/looks/page/editor/browser/obs/dragged-link.ts";
import {
  authenticationOf,
  mayAsk,
  ObsError,
  readMessage,
  type Surroundings,
  whyNotReached,
} from "../../../src/looks/page/editor/browser/obs/protocol.ts";
import { sha256Base64 } from "../../../src/looks/page/editor/browser/obs/sha256.ts";

describe("the hash", () => {
  test("is SHA-256 for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const expected = new Bun.CryptoHasher("sha256").update(text).digest("base64");
        expect(sha256Base64(text)).toBe(expected);
      }),
    );
  });

  test("is SHA-256 for every length around a block's end", () => {
    for (let length = 0; length < 200; length++) {
      const text = "a".repeat(length);
      const expected = new Bun.CryptoHasher("sha256").update(text).digest("base64");
      expect([length, sha256Base64(text)]).toEqual([length, expected]);
    }
  });

  test("answers the challenge of obs-websocket's own documentation", () => {
    const wanted = {
      salt: "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=",
      challenge: "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=",
    };
    expect(authenticationOf("supersecretpassword", wanted)).toBe(
      "1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4=",
    );
  });
});

describe("a message", () => {
  test.each(["", "hello", "[]", "null", '"op"', "{}", '{"op":0}', '{"op":0,"d":{}}', '{"op":"7"}'])(
    "is refused when it is not of obs-websocket 5: %s",
    (text) => {
      expect(() => readMessage(text)).toThrow(new ObsError("notObs"));
    },
  );

  test("that this page does not know is passed over", () => {
    const data = { eventType: "Whatever" };
    expect(readMessage(JSON.stringify({ op: 5, d: data }))).toEqual({ op: 5, data });
  });
});

describe("where OBS is not reached, the reason", () => {
  const CHROMIUM = "Mozilla/5.0 (X11; Linux x86_64) Chrome/148.0.0.0 Safari/537.36";
  const SAFARI = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
  const CHROME_ON_IOS = "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 CriOS/140.0 Safari/604.1";
  const at = (origin: string, changes: Partial<Surroundings> = {}): Surroundings => {
    const { protocol, hostname } = new URL(origin);
    return { protocol, hostname, userAgent: CHROMIUM, permission: undefined, ...changes };
  };

  test.each([
    ["http://127.0.0.1:4747", {}, "off"],
    ["http://localhost:4747", { permission: "denied" }, "off"],
    ["http://[::1]:4747", {}, "off"],
    ["http://127.0.0.1:4747", { userAgent: SAFARI }, "off"],
    ["http://marquee.example", {}, "blockedHttp"],
    ["http://192.168.1.20:4747", { permission: "denied" }, "blockedHttp"],
    ["http://127.0.0.1.marquee.example", {}, "blockedHttp"],
    ["https://marquee.example", {}, "off"],
    ["https://marquee.example", { permission: "granted" }, "off"],
    ["https://marquee.example", { permission: "denied" }, "blockedPermission"],
    ["https://marquee.example", { userAgent: SAFARI }, "blockedSafari"],
    ["https://marquee.example", { userAgent: CHROME_ON_IOS }, "blockedSafari"],
  ] as const)("on %s with %j is %s", (origin, changes, reason) => {
    expect(whyNotReached(at(origin, changes))).toBe(reason);
  });

  test("can be that the browser is still asking", () => {
    expect(mayAsk(at("https://marquee.example", { permission: "prompt" }))).toBe(true);
    expect(mayAsk(at("https://marquee.example", { permission: "granted" }))).toBe(false);
    expect(mayAsk(at("http://127.0.0.1:4747", { permission: "prompt" }))).toBe(false);
  });
});

describe("the link to drag", () => {
  const widget = { name: "Marquee", width: 500, height: 120 };

  test("carries name and size, and leaves the rest of the address alone", () => {
    const address = "http://127.0.0.1:4747/en/widget/mqw_x";
    expect(draggedLink({ ...widget, address })).toBe(
      `${address}?layer-name=Marquee&layer-width=500&layer-height=120`,
    );
    expect(draggedLink({ ...widget, address: `${address}?theme=bar&font=A%20B` })).toBe(
      `${address}?theme=bar&font=A%20B&layer-name=Marquee&layer-width=500&layer-height=120`,
    );
  });

  test("keeps every name whole, without a plus sign for a space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const link = new URL(draggedLink({ ...widget, address: "http://x/", name }));
        expect(link.searchParams.get("layer-name")).toBe(name);
        expect(link.search).not.toContain("+");
      }),
    );
  });
});

describe("the place of a new source", () => {
  test("is the bottom left, a little away from the edges", () => {
    const canvas = { width: 1920, height: 1080 };
    expect(placeOf({ width: 500, height: 120 }, canvas)).toEqual({ positionX: 43, positionY: 917 });
  });

  test("is never outside of the canvas", () => {
    const side = fc.integer({ min: 1, max: 5_000 });
    const size = fc.record({ width: side, height: side });
    fc.assert(
      fc.property(size, size, (source, canvas) => {
        const { positionX, positionY } = placeOf(source, canvas);
        expect(positionX).toBeGreaterThanOrEqual(0);
        expect(positionY).toBeGreaterThanOrEqual(0);
        expect(positionX).toBeLessThan(canvas.width);
        expect(positionY).toBeLessThan(canvas.height);
        if (source.width <= canvas.width) {
          expect(positionX + source.width).toBeLessThanOrEqual(canvas.width);
        }
      }),
    );
  });
});
