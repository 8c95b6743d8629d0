import { describe, expect, test } from "bun:test";
import { browserNameOf } from "../../src/accounts/page/browser-name.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const LINUX = "Mozilla/5.0 (X11; Linux x86_64)";
const PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8)";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)";
const IPAD = "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X)";

describe("a browser is told by what it calls itself:", () => {
  test.each([
    ["Chrome", "Windows", `${WINDOWS} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`],
    ["Edge", "Windows", `${WINDOWS} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`],
    ["Opera", "macOS", `${MAC} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 OPR/111.0.0.0`],
    ["Vivaldi", "Linux", `${LINUX} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 Vivaldi/6.8`],
    ["Firefox", "Windows", `${WINDOWS.slice(0, -1)}; rv:127.0) Gecko/20100101 Firefox/127.0`],
    ["Firefox", "Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"],
    ["Safari", "macOS", `${MAC} ${APPLE} Version/17.5 Safari/605.1.15`],
    ["Safari", "iPhone", `${IPHONE} ${APPLE} Version/17.5 Mobile/15E148 Safari/604.1`],
    ["Chrome", "iPhone", `${IPHONE} ${APPLE} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`],
    ["Firefox", "iPad", `${IPAD} ${APPLE} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`],
    ["Chrome", "Android", `${PHONE} ${WEBKIT} Chrome/126.0.0.0 Mobile Safari/537.36`],
    [
      "Samsung Internet",
      "Android",
      `${PHONE} ${WEBKIT} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    ],
    [
      "Chrome",
      "ChromeOS",
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`,
    ],
    ["OBS", "Windows", `${WINDOWS} ${WEBKIT} Chrome/127.0.0.0 Safari/537.36 OBS/31.0.0`],
  ])("%s on %s", (browser, system, userAgent) => {
    expect(browserNameOf(userAgent)).toEqual({ browser, system });
  });

  test.each(["", "curl/8.5.0", "Mozilla/5.0", "<script>", "x".repeat(300)])(
    "not what nobody knows: %j",
    (userAgent) => {
      expect(browserNameOf(userAgent)).toEqual({ browser: undefined, system: undefined });
    },
  );
});
