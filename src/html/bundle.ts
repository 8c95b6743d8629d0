import { join } from "node:path";

/** The files that browsers load, each bundled with everything it imports. */
const FILES = [
  "src/html/browser/copy.ts",
  "src/docs/browser/docs.ts",
  "src/looks/page/editor/browser/into-obs.ts",
  "src/music/page/browser/music.ts",
  "src/looks/page/editor/browser/outputs.ts",
  "src/looks/page/editor/browser/overlay.ts",
  "src/looks/page/gallery/browser/gallery.ts",
  "src/dashboard/dashboard.css",
  "src/docs/docs.css",
  "src/home/home.css",
  "src/html/page.css",
  "src/overlay/page/browser/home.ts",
  "widget/client.ts",
  "widget/dead-address.ts",
  "widget/launcher.ts",
  "widget/widget.css",
] as const;

/** Each file bundled and minified. A macro: it runs while the program is compiled or loaded. */
export function bundled(): Record<(typeof FILES)[number], string> {
  // Bun refuses to bundle within a macro, so another process does it, for all files at once.
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, import.meta.path]);
  if (!success) throw new Error(`Bundling failed:\n${stderr.toString()}`);
  return JSON.parse(stdout.toString());
}

/** A rule of the overlay's style sheet for its light mode. */
const LIGHT_RULE = /[^{}]+\[data-np-mode=light\][^{}]*\{[^{}]*\}/g;

/** The same rules once more for its mode `auto`, which is light where the system is. */
const withAutomaticLight = (css: string): string =>
  css.replace(LIGHT_RULE, (rule) => {
    const automatic = rule.replaceAll("[data-np-mode=light]", "[data-np-mode=auto]");
    return `${rule}@media (prefers-color-scheme:light){${automatic}}`;
  });

if (import.meta.main) {
  const root = join(import.meta.dir, "../..");
  // One build for all would leave in each what only another one uses.
  const builds = FILES.map((file) =>
    Bun.build({
      entrypoints: [join(root, file)],
      root,
      target: "browser",
      format: "iife",
      minify: true,
    }),
  );
  const outputs = (await Promise.all(builds)).flatMap((build) => build.outputs);
  const texts = outputs.map(async (output) => {
    const text = await output.text();
    return output.path.endsWith(".css")
      ? [output.path, withAutomaticLight(text)]
      : [output.path.replace(/\.js$/, ".ts"), text];
  });
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(texts))));
}
