/** A browser's common name and its system; each part is `undefined` when unknown. */
export interface BrowserName {
  readonly browser: string | undefined;
  readonly system: string | undefined;
}

type Signs = readonly (readonly [name: string, sign: RegExp])[];

/** The order matters: most browsers also name others, for compatibility. */
const BROWSERS: Signs = [
  ["OBS", /\bOBS\/\d/],
  ["Edge", /\bEdg(?:e|A|iOS)?\/\d/],
  ["Opera", /\b(?:OPR|OPX|OPiOS|Opera)\/\d/],
  ["Vivaldi", /\bVivaldi\/\d/],
  ["Samsung Internet", /\bSamsungBrowser\/\d/],
  ["DuckDuckGo", /\b(?:DuckDuckGo|Ddg)\/\d/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/\d/],
  ["Chrome", /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\/\d/],
  ["Safari", /\bVersion\/\d.*\bSafari\/\d/],
];

const SYSTEMS: Signs = [
  ["iPad", /\biPad\b/],
  ["iPhone", /\biPhone\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b|\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

/** Finds a browser's name from its `User-Agent` header. */
export function browserNameOf(userAgent: string): BrowserName {
  return { browser: firstSeen(BROWSERS, userAgent), system: firstSeen(SYSTEMS, userAgent) };
}

const firstSeen = (signs: Signs, text: string): string | undefined =>
  signs.find(([, sign]) => sign.test(text))?.[0];
