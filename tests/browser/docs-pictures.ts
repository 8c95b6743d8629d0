/**
 * Makes the documentation's pictures of the dashboard from the running product, light and dark:
 * `bun tests/browser/docs-pictures.ts`. It needs an installed Chromium.
 */
import { join } from "node:path";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const folder = join(import.meta.dir, "../../src/docs/pictures");
const LARGEST_BYTES = 60 * 1024;
/** That of a server without settings, as the documentation has it. */
const PORT = "4747";

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What of the page is shown: from the top of the first to the bottom of the last. */
  readonly parts: readonly [first: string, last: string];
}

const PICTURES: readonly Picture[] = [
  { name: "music", path: "/en/dashboard/music", parts: ["h1", ".tiles"] },
  { name: "spotify-app", path: "/en/dashboard/music?add=spotify", parts: [".chosen-way", ".app"] },
  {
    name: "gallery",
    path: "/en/dashboard/widget",
    parts: ["h1", ".shipped .looks > li:nth-child(3)"],
  },
  { name: "editor", path: "/en/dashboard/widget?id=1", parts: ["h1", "[data-strip]"] },
  {
    name: "obs-source",
    path: "/en/dashboard/widget?id=1&tab=obs",
    parts: ["section.obs", "section.obs"],
  },
  {
    name: "chat-command",
    path: "/en/dashboard/chat?with=bot",
    parts: ["section.chat-bots", "section.chat-bots"],
  },
];

const data = createTempFolder();
const base = `http://127.0.0.1:${PORT}`;
const marquee = (...args: string[]) =>
  Bun.spawn([process.execPath, "src/main.ts", ...args, "--data", data.path], {
    cwd: join(import.meta.dir, "../.."),
    stdout: "pipe",
    stderr: "ignore",
  });
const server = marquee("serve", "--port", PORT, "--owner", "ada", "--open", "never");
while (
  !(await fetch(`${base}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await Bun.sleep(100);
await marquee("widget", "add", "ada", "--name", "Song", "--kind", "text").exited;
const link = await new Response(marquee("login", "ada").stdout).text();

const browser = await currentChromium.launch();
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 1180, height: 1200 },
      deviceScaleFactor: 1.5,
    });
    const page = await context.newPage();
    const [signInLink = ""] = /http:\S+/.exec(link) ?? [];
    if (colorScheme === "light") {
      await page.goto(signInLink);
      await page.click("button[type=submit]");
      await context.storageState({ path: join(data.path, "session.json") });
    } else {
      const state = await Bun.file(join(data.path, "session.json")).json();
      await context.addCookies(state.cookies);
    }
    for (const { name, path, parts } of PICTURES) {
      await page.goto(base + path);
      // The overlays on the page draw themselves.
      await page.waitForTimeout(1_500);
      const boxes = await Promise.all(
        parts.map((part) => page.locator(part).first().boundingBox()),
      );
      const [first, last] = boxes;
      if (!first || !last) throw new Error(`${path} has no ${parts.join(" or ")}`);
      const [x, y] = [Math.min(first.x, last.x) - 16, Math.max(0, first.y - 16)];
      const width = Math.max(first.x + first.width, last.x + last.width) - x + 16;
      const height = Math.min(900, last.y + last.height - y + 16);
      const clip = { x, y, width, height };
      const png = await page.screenshot({ clip, fullPage: true });
      const file = join(folder, `${name}${colorScheme === "dark" ? "-dark" : ""}.webp`);
      let quality = 90;
      let bytes: Uint8Array;
      do {
        bytes = await new Bun.Image(png).webp({ quality }).bytes();
        quality -= 10;
      } while (bytes.length > LARGEST_BYTES && quality > 30);
      await Bun.write(file, bytes);
      console.log(file, bytes.length);
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.kill();
  await server.exited;
  data.remove();
}
