import { readdirSync, readFileSync } from "node:fs";

/**
 * The opacity of the most transparent panel of all themes, 0 to 1, read from the stylesheets. Used
 * as a macro: it runs while the program is compiled or loaded.
 */
export function leastPanelOpacity(): number {
  const themes = readdirSync(`${import.meta.dir}/themes`).map((file) => `themes/${file}`);
  const opacities = ["base.css", ...themes].flatMap((file) => {
    const styles = readFileSync(`${import.meta.dir}/${file}`, "utf8");
    return [...styles.matchAll(/--np-panel-opacity: ([\d.]+);/g)].map((match) => Number(match[1]));
  });
  return Math.min(...opacities);
}
