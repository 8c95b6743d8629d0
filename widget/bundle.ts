import { readdirSync, readFileSync } from "node:fs";

/** Bundles the overlay's browser code. Used as macros: they run while the program is compiled or loaded. */

/** The overlay's script, minified. */
export function bundledScript(): string {
  return bundle("client.ts");
}

/** The script of the file that waits for the server, minified. */
export function bundledLauncher(): string {
  return bundle("launcher.ts");
}

/** The script of the page behind an address that no longer works, minified. */
export function bundledDeadAddress(): string {
  return bundle("dead-address.ts");
}

/** The overlay's stylesheet, minified. */
export function bundledStylesheet(): string {
  return bundle("widget.css");
}

/** How opaque the most transparent panel of all themes is, 0 to 1: the stylesheets alone say it. */
export function leastPanelOpacity(): number {
  const themes = readdirSync(`${import.meta.dir}/themes`).map((file) => `themes/${file}`);
  const opacities = ["base.css", ...themes].flatMap((file) => {
    const styles = readFileSync(`${import.meta.dir}/${file}`, "utf8");
    return [...styles.matchAll(/--np-panel-opacity: ([\d.]+);/g)].map((match) => Number(match[1]));
  });
  return Math.min(...opacities);
}

function bundle(file: string): string {
  return bundleFile(`${import.meta.dir}/${file}`);
}

/** A script or stylesheet with everything it imports, minified for browsers. */
export function bundleFile(path: string): string {
  const result = Bun.spawnSync([
    process.execPath,
    "build",
    path,
    "--target=browser",
    "--format=iife",
    "--minify",
  ]);
  if (!result.success) throw new Error(`Bundling ${path} failed:\n${result.stderr.toString()}`);
  return result.stdout.toString();
}
