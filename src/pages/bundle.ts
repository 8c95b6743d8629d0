import { bundleFile } from "../../widget/bundle.ts";

/** Bundles what the pages load. Used as macros: they run while the program is compiled or loaded. */

/** The stylesheet of every page that people read, minified. */
export function bundledPageStylesheet(): string {
  return bundleFile(`${import.meta.dir}/page.css`);
}

/** The script behind buttons that copy, minified. */
export function bundledCopy(): string {
  return bundleFile(`${import.meta.dir}/browser/copy.ts`);
}
